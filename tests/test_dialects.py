"""The hooks of programs that send and read something of their own."""

import json
import subprocess
import sys

import pytest

from clawbrain.agents import hooks
from clawbrain.brain import open_brain

PROMPT = {"prompt": "How do I deploy this to staging?"}
DEPLOY = "Deploys go out from main only, with scripts/deploy.sh staging first. Never on Fridays."


@pytest.fixture
def home(tmp_path):
    with open_brain(tmp_path / "home") as brain:
        brain.store("entity", "deploy-process", DEPLOY, category="projects", tags=["deploy"])
        brain.store("entity", "alice-chen", "Alice Chen reviews everything under models/.", category="people")
    return tmp_path / "home"


def hook(home, event, client, **said):
    return hooks.run([event, "--client", client, "--home", str(home)], json.dumps(said))


def test_copilot_reads_the_text_at_the_top(home):
    assert "deploy-process" in json.loads(hook(home, "prompt", "copilot", **PROMPT))["additionalContext"]
    assert hook(home, "prompt", "copilot", prompt="thanks") == "{}"


def test_kiro_reads_what_is_printed(home):
    text = hook(home, "prompt", "kiro", **PROMPT)
    assert "deploy-process" in text and not text.startswith("{")
    assert hook(home, "prompt", "kiro", prompt="hello there") == ""


def test_cursor_says_the_folder_in_its_own_way(home, tmp_path):
    said = {**PROMPT, "conversation_id": "c", "workspace_roots": [str(tmp_path)]}
    assert "deploy-process" in json.loads(hook(home, "prompt", "cursor", **said))["additional_context"]
    (tmp_path / ".clawbrain-off").touch()
    assert hook(home, "prompt", "cursor", **said) == "{}"


def test_a_hook_never_fails_in_any_dialect(home):
    for client in ("copilot", "cursor", "kiro"):
        command = [sys.executable, "-m", "clawbrain", "hook", "prompt", "--client", client, "--home", str(home)]
        done = subprocess.run(command, input="no json", capture_output=True, text=True, timeout=30)
        assert done.returncode == 0 and done.stdout.strip() in ("{}", "")

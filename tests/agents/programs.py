"""The agent programs: their packages, and the words and environment with which each answers one prompt.

A command is `(model, prompt, again)`: with `again` the program goes on with its last session. `Place.converse` runs it.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("CLAWBRAIN_AGENTS") or Path.home() / ".cache" / "clawbrain-agents")
PACKAGES = {
    "opencode": ["opencode-ai@1.18"],
    "claude": ["@anthropic-ai/claude-code@2.1"],
    "codex": ["@openai/codex@0.169"],
    "gemini": ["@google/gemini-cli@0.61"],
    "copilot": ["@github/copilot@1.0"],
    "cline": ["cline@3.0"],
    "inspector": ["@modelcontextprotocol/inspector@2.12.0", "node@22"],
}
UNPACKING = {"opencode": "opencode-ai/postinstall.mjs", "claude": "@anthropic-ai/claude-code/install.cjs"}
BINARY = {"inspector": "mcp-inspector"}


class NotHere(Exception):
    """A program is not installed and cannot be."""


def opencode(model, prompt, again):
    limits = {"context": 128000, "output": 4096}
    fake = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": "x"},
        "models": {"fake": {"name": "fake", "tool_call": True, "limit": limits}},
    }
    content = {"provider": {"fake": fake}, "model": "fake/fake", "small_model": "fake/fake"}
    return ["run", *["--continue"] * again, "--format", "json", prompt], {
        "OPENCODE_CONFIG_CONTENT": json.dumps(content),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "npm_config_fetch_retries": "0",
    }


def claude(model, prompt, again):
    words = ["-p", prompt, *["--continue"] * again, "--allowedTools", "mcp__clawbrain", "--output-format", "json"]
    return words, {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",  # on a busy machine it asks the model before the server is there
    }


def codex(model, prompt, again):
    provider = f'{{name="fake", base_url="{model.url}/v1", wire_api="responses"}}'
    options = ["-c", f"model_providers.fake={provider}", "-c", 'model_provider="fake"', "-c", 'model="fake"']
    trusted = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return ["exec", *["resume", "--last"] * again, *trusted, "--json", *options, prompt], {}


def gemini(model, prompt, again):
    resumed = ["--resume", "latest"] if again else []
    return ["--yolo", "--skip-trust", "-m", "gemini-2.5-pro", *resumed, "-p", prompt], {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(HERE / "gemini.json"),  # not read where the group may write the folder
    }


def copilot(model, prompt, again):
    return ["-p", prompt, *["--continue"] * again, "--allow-all-tools"], {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "gpt-5",
    }


def cline(model, prompt, again):
    return ["-P", "openai", "-m", "fake", "--json", prompt], {}  # each time a session of its own


def provider_of_cline(model):
    return ["auth", "-p", "openai", "-k", "x", "-m", "fake", "-b", f"{model.url}/v1"]


COMMANDS = {
    "opencode": opencode, "claude": claude, "codex": codex, "gemini": gemini, "copilot": copilot, "cline": cline,
}  # fmt: skip


def installed(name):
    """Return the program's command, which is installed first where it is not here; raise NotHere if that fails."""
    binary = CACHE / "node_modules" / ".bin" / BINARY.get(name, name)
    if not binary.exists():
        if not shutil.which("npm"):
            raise NotHere("npm is not here: install Node 20 or newer, or leave this one out")
        CACHE.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", *PACKAGES[name]]
        done = subprocess.run(npm, capture_output=True, text=True)
        if done.returncode:
            raise NotHere(f"npm could not install it: {done.stderr[-500:]}")
        if name in UNPACKING:  # npm 11 skips the scripts of packages
            subprocess.run(["node", str(CACHE / "node_modules" / UNPACKING[name])], capture_output=True)
    if not binary.exists():
        raise NotHere("npm installed it, but its command is not there")
    return binary


def version(name):
    """Return the version of the program that is installed."""
    package = PACKAGES[name][0].rpartition("@")[0]
    return json.loads((CACHE / "node_modules" / package / "package.json").read_text())["version"]

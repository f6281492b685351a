"""What the repository holds for other ways of installing says the same as the program, and what can run here runs."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import bundle.__main__ as bundling
from clawbrain import DISTRIBUTION, version
from clawbrain.agents import programs
from clawbrain.agents.pieces import Hook, Server

REPOSITORY = Path(__file__).parent.parent
PLUGIN = REPOSITORY / "plugins" / "clawbrain"
GREETING = "".join(
    json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    for message in (
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
        }},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "memory_search", "arguments": {"query": "deploy"}}},
    )
)  # fmt: skip


def read(path):
    return json.loads((REPOSITORY / path).read_text("utf-8"))


@pytest.mark.parametrize(
    "path",
    [
        "server.json",
        "bundle/manifest.json",
        "plugins/clawbrain/.claude-plugin/plugin.json",
        "plugins/clawbrain/.codex-plugin/plugin.json",
    ],
)
def test_every_package_is_of_this_version(path):
    assert read(path)["version"] == version()


def test_the_registry_entry_keeps_to_the_rules_of_the_registry():
    entry = read("server.json")
    [package] = entry["packages"]
    assert package["identifier"] == DISTRIBUTION and package["version"] == entry["version"]
    assert package["transport"] == {"type": "stdio"} and package["packageArguments"][0]["value"] == "serve"
    assert len(entry["description"]) <= 100 and re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])


@pytest.mark.parametrize(("client", "file"), [("claude", "hooks/hooks.json"), ("codex", "hooks/codex.json")])
def test_a_plugin_runs_what_install_writes(tmp_path, client, file):
    pieces = programs.pieces_for(client, {"HOME": str(tmp_path)}, tmp_path, ["clawbrain"], [])
    [server] = [piece for piece in pieces if isinstance(piece, Server)]
    hooks = {piece.place[1]: [{"hooks": [piece.handler]}] for piece in pieces if isinstance(piece, Hook)}
    plugged = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]
    assert plugged == {"clawbrain": {"type": "stdio", **server.value}}
    assert json.loads((PLUGIN / file).read_text())["hooks"] == hooks


def test_the_plugins_are_where_their_manifests_say():
    for word in ("skills", "mcpServers", "hooks"):
        assert (PLUGIN / read("plugins/clawbrain/.codex-plugin/plugin.json")[word]).exists()
    source = read(".claude-plugin/marketplace.json")["plugins"][0]["source"]
    assert (REPOSITORY / source / ".claude-plugin/plugin.json").is_file()


def test_the_skill_names_tools_and_signals_that_there_are():
    from clawbrain import profiles
    from clawbrain.credit import SIGNALS

    text = (PLUGIN / "skills/clawbrain/SKILL.md").read_text("utf-8")
    tools = {tool["name"] for tool in profiles.load("clawbrain")["tools"]}
    assert set(re.findall(r"memory_\w+", text)) <= tools
    assert all(signal in text for signal in SIGNALS)
    assert text.startswith("---\nname: clawbrain\ndescription: ")


def test_a_server_runs_from_the_unpacked_bundle_alone(tmp_path):
    bundling.build(tmp_path / "clawbrain.mcpb")
    with zipfile.ZipFile(tmp_path / "clawbrain.mcpb") as packed:
        packed.extractall(tmp_path / "unpacked")
    manifest = json.loads((tmp_path / "unpacked" / "manifest.json").read_text())
    assert (tmp_path / "unpacked" / manifest["server"]["entry_point"]).is_file()
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'unpacked')!r}); from clawbrain.__main__ import main; main()"
    )
    words = [sys.executable, "-P", "-c", script, "serve", "--home", str(tmp_path / "home")]
    done = subprocess.run(words, input=GREETING, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    answers = {line["id"]: line["result"] for line in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["serverInfo"]["version"] == version() and answers[2]["structuredContent"]["results"] == []


def test_the_same_sources_make_the_same_bundle(tmp_path):
    for name in ("a", "b"):
        bundling.build(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_container_copies_what_the_build_needs():
    text = (REPOSITORY / "Dockerfile").read_text("utf-8")
    assert {"pyproject.toml", "README.md", "LICENSE", "clawbrain"} <= set(re.findall(r"[\w.]+", text))
    assert 'ENTRYPOINT ["clawbrain"]' in text and 'CMD ["serve"]' in text


def test_the_instructions_for_agents_name_every_program():
    text = (REPOSITORY / "llms-install.md").read_text("utf-8")
    assert all(re.search(rf"\b{client}\b", text) for client in programs.PROGRAMS)

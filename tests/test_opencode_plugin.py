"""OpenCode's plugin, run by node as either version of OpenCode calls it; the hooks that it runs are the real ones."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clawbrain.agents import hooks
from clawbrain.brain import open_brain

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="needs node")

QUESTION = "How do I deploy this to staging?"
BRIEFING, RECALLED = "What clawbrain remembers", "clawbrain remembers about this"

VERSION_1 = """
const toasts = []
const client = { tui: { showToast: async ({ body }) => toasts.push(body.message) } }
const hooks = await plugin.server({ client, directory: folder })
const prompt = (sessionID, text) => hooks["chat.message"]({ sessionID }, { parts: [{ type: "text", text }] })
const request = async (sessionID) => {
  const output = { system: [] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, output)
  return output.system
}
const event = (type, sessionID) => hooks.event({ event: { type, properties: { sessionID, info: { id: sessionID } } } })
"""

VERSION_2 = """
const callbacks = {}, waiting = []
let wake = () => {}, aborted = false
async function* subscribe({ signal }) {
  signal.addEventListener("abort", () => { aborted = true; wake() })
  while (!aborted) {
    if (!waiting.length) await new Promise((resolve) => { wake = resolve })
    while (waiting.length) {
      const { given, done } = waiting.shift()
      yield given
      done()
    }
  }
}
const session = { hook: async (name, callback) => { callbacks[name] = callback } }
const cleanup = await plugin.setup({ location: { directory: folder }, session, event: { subscribe } })
const prompt = (sessionID, text) => callbacks.prompt({ sessionID, prompt: { text } })
const request = async (sessionID) => {
  const given = { sessionID, system: [] }
  await callbacks.context(given)
  if (given.system.some(({ type }) => type !== "text")) throw new Error("only text is expected")
  return given.system.map(({ text }) => text)
}
const event = (type, sessionID) =>
  new Promise((done) => {
    waiting.push({ given: { type, data: { sessionID } }, done })
    wake()
  })
"""
ENDS = {VERSION_1: "session.idle", VERSION_2: "session.execution.succeeded"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with open_brain(tmp_path / "home") as brain:
        brain.store("entity", "pnpm-never-npm", "Always pnpm, never npm.", category="preferences")
        brain.store("entity", "deploy", "Deploy to staging with scripts/deploy.sh.", category="projects")
    return tmp_path / "home"


@pytest.fixture
def play(home: Path, tmp_path: Path) -> Any:
    """Return a function that lets OpenCode of a version do some steps, and returns what they assign to `said`."""
    run = {"RUN": [sys.executable, "-m", "clawbrain", "hook"], "OPTIONS": ["--client", "opencode", "--home", str(home)]}
    text = (Path(hooks.__file__).parent / "opencode.js").read_text("utf-8")
    for word, value in run.items():
        text = text.replace(f'"{word}"', json.dumps(value))
    text = text.replace("PATIENCE = 2000", "PATIENCE = 60000")  # however slowly this runs
    (tmp_path / "plugin.mjs").write_text(text)
    (tmp_path / "shop").mkdir()

    def play(version: str, steps: str) -> Any:
        given = f"const folder = {json.dumps(str(tmp_path / 'shop'))}, question = {json.dumps(QUESTION)}"
        opening = f'const {{ default: plugin }} = await import("./plugin.mjs")\n{given}\nlet said\n{version}'
        ending = "\nconsole.log(JSON.stringify(said ?? null))\nprocess.exit()\n"
        (tmp_path / "opencode.mjs").write_text(opening + steps + ending)
        done = subprocess.run(["node", str(tmp_path / "opencode.mjs")], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return play


either = pytest.mark.parametrize("version", [VERSION_1, VERSION_2], ids=["version 1", "version 2"])


def test_both_versions_find_what_they_load(play: Any) -> None:
    found = "said = [plugin.id, typeof plugin.server, typeof plugin.setup, Object.keys(await import('./plugin.mjs'))]"
    assert play("", found) == ["clawbrain", "function", "function", ["default"]]


@either
def test_the_first_request_has_the_briefing_and_what_the_prompt_recalled(play: Any, version: str) -> None:
    briefing, recalled = play(version, "await prompt('o-1', question); said = await request('o-1')")
    assert briefing.startswith(BRIEFING) and "Always pnpm, never npm." in briefing
    assert recalled.startswith(RECALLED) and "scripts/deploy.sh" in recalled


@either
def test_every_request_of_a_turn_says_the_same(play: Any, version: str) -> None:
    first, second = play(version, "await prompt('o-1', question); said = [await request('o-1'), await request('o-1')]")
    assert first == second and len(first) == 2


@either
def test_a_prompt_about_nothing_remembered_leaves_the_briefing(play: Any, version: str) -> None:
    steps = (
        "await prompt('o-1', question); await request('o-1'); await prompt('o-1', 'yes'); said = await request('o-1')"
    )
    (briefing,) = play(version, steps)
    assert briefing.startswith(BRIEFING)


@either
def test_a_session_that_was_not_prompted_is_told_nothing(play: Any, version: str) -> None:
    assert play(version, "await prompt('o-1', question); said = await request('o-2')") == []


@either
def test_the_end_of_a_turn_keeps_what_the_hooks_noted(play: Any, version: str, home: Path) -> None:
    turn = "await prompt('o-1', question); await request('o-1'); "
    play(version, turn)
    assert (home / ".clawbrain/turns.log").exists()
    play(version, turn + f"await event('{ENDS[version]}', 'o-1')")
    assert not (home / ".clawbrain/turns.log").exists()


@either
def test_a_deleted_session_is_forgotten(play: Any, version: str) -> None:
    steps = "await event('session.deleted', 'o-1'); said = await request('o-1')"
    assert play(version, "await prompt('o-1', question); " + steps) == []


def test_version_1_shows_the_person_what_was_recalled(play: Any) -> None:
    assert play(VERSION_1, "await prompt('o-1', question); await request('o-1'); said = toasts") == [
        "clawbrain recalled: deploy"
    ]


def test_version_2_ends_the_subscription_with_the_plugin(play: Any) -> None:
    assert play(VERSION_2, "const before = aborted; await cleanup(); said = [before, aborted]") == [False, True]


@either
def test_without_clawbrain_opencode_goes_on(play: Any, version: str, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.mjs"
    plugin.write_text(plugin.read_text().replace(json.dumps(sys.executable), '"/nowhere/python"'))
    assert play(version, "await prompt('o-1', question); said = await request('o-1')") == []

"""Draw docs/two-sessions.svg: a preference told in one session comes back in the next one, unasked.

What stands behind a green dot is run while the picture is drawn: the tool that an agent calls, and the hooks that agent
programs run when a session begins and when a prompt is sent.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parent / "two-sessions.svg"
_WIDTH = 92
_MEMORY = {
    "type": "entity",
    "category": "preferences",
    "name": "pnpm-never-npm",
    "content": "Always pnpm, never npm.",
    "tags": ["packages"],
}
# rich's own frame without its fonts, which it would fetch from the network
_FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: \
{char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def drawn() -> str:
    """Return the picture, made from what the commands answer now."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        _say(console, "Monday, in Claude Code", "bold cyan")
        _say(console, "> we use pnpm here, never npm. Remember that.")
        stored = json.loads(_run(home, ["call", "memory_store", json.dumps(_MEMORY)]))
        _say(console, f"● memory_store → {stored['id']}", "green")
        _say(console, f"  a file you can read and edit: memory/{stored['path']}", "dim")
        _say(console, "")
        _say(console, "Tuesday, a new session, in Codex", "bold cyan")
        told = _hooked(home, "session-start", {"session_id": "tuesday", "cwd": folder})
        _say(console, "● the hook at session start tells the agent, before a word is said:", "green")
        for line in told.splitlines()[1:]:
            _say(console, f"  {line.replace('`', '')}".rstrip())
        _say(console, "")
        _say(console, "> install the date library")
        told = _hooked(home, "prompt", {"session_id": "tuesday", "cwd": folder, "prompt": "install the date library"})
        _say(console, "● the hook at the prompt tells it again, because this is about packages:", "green")
        for line in told.splitlines()[1:]:
            _say(console, f"  {line}")
    svg = console.export_svg(title="clawbrain", code_format=_FRAME, unique_id="clawbrain")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def _say(console: Console, text: str, style: str = "") -> None:
    for line in textwrap.wrap(text, _WIDTH - 2, subsequent_indent="    ") or [""]:
        console.print(Text(line, style))


def _run(home: Path, words: list[str], said: str = "") -> str:
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), *words]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CLAWBRAIN")}
    return subprocess.run(command, input=said, capture_output=True, text=True, check=True, env=environ).stdout


def _hooked(home: Path, event: str, said: dict[str, str]) -> str:
    """Return what a hook tells the agent, run as Codex runs it."""
    command = [sys.executable, "-m", "clawbrain", "hook", event, "--client", "codex", "--home", str(home)]
    done = subprocess.run(command, input=json.dumps(said), capture_output=True, text=True, check=True)
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


if __name__ == "__main__":
    PICTURE.write_text(drawn())

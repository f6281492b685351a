"""The real agent programs, set up by `clawbrain install` alone, against a scripted model: `make agents`.

    python tests/agents/run.py [opencode] [claude] [codex] [gemini] [copilot] [cline] [across] [inspector] [sdk]
                               [elsewhere:opencode …] [together] [together:opencode]

Nothing leaves this machine but the installation of the programs from npm, once, into $CLAWBRAIN_AGENTS (else a
folder in ~/.cache). A program passes when its calls crossed the pipe and their traces lie in the home: what it
says at the end counts for nothing. `elsewhere:NAME` is a program with a memory that is served over HTTP, whose token
it reads from the environment; `together` is two programs at once on such a memory, of which OpenCode may be both.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from elsewhere import NAMES, elsewhere, together
from fake_llm import Model
from place import Place, Wrong, expect
from programs import COMMANDS, NotHere, installed, provider_of_cline, version
from unasked import ID, LEARNING, MEMORY, REMEMBER, STORING, TASK, across, unasked

from clawbrain.agents.install import plan_remove
from clawbrain.agents.programs import config_file

KEEPS_INSTRUCTIONS = {"copilot", "cline"}  # do not show their model what a server says of itself
WITHOUT_HOOKS = {"cline"}


def main(words):
    programs = {name: lambda name=name: try_program(name) for name in COMMANDS}
    usual = {**programs, "across": across, "inspector": inspect, "sdk": try_sdk}
    usual |= {f"elsewhere:{name}": lambda name=name: elsewhere(name) for name in NAMES}
    usual |= {"together": lambda: together("opencode", "claude")}
    checks = {**usual, "together:opencode": lambda: together("opencode", "opencode")}
    strange = [word for word in words if word not in checks]
    if strange:
        sys.exit(f"{', '.join(strange)}: there are {', '.join(checks)}.")
    failed = [name for name in words or usual if not passes(name, checks[name])]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def passes(name, check):
    begun = time.monotonic()
    try:
        said = check()
    except (Wrong, NotHere, subprocess.TimeoutExpired) as fault:
        print(f"{name}: FAILED: {fault}", flush=True)
        return False
    print(f"{name}: {said} ({time.monotonic() - begun:.0f} s)", flush=True)
    return True


# One program


def try_program(name):
    binary = installed(name)
    with tempfile.TemporaryDirectory(prefix=f"clawbrain-{name}-") as folder, Model() as model:
        place = Place(Path(folder), binary)
        place.run([place.command, "install", name])
        examine(place, name)
        if name == "cline":  # takes its provider from a command, not from the environment
            place.run([name, *provider_of_cline(model)])
        heard = (converse_without_hooks if name in WITHOUT_HOOKS else unasked)(name, place, model)
        judge(place, name, json.dumps(heard))
        if name == "claude":  # the one that takes a second prompt without a terminal
            praise(place, model)
        place.run([place.command, "install", name, "--remove"])
        left = plan_remove(name, place.environ).edits
        expect(not left, f"--remove left something in {[edit.shown for edit in left]}", place)
    hooks = "" if name in WITHOUT_HOOKS else " knew it unasked in the next session, counted praise;"
    return f"{version(name)}: well to doctor, stored, searched, gave feedback;{hooks} removed without a trace"


def converse_without_hooks(name, place, model):
    """Two sessions of a program that tells its model nothing unasked; return what it sent to the model."""
    return [*place.converse(name, model, REMEMBER, STORING), *place.converse(name, model, TASK, LEARNING)]


def examine(place, name):
    """Doctor finds all well, and an entry that is broken by hand broken."""
    place.run([place.command, "doctor"])
    file = config_file(name, place.environ, None)
    text = file.read_text()
    file.write_text(text.replace(place.command, "/nowhere/clawbrain"))
    said = json.loads(place.run([place.command, "doctor", "--json"], status=3))
    broken = [check["check"] for report in said["programs"] for check in report["checks"] if check["state"] == "broken"]
    expect(broken == ["command"], f"doctor found broken: {broken}", place)
    file.write_text(text)


def judge(place, name, heard):
    """The calls crossed the pipe and succeeded, a score moved, and the model read the server's instructions."""
    calls = place.calls()
    names = [name for name, _ in calls]
    wanted = ["memory_search", "memory_store", "memory_search", "memory_feedback"]
    expect(names == wanted, f"on the pipe were {names}", place)
    refused = [name for name, answer in calls if answer.get("isError")]
    expect(not refused, f"refused: {refused}", place)
    expect(place.score(ID) > 0.5, "the feedback moved no score", place)
    told = "clawbrain is your memory" in heard or name in KEEPS_INSTRUCTIONS
    expect(told, "the model never read the server's instructions", place)


def praise(place, model):
    """Two prompts in one process, the second of which says how the first was answered."""
    model.script, before = [], len(place.outcomes())
    words, more = COMMANDS["claude"](model, "", False)
    talk = ["claude", *words[:1], *words[2:4], "--input-format=stream-json", "--output-format=stream-json", "--verbose"]
    session = subprocess.Popen(
        talk, cwd=place.work, env=place.environ | more, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with session:
        for prompt in (TASK, "Perfect, thanks."):
            said = {"type": "user", "message": {"role": "user", "content": prompt}}
            session.stdin.write(json.dumps(said) + "\n")
            session.stdin.flush()
            next(line for line in session.stdout if '"type":"result"' in line)
        session.stdin.close()
    expect(place.outcomes()[before:] == ["positive_feedback"], f"praise was not counted: {place.outcomes()}", place)


# Without an agent program


def inspect():
    """The protocol's own inspector, strict."""
    binary = installed("inspector")
    with tempfile.TemporaryDirectory(prefix="clawbrain-inspector-") as folder:
        place = Place(Path(folder), binary)
        words = [str(binary), "--cli", place.command, "serve", "--home", str(place.home)]
        listed = json.loads(place.run([*words, "--method", "tools/list", "--strict"]))["tools"]
        expect("memory_feedback" in {tool["name"] for tool in listed}, "it did not list our tools", place)
        expect(not place.complaints.strip(), f"it warned: {place.complaints}", place)
    return f"{len(listed)} tools, no error or warning in them"


def try_sdk():
    """The SDK's own client in both of its ways to begin."""
    for mode in ("auto", "legacy"):
        with tempfile.TemporaryDirectory(prefix="clawbrain-sdk-") as folder:
            place = Place(Path(folder), Path(sys.executable))
            asyncio.run(sdk_conversation(place, mode))
            names = [name for name, answer in place.calls() if not answer.get("isError")]
            expect(names == ["memory_store", "memory_search", "memory_feedback"], f"{mode}: {names}", place)
            expect(place.score(ID) > 0.5, f"{mode}: the feedback moved no score", place)
    return "auto and legacy: stored, searched, gave feedback"


async def sdk_conversation(place, mode):
    from mcp import Client, StdioServerParameters

    words = StdioServerParameters(
        command=place.command, args=["serve", "--home", str(place.home)], env=place.environ, cwd=str(place.work)
    )
    async with Client(words, mode=mode) as client:
        await client.list_tools()
        await client.call_tool("memory_store", MEMORY)
        for tool, arguments in LEARNING[:2]:
            await client.call_tool(tool, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])

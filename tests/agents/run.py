"""The real agent programs, set up by `clawbrain install` alone, against a scripted model: `make agents`.

    python tests/agents/run.py [opencode] [claude] [codex] [gemini] [copilot] [cline] [inspector] [sdk]

Nothing leaves this machine but the installation of the programs from npm, once, into $CLAWBRAIN_AGENTS (else a
folder in ~/.cache). A program passes when its calls crossed the pipe and their traces lie in the home: what it
says at the end counts for nothing.
"""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from fake_llm import Model

from clawbrain.agents.install import plan_remove
from clawbrain.agents.programs import config_file

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
SECONDS = 150
KEEPS_INSTRUCTIONS = {"copilot", "cline"}  # do not show their model what a server says of itself
WITHOUT_HOOKS = {"cline"}

ID = "entity-projects-deploy-process"
FACT = "Deploys go out from main only, with scripts/deploy.sh staging first. Never on Fridays."
MEMORY = {"type": "entity", "category": "projects", "name": "deploy-process", "content": FACT}
REMEMBER = "Please remember how we deploy."
QUESTION = "How do I deploy this to staging?"
STORING = [("memory_search", {"query": "deploy"}), ("memory_store", MEMORY), "Stored."]
LEARNING = [
    ("memory_search", {"query": "deploy staging"}),
    ("memory_feedback", {"signal": "task_completed", "used_ids": [ID]}),
    "Answered.",
]


class Wrong(Exception):
    """A program did not do what it was to do."""


def main(words):
    checks = {**{name: lambda name=name: try_program(name) for name in COMMANDS}, "inspector": inspect, "sdk": try_sdk}
    strange = [word for word in words if word not in checks]
    if strange:
        sys.exit(f"{', '.join(strange)}: there are {', '.join(checks)}.")
    failed = [name for name in words or checks if not passes(name, checks[name])]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def passes(name, check):
    begun = time.monotonic()
    try:
        said = check()
    except (Wrong, subprocess.TimeoutExpired) as fault:
        print(f"{name}: FAILED: {fault}", flush=True)
        return False
    print(f"{name}: {said} ({time.monotonic() - begun:.0f} s)", flush=True)
    return True


# The programs


def opencode(model, prompt):
    limits = {"context": 128000, "output": 4096}
    fake = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": "x"},
        "models": {"fake": {"name": "fake", "tool_call": True, "limit": limits}},
    }
    content = {"provider": {"fake": fake}, "model": "fake/fake", "small_model": "fake/fake"}
    return ["run", "--format", "json", prompt], {
        "OPENCODE_CONFIG_CONTENT": json.dumps(content),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "npm_config_fetch_retries": "0",
    }


def claude(model, prompt):
    return ["-p", prompt, "--allowedTools", "mcp__clawbrain", "--output-format", "json"], {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def codex(model, prompt):
    provider = f'{{name="fake", base_url="{model.url}/v1", wire_api="responses"}}'
    options = ["-c", f"model_providers.fake={provider}", "-c", 'model_provider="fake"', "-c", 'model="fake"']
    trusted = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return ["exec", *trusted, "--json", *options, prompt], {}


def gemini(model, prompt):
    return ["--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", prompt], {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(HERE / "gemini.json"),  # not read where the group may write the folder
    }


def copilot(model, prompt):
    return ["-p", prompt, "--allow-all-tools"], {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "gpt-5",
    }


def cline(model, prompt):
    return ["-P", "openai", "-m", "fake", "--json", prompt], {}


def provider_of_cline(model):
    return ["auth", "-p", "openai", "-k", "x", "-m", "fake", "-b", f"{model.url}/v1"]


COMMANDS = {
    "opencode": opencode, "claude": claude, "codex": codex, "gemini": gemini, "copilot": copilot, "cline": cline,
}  # fmt: skip


def try_program(name):
    binary = installed(name)
    with tempfile.TemporaryDirectory(prefix=f"clawbrain-{name}-") as folder, Model() as model:
        place = Place(Path(folder), binary)
        place.run([place.command, "install", name])
        examine(place, name)
        if name == "cline":  # takes its provider from a command, not from the environment
            place.run([name, *provider_of_cline(model)])
        place.converse(name, model, REMEMBER, STORING)
        expect((place.home / "memory/entities/projects/deploy-process.md").is_file(), "no file was stored", place)
        before = len(model.heard)
        place.converse(name, model, QUESTION, LEARNING)
        second = json.dumps(model.heard[before:])
        judge(place, name, json.dumps(model.heard), second)
        if name == "claude":  # the one that takes a second prompt without a terminal
            praise(place, model)
        place.run([place.command, "install", name, "--remove"])
        left = plan_remove(name, place.environ).edits
        expect(not left, f"--remove left something in {[edit.shown for edit in left]}", place)
    hooks = "" if name in WITHOUT_HOOKS else " its hooks spoke;"
    return f"well to doctor, stored, searched, gave feedback;{hooks} removed without a trace"


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


def judge(place, name, heard, second):
    calls = place.calls()
    names = [name for name, _ in calls]
    wanted = ["memory_search", "memory_store", "memory_search", "memory_feedback"]
    expect(names == wanted, f"on the pipe were {names}", place)
    refused = [name for name, answer in calls if answer.get("isError")]
    expect(not refused, f"refused: {refused}", place)
    expect(place.score() > 0.5, "the feedback moved no score", place)
    told = "clawbrain is your memory" in heard or name in KEEPS_INSTRUCTIONS
    expect(told, "the model never read the server's instructions", place)
    if name in WITHOUT_HOOKS:
        return
    expect("clawbrain remembers about this" in second, "the prompt hook said nothing to the model", place)
    expect(ID in second.partition("clawbrain remembers about this")[2][:600], "the hook recalled something else", place)


def praise(place, model):
    """Two prompts in one session, the second of which says how the first was answered."""
    model.script = [("memory_search", {"query": "deploy"}), "Answered."]
    words, more = claude(model, "")
    talk = ["claude", *words[:1], *words[2:4], "--input-format=stream-json", "--output-format=stream-json", "--verbose"]
    session = subprocess.Popen(
        talk, cwd=place.work, env=place.environ | more, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with session:
        for prompt in (QUESTION, "Thanks, that is it."):
            said = {"type": "user", "message": {"role": "user", "content": prompt}}
            session.stdin.write(json.dumps(said) + "\n")
            session.stdin.flush()
            next(line for line in session.stdout if '"type":"result"' in line)
        session.stdin.close()
    expect("positive_feedback" in place.outcomes(), f"praise was not counted: {place.outcomes()}", place)


def expect(fact, complaint, place):
    if not fact:
        raise Wrong(f"{complaint}\n{place.last[-3000:]}")


class Place:
    """A fresh user, with a folder to work in and the installed command under an ear."""

    def __init__(self, folder, binary):
        self.user, self.work, self.tap = folder / "user", folder / "work", folder / "tap.log"
        self.home = self.user / "clawbrain"
        self.last = self.complaints = ""
        for made in (self.user, self.work, folder / "bin"):
            made.mkdir()
        script = folder / "bin" / "clawbrain"
        text = (HERE / "tapped.py").read_text().replace("@TAP@", str(self.tap))
        script.write_text(f"#!{sys.executable}\n{text}")
        script.chmod(0o755)
        self.command = str(script)
        node = Path(shutil.which("node") or "/usr/bin/node").parent
        self.environ = {"HOME": str(self.user), "PATH": f"{binary.parent}:{node}:/usr/bin:/bin", "TERM": "dumb"}

    def run(self, words, status=0, **more):
        done = subprocess.run(
            words, cwd=self.work, env=self.environ | more, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=SECONDS,
        )  # fmt: skip
        self.complaints = done.stderr
        self.last = f"$ {' '.join(words)[:300]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        expect(done.returncode == status, f"ended with status {done.returncode}", self)
        return done.stdout

    def converse(self, name, model, prompt, script):
        model.script = script
        words, more = COMMANDS[name](model, prompt)
        self.run([name, *words], **more)

    def calls(self):
        """The tool calls that crossed the pipe, each with its result."""
        lines = [line for line in self.tap.read_text("utf-8").splitlines() if line]
        asked, calls = {}, []
        for line in lines:
            message = json.loads(line[2:])
            if line[0] == ">" and message.get("method") == "tools/call":
                asked[message["id"]] = message["params"]["name"]
            elif line[0] == "<" and message.get("id") in asked and "method" not in message:
                calls.append((asked.pop(message["id"]), message.get("result", {"isError": True})))
        return calls

    def score(self):
        return self.ledger("SELECT score FROM credit_records WHERE id = ?", ID)[0]

    def outcomes(self):
        return self.ledger("SELECT outcome FROM turn_records WHERE outcome IS NOT NULL")

    def ledger(self, question, *values):
        with closing(sqlite3.connect(self.home / ".clawbrain" / "ledger.db")) as ledger:
            return [row[0] for row in ledger.execute(question, values)]


# Installing them


def installed(name):
    binary = CACHE / "node_modules" / ".bin" / BINARY.get(name, name)
    if not binary.exists():
        if not shutil.which("npm"):
            raise Wrong("npm is not here: install Node 20 or newer, or leave this one out")
        CACHE.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", *PACKAGES[name]]
        done = subprocess.run(npm, capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"npm could not install it: {done.stderr[-500:]}")
        if name in UNPACKING:  # npm 11 skips the scripts of packages
            subprocess.run(["node", str(CACHE / "node_modules" / UNPACKING[name])], capture_output=True)
    if not binary.exists():
        raise Wrong("npm installed it, but its command is not there")
    return binary


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
            expect(place.score() > 0.5, f"{mode}: the feedback moved no score", place)
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

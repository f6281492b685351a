"""The scenario a memory is installed for: told in one session, known unasked in the next, in any program.

Session 1 stores a preference by the tool. Session 2, a new process, has it in its first request to the model, which
calls no tool; then the person praises the answer, and the praise reaches the memory.
"""

import json
import tempfile
from pathlib import Path

from fake_llm import Model, offers_tools
from place import Place, expect
from programs import installed

ID = "entity-preferences-pnpm-never-npm"
FACT = "Always use pnpm in JavaScript projects, never npm."
MEMORY = {"type": "entity", "category": "preferences", "name": "pnpm-never-npm", "content": FACT}
REMEMBER = "In JavaScript projects I want pnpm, always."
STORING = [("memory_search", {"query": "pnpm"}), ("memory_store", MEMORY), "Stored."]
TASK = "Install the date-fns package."
PRAISE = "Perfect, thanks. Now add lodash too."
LEARNING = [
    ("memory_search", {"query": "pnpm npm"}),
    ("memory_feedback", {"signal": "task_completed", "used_ids": [ID]}),
    "Added.",
]
BRIEFING, RECALLED = "What clawbrain remembers, in short", "clawbrain remembers about this"
FOUR = ("claude", "codex", "gemini", "opencode")


def unasked(name, place, model):
    """Let a program store in one session and know it in the next; return what it sent to the model in all."""
    heard = place.converse(name, model, REMEMBER, STORING)
    expect((place.home / "memory/entities/preferences/pnpm-never-npm.md").is_file(), "no file was stored", place)
    second = place.converse(name, model, TASK, ["Done."])
    knows(second, place)
    begun = place.score(ID)
    third = place.converse(name, model, PRAISE, LEARNING, again=True)
    # Where the program's session is the server's, too, success also ends the turn in which the prompt recalled it.
    praised, *worked = place.outcomes()
    expect((praised, *set(worked)) == ("positive_feedback", "task_completed"), f"outcomes: {place.outcomes()}", place)
    expect(place.score(ID) > begun, "praise and success moved no score", place)
    shows(name, place)
    return [*heard, *second, *third]


def knows(heard, place):
    """The first request that a model can act on has the fact, from the briefing and from the prompt hook."""
    first = next((json.dumps(asked, ensure_ascii=False) for asked in heard if offers_tools(asked)), "")
    for mark in (BRIEFING, RECALLED):
        expect(mark in first, f"the first request lacks: {mark}", place)
        expect(FACT in first.partition(mark)[2][:1000], f"the fact does not follow: {mark}", place)


def shows(name, place):
    """`clawbrain recalls` lists the briefing, what the prompt recalled with the praise, and the search."""
    found = [(row["event"], row["outcome"]) for row in place.recalls() if row["client"] == name and ID in row["ids"]]
    wanted = [("session-start", None), ("prompt", "positive_feedback"), ("search", "task_completed")]
    expect(all(each in found for each in wanted), f"recalls showed {found}", place)


def across():
    """Each of the four programs stores a preference; the next one, round the table, knows it unasked."""
    binaries = [installed(name) for name in FOUR]
    for teller, knower in zip(FOUR, (*FOUR[1:], FOUR[0]), strict=True):
        with tempfile.TemporaryDirectory(prefix="clawbrain-across-") as folder, Model() as model:
            place = Place(Path(folder), binaries[0])
            for name in (teller, knower):
                place.run([place.command, "install", name])
            place.converse(teller, model, REMEMBER, STORING)
            knows(place.converse(knower, model, TASK, ["Done."]), place)
            found = [(row["client"], row["event"]) for row in place.recalls() if ID in row["ids"]]
            expect((knower, "session-start") in found, f"recalls showed {found}", place)
            expect((knower, "prompt") in found, f"recalls showed {found}", place)
        print(f"  stored in {teller}, known in {knower}", flush=True)
    return "stored in one program, in the first request of the next, and shown by recalls"

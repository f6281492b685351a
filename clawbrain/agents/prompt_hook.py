"""The prompt hook: the memories that a prompt is about, the outcome that it begins with, and a wish to keep something.

It hands over at most three memories, and nothing at all when none is truly about the prompt. How a prompt is read is
decided in prompts/, how memories are found in the brain's search; here they meet.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..prompts.about import Known, about
from ..prompts.deeds import words_of_rules
from ..prompts.keeping import asks_to_keep
from ..prompts.outcome import outcome
from ..prompts.prompt import Prompt
from ..prompts.spoken import is_command, spoken
from .announce import names_to_tell
from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import opened, session_of
from .quoting import AS_DATA, cut, harmless

if TYPE_CHECKING:
    from ..brain import Brain
    from ..brain.results import Hit
    from ..credit import Kind
    from ..memory.model import Memory
    from ..search.question import Question

LIMIT = 1024  # bytes handed to the model
MEMORIES = 3
LOOKED_AT = 12  # the best hits that are compared with the prompt

_RECALLED = f"clawbrain remembers about this ({AS_DATA}; memory_retrieve an id to read all of it):"
_TO_KEEP = (
    "The person asks for something in this prompt to be kept for later sessions: "
    "store it with memory_store (memory_update if a memory of it exists)."
)


def prompt(call: HookCall) -> HookAnswer:
    """Return the memories about a prompt, after counting the outcome that the prompt begins with."""
    said = spoken(call.told("prompt"))
    if not said or is_command(said):
        return SILENCE
    signal, rest = outcome(said)
    wish = [_TO_KEEP] if asks_to_keep(said) else []
    with opened(call) as brain:
        asked = read(brain, rest)
        hits, kind = best(brain, asked) if asked else ([], ())
        session = session_of(brain)
        hits = _not_again(brain, call.told("session_id") or session, hits)
        brain.session = session
        if signal and session:
            _learn(brain, signal)
        ids = [hit.id for hit in hits]
        brain.shown(ids, kind)
        names = names_to_tell(brain, ids)
        memories = brain.listed.several(ids)
        passages = [(id, _passage(memories[id], asked.question)) for id in ids] if asked else []
    lines = [*_recalled(passages, LIMIT - len("".join(wish)) - len(wish)), *wish]
    return HookAnswer("\n".join(lines), names)


def _learn(brain: "Brain", signal: str) -> None:
    from ..errors import Refused

    with suppress(Refused):  # no memory was found or retrieved since the last outcome
        brain.feedback(signal)


# Choosing memories


def read(brain: "Brain", text: str) -> Prompt | None:
    """Return a prompt with what each of its words tells in this store, and the words like them; None for no words."""
    from ..search.question import read_question

    question = read_question(text, brain.clock().date())
    if question.empty:
        return None
    return Prompt(question, brain.rarity(question.terms), brain.akin(question.terms))


def best(brain: "Brain", prompt: Prompt) -> "tuple[list[Hit], Kind]":
    """Return the memories that are truly about a prompt, the nearest first, and the prompt's kind as a question."""
    if prompt.says_nothing:
        return [], ()
    ranked = brain.search(prompt.question.text, limit=LOOKED_AT, scan=False, noted=False)
    hits = {hit.id: hit for hit in [*ranked.hits, *_rules(brain, prompt)]}
    memories = brain.listed.several(hits)
    known = [_known(memory, hits[id]) for id, memory in memories.items()]
    return [hits[id] for id in about(prompt, known)], ranked.kind


def _rules(brain: "Brain", prompt: Prompt) -> "list[Hit]":
    """Return the preferences that may rule a deed that a prompt asks for."""
    called = " ".join(brain.held(words_of_rules(prompt.deeds)))
    if not called:
        return []
    return brain.search(called, limit=LOOKED_AT, category="preferences", scan=False, noted=False).hits


def _known(memory: "Memory", hit: "Hit") -> Known:
    return Known(memory.id, memory.category, memory.name, memory.tags, hit.snippet, memory.content)


def _not_again(brain: "Brain", session: str | None, hits: "list[Hit]") -> "list[Hit]":
    """Return the hits that were not handed over at the latest prompts of a session, at most three, and note them."""
    if not session:
        return hits[:MEMORIES]
    recent = brain.handed.recent(session)
    fresh = [hit for hit in hits if hit.id not in recent][:MEMORIES]
    if fresh or recent:
        with suppress(OSError):  # a home that cannot be written
            brain.handed.note(session, [hit.id for hit in fresh])
    return fresh


# Handing them over


def _passage(memory: "Memory", question: "Question") -> str:
    """Return the passage of a memory that answers a question; keys and passwords are taken out before it is cut."""
    from ..redaction import redacted
    from ..search.snippet import Sought, snippet

    return snippet(redacted(memory.content), Sought(question.terms), Sought())


def _recalled(passages: Sequence[tuple[str, str]], room: int) -> list[str]:
    """Return ids with their passages as quoted data that fits into so many bytes; nothing without any."""
    if not passages:
        return []
    each = (room - len(_RECALLED)) // len(passages) - 1
    return [_RECALLED, *(cut(f"- {id}: {harmless(passage)}", each) for id, passage in passages)]

"""The prompt hook: the memories that a prompt is about, and the outcome that a prompt begins with.

It hands over at most three memories, and nothing at all when none is clearly about the prompt. Praise and correction
count only when the prompt begins with a phrase of a closed list (docs/agents/hooks.md).
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import opened, session_of
from .quoting import AS_DATA, cut, harmless

if TYPE_CHECKING:
    from ..brain import Brain
    from ..brain.results import Hit
    from ..credit import Kind

LIMIT = 1024  # bytes handed to the model
MEMORIES = 3
LOOKED_AT = 8  # the best of this many hits are taken

# Measured on prompts with and without an answer in the store: two shared words that make two fifths of what the
# prompt says, or two and a half rare words however long it is. See docs/agents/hooks.md.
SHARED, SHARE, RARE = 2, 0.4, 2.5

PRAISE = """
thanks; thank you; thanks a lot; thank you very much; many thanks; perfect; excellent; great; great job; great work;
good job; nice work; well done; brilliant; awesome; amazing; exactly; exactly right; that worked; that works;
it works; it works now; works now; that fixed it; that helped; that's right; that is right; that's correct;
that is correct; that's perfect; that is perfect; 👍
"""
CORRECTION = """
wrong; that's wrong; that is wrong; this is wrong; you're wrong; you are wrong; no, that's wrong; no, that is wrong;
no, wrong; incorrect; that's incorrect; that is incorrect; that's not right; that is not right; that's not correct;
that is not correct; not correct; not what i asked; not what i asked for; not what i wanted; not what i meant;
that's not what i asked; that's not what i asked for; that's not what i wanted; that's not what i meant;
you misunderstood; you misunderstood me; that didn't work; that did not work; that doesn't work; that does not work;
it didn't work; it doesn't work; still wrong; still broken; 👎
"""
_OUTCOMES = {"positive_feedback": PRAISE, "user_correction": CORRECTION}
_PHRASES = {phrase.strip(): outcome for outcome, phrases in _OUTCOMES.items() for phrase in phrases.split(";")}
_UNCLEAR = re.compile(r"\W*(?:but|however|except|although|though|yet|unfortunately|still|not)\b", re.IGNORECASE)
_ADDED_BY_PROGRAMS = re.compile(r"\s*<(hook_context|system-reminder)>.*?</\1>\s*", re.DOTALL)
_QUOTED = re.compile(r'"([^"]*)"')
_COMMAND = re.compile(r"/[\w:-]+(?:\s|\Z)")

_RECALLED = f"clawbrain remembers about this ({AS_DATA}; memory_retrieve an id to read all of it):\n"


def prompt(call: HookCall) -> HookAnswer:
    """Return the memories about a prompt, after counting the outcome that the prompt begins with."""
    said = spoken(call.told("prompt"))
    outcome, rest = clear_outcome(said)
    if _COMMAND.match(said) or not rest + outcome:
        return SILENCE
    with opened(call) as brain:
        hits, kind = best(brain, rest)
        brain.session = session_of(brain) if hits or outcome else None
        if outcome and brain.session:
            _learn(brain, outcome)
        brain.shown([hit.id for hit in hits], kind)
        names = brain.recalls.announced([hit.id for hit in hits])
    return HookAnswer(_recalled(hits), names)


def _learn(brain: "Brain", outcome: str) -> None:
    from ..errors import Refused

    with suppress(Refused):  # no memory was found or retrieved since the last outcome
        brain.feedback(outcome)


# Reading a prompt


def spoken(prompt: str) -> str:
    """Return the person's own words, without the text of hooks or the quotation marks that some programs add."""
    while added := _ADDED_BY_PROGRAMS.match(prompt):
        prompt = prompt[added.end() :]
    quoted = _QUOTED.fullmatch(prompt.strip())
    return (quoted[1] if quoted else prompt).strip()


def clear_outcome(prompt: str) -> tuple[str, str]:
    """Return the signal a prompt begins with ('' when none is clear) and the rest of the prompt."""
    said = prompt.replace("\u2019", "'")
    begun = said[:60].casefold()
    for phrase in sorted(_PHRASES, key=len, reverse=True):
        rest = said[len(phrase) :]
        if begun.startswith(phrase) and re.match(r"\s*(?:[.,;:!\n)\u2026\u2014-]|\Z)", rest):
            return ("", prompt) if _UNCLEAR.match(rest) else (_PHRASES[phrase], rest.lstrip(" \n\t.,;:!)\u2026\u2014-"))
    return "", prompt


# Choosing memories


def best(brain: "Brain", prompt: str) -> "tuple[list[Hit], Kind]":
    """Return at most three memories that are clearly about the prompt, and the kind of the prompt as a question."""
    if not prompt:
        return [], ()
    weights = _weights(brain, prompt)
    ranked = brain.search(prompt, limit=LOOKED_AT, scan=False, noted=False)
    return [hit for hit in ranked.hits if _is_about(hit, weights)][:MEMORIES], ranked.kind


def _weights(brain: "Brain", prompt: str) -> dict[str, float]:
    """Return the prompt's words, each with a weight between 0 (in every memory) and 1 (rare)."""
    from ..search.question import read_question

    return brain.rarity(read_question(prompt, brain.clock().date()).terms)


def _is_about(hit: "Hit", weights: Mapping[str, float]) -> bool:
    """Tell whether a hit's name and snippet share enough of the prompt's words."""
    from ..words import terms

    named = set(terms(hit.name))
    shared = weights.keys() & (named | set(terms(hit.snippet)))
    weight, whole = sum(weights[term] for term in shared), sum(weights.values())
    is_its_name = bool(weights) and weights.keys() <= named
    return is_its_name or (len(shared) >= SHARED and (weight >= SHARE * whole or weight >= RARE))


def _recalled(hits: "Sequence[Hit]") -> str:
    """Return the hits as quoted data that fits into LIMIT bytes, or '' without any."""
    if not hits:
        return ""
    room = (LIMIT - len(_RECALLED)) // len(hits) - 1
    return _RECALLED + "\n".join(cut(f"- {hit.id}: {harmless(hit.snippet)}", room) for hit in hits)

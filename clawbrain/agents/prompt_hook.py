"""The prompt hook: the memories that a prompt is about, the outcome that it begins with, and a wish to keep something.

It hands over at most three memories, and nothing at all when none is truly about the prompt. How a prompt is read is
decided in prompts/, how memories are found in the brain's search; here they meet.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..prompts.about import Known, about, words_shown
from ..prompts.deeds import rules, things_of_rules, words_of_rules
from ..prompts.keeping import asks_to_keep
from ..prompts.outcome import outcome
from ..prompts.prompt import Prompt
from ..prompts.spoken import is_command, spoken
from ..proposals import notice
from ..recalls import HeardPrompt
from ..search.snippet import SNIPPET
from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import opened, session_of
from .quoting import AS_DATA, cut, harmless

if TYPE_CHECKING:
    from ..brain import Brain
    from ..credit import Kind
    from ..memory.model import Memory

HANDED = ".clawbrain/handed.json"  # where it is, each prompt of a session counts
LIMIT = 1024  # bytes handed to the model
MEMORIES = 3
LOOKED_THROUGH = 50_000  # characters of a memory; a person waits for a hook
# The best hits, the best rules by name, and the best texts that may state one, which are compared with a prompt.
LOOKED_AT, MOST_RULES, MOST_STATING = 8, 10, 10

_RECALLED = f"clawbrain remembers about this ({AS_DATA}; memory_retrieve an id to read all of it):"
_TO_KEEP = (
    "The person asks for something in this prompt to be kept for later sessions: "
    "store it with memory_store (memory_update if a memory of it exists)."
)


def prompt(call: HookCall) -> HookAnswer:
    """Return the memories about a prompt, after counting the outcome that the prompt begins with, and note what it
    states as lasting."""
    said = spoken(call.told("prompt"))
    if not said or is_command(said):
        return SILENCE
    signal, rest = outcome(said)
    wish = [_TO_KEEP] if asks_to_keep(said) else []
    lasting = notice(said)
    if not (signal or lasting or os.path.exists(call.home / HANDED)) and _is_small_talk(rest):
        return HookAnswer("\n".join(wish))
    with opened(call) as brain:
        brain.fill_index()
        asked = read(brain, rest)
        found, kind = best(brain, asked) if asked else ([], ())
        session = session_of(brain)
        conversation = call.told("session_id") or session or ""
        if lasting:
            brain.noticing.hear(lasting, conversation, session or "")
        heard = brain.handed.latest(conversation) if conversation else []
        brain.session = session
        if signal and session:
            _learn(brain, signal, session, heard)
        fresh, known = _parted(found, heard)
        if conversation and not brain.read_only:
            _note(brain, conversation, fresh, known)
        brain.shown([memory.id for memory in (*fresh, *known)], kind)
        names = brain.recalls.announced([memory.id for memory in fresh])
        passages = [(brain.handle(memory.id), _passage(memory, asked)) for memory in fresh] if asked else []
    lines = [*_recalled(passages, LIMIT - len("".join(wish)) - len(wish)), *wish]
    return HookAnswer("\n".join(lines), names)


def _is_small_talk(text: str) -> bool:
    """Tell whether a text can be about no memory, whatever a store holds; so there is no need to open it."""
    from ..memory.model import utc_now
    from ..search.question import read_question

    return Prompt(read_question(text, utc_now().date()), {}, {}).says_nothing


def _learn(brain: "Brain", signal: str, session: str, heard: Sequence[HeardPrompt]) -> None:
    """Score what the conversation looked at last, in this session or in one of a server that has ended since.

    After a prompt that was about no memory, only what the agent itself has searched since then is scored.
    """
    from ..errors import Refused

    brain.session = brain.recalls.latest_of(session, brain.origin.program_session)
    if not heard or heard[-1].about or brain.recalls.searched_since(heard[-1].at):
        with suppress(Refused):  # no memory was found or retrieved since the last outcome
            brain.feedback(signal)
    brain.session = session


# Choosing memories


def read(brain: "Brain", text: str) -> Prompt | None:
    """Return a prompt with what each of its words tells in this store, and the words like them; None for no words."""
    from ..search.question import read_question

    question = read_question(text, brain.clock().date())
    if question.empty:
        return None
    return Prompt(question, brain.rarity(question.terms), brain.akin(question.terms))


def best(brain: "Brain", prompt: Prompt) -> "tuple[list[Memory], Kind]":
    """Return the memories that are truly about a prompt, the nearest first, and the prompt's kind as a question."""
    if prompt.says_nothing:
        return [], ()
    ranked = brain.search(prompt.question.text, limit=LOOKED_AT, scan=False, noted=False)
    memories = brain.listed.several([hit.id for hit in ranked.hits])
    called = brain.called(words_of_rules(prompt.deeds), "preferences", MOST_RULES)
    if not any(rules(deed, rule.name, ())[0] for deed in prompt.deeds for rule in called):
        called += brain.mentioning(things_of_rules(prompt.deeds), MOST_STATING)  # worth less than a rule by its title
    memories |= {rule.id: rule for rule in called}
    outdated = brain.outdated(memories.values())
    memories = {id: now for id, memory in memories.items() if (now := outdated.get(id, memory)) and not now.superseded}
    passages = {hit.id: hit.snippet for hit in ranked.hits if hit.id not in outdated}
    known = [_known(memory, passages.get(id, memory.content[:SNIPPET])) for id, memory in memories.items()]
    return [memories[id] for id in about(prompt, known)], ranked.kind


def _known(memory: "Memory", passage: str) -> Known:
    plain = passage.replace("…", " ")  # plain English is read by a quicker pattern
    return Known(memory.id, memory.category, memory.name, memory.tags, plain, memory.content[:LOOKED_THROUGH])


def _parted(found: "list[Memory]", heard: Sequence[HeardPrompt]) -> "tuple[list[Memory], list[Memory]]":
    """Return at most three memories to hand over, and at most three that the agent has from the prompts before."""
    recent = {id for prompt in heard for id in prompt.handed}
    fresh = [memory for memory in found if memory.id not in recent]
    return fresh[:MEMORIES], [memory for memory in found if memory.id in recent][:MEMORIES]


def _note(brain: "Brain", conversation: str, fresh: "list[Memory]", known: "list[Memory]") -> None:
    from ..memory.model import stamp

    handed = [memory.id for memory in fresh]
    prompt = HeardPrompt(stamp(brain.clock()), handed + [memory.id for memory in known], handed)
    with suppress(OSError):  # a disk that is full
        brain.handed.note(conversation, prompt)


# Handing them over


def _passage(memory: "Memory", prompt: Prompt) -> str:
    """Return the passage of a memory that answers a prompt; keys and passwords are taken out before it is cut."""
    from ..redaction import redacted
    from ..search.snippet import Sought, snippet

    said = memory.content
    if len(said) > LOOKED_THROUGH:
        said = said[:LOOKED_THROUGH].rpartition(" ")[0]  # no half of a key is left at the end
    return snippet(redacted(said), Sought(words_shown(prompt, said)), Sought(prompt.akin.get(prompt.single, ())))


def _recalled(passages: Sequence[tuple[str, str]], room: int) -> list[str]:
    """Return ids with their passages as quoted data that fits into so many bytes; nothing without any."""
    if not passages:
        return []
    each = (room - len(_RECALLED)) // len(passages) - 1
    return [_RECALLED, *(cut(f"- {id}: {harmless(passage)}", each) for id, passage in passages)]

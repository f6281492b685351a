"""Collect what a briefing is made of: from the index and the ledger, as they are at this moment.

The files are not scanned, because a session waits. But every file whose line would be shown is asked for its stat: a
changed one is read again, and one that is missing is left out.
"""

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from ..briefing import Briefing, compose
from ..briefing.groups import LATEST, PREFERENCES, WRAP_UP_TAGS, Project, Store, arranged, newest_wrap_ups
from ..memory.model import Memory
from .standing import standing

if TYPE_CHECKING:
    from ..strategy import Strategy
    from . import Brain

_SHORTEST_LINE, _USUAL_LINE = 40, 80  # bytes
_WRAP_UPS = 20  # the newest ones, among which that of the project is looked for
_SPARE = 20  # more of the best than fit, because some stand in an earlier group


class Briefings:
    """The briefings of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def compose(self, project: Project | None) -> Briefing:
        """Return the briefing for a session that is about a project, if any.

        An index that holds nothing yet is filled first.
        """
        brain, strategy = self.brain, self.brain.policy.settings()
        brain.fill_index()
        budget, now = strategy.context.briefing_bytes, self.now()
        store = self.store(project, strategy, budget // _USUAL_LINE, now)
        texts, checked = dict[str, Memory](), set[str]()
        while True:
            groups = arranged(store, project, strategy, now)
            wanted = chain.from_iterable(group.ids[: budget // _SHORTEST_LINE] for group in groups)
            texts |= brain.listed.several([id for id in wanted if id not in texts and id not in checked])
            briefing = compose(groups, texts, store.entities + store.episodes, budget)
            changed = brain.outdated(texts[id] for id in briefing.ids if id not in checked)
            checked.update(briefing.ids)
            if not changed:
                return briefing._replace(text=brain.secrets.unnamed(briefing.text))
            store = _with(store, changed)
            texts = {id: memory for id, memory in texts.items() if id not in changed}
            texts |= {memory.id: memory for memory in changed.values() if memory}

    def now(self) -> str:
        """Return the end of the day as the time that counts, so that a briefing stays the same within a UTC day."""
        return f"{self.brain.today()}T23:59:59Z"

    def everything(self) -> Store:
        """Return all memories with their texts, for the digest."""
        memories = list(self.brain.index.memories())
        entities = sum(memory.type == "entity" for memory in memories)
        credits = self.brain.scores.credits(None, self.now(), self.brain.policy.settings().decay)
        return Store(memories, credits, entities, len(memories) - entities, self.open_matters())

    def store(self, project: Project | None, strategy: "Strategy", most: int, now: str) -> Store:
        """Return what may stand in a briefing of at most so many lines, and how much there is in all."""
        brain, index = self.brain, self.brain.index
        standing_out = index.standing_out(PREFERENCES, project.words if project else (), WRAP_UP_TAGS)
        wrap_ups = index.several([memory.id for memory in newest_wrap_ups(standing_out)[:_WRAP_UPS]])
        per_day, enough = strategy.decay.entity_per_day, most + _SPARE
        best = index.outlines(brain.ledger.leading("entities/", per_day, now, enough))
        recent = index.latest("entity", "updated", enough)
        counts = index.counts()
        # without any episode the index would be read from end to end for one
        episodes = index.latest("episode", "created", LATEST + _WRAP_UPS) if counts.get("episode") else []
        memories = {each.id: each for each in chain(best, recent, episodes, standing_out, wrap_ups.values())}
        return Store(
            list(memories.values()),
            brain.scores.credits(memories, now, strategy.decay),
            counts.get("entity", 0),
            counts.get("episode", 0),
            self.open_matters(),
        )

    def open_matters(self) -> list[str]:
        """Return a sentence for each kind of thing that waits for the person's decision."""
        return [*self._contradictions(), *self._proposals()]

    def _proposals(self) -> list[str]:
        count = self.brain.ledger.proposals_waiting()
        if not count:
            return []
        wait = f"{count} proposal{'s wait' if count > 1 else ' waits'}"
        return [f"{wait}, from what the person said: they decide with `clawbrain proposals`"]

    def _contradictions(self) -> list[str]:
        # A memory that was corrected contradicts its former text, which nothing says any more.
        rows = [row for row in standing(self.brain) if row.memory_a_id != row.memory_b_id]
        if not rows:
            return []
        count = f"{len(rows)} unresolved contradiction{'s' if len(rows) > 1 else ''}"
        latest = f"`{rows[-1].memory_a_id}` and `{rows[-1].memory_b_id}`"
        return [f"{count}, the latest about {latest}: the person decides with `clawbrain conflicts`"]


def _with(store: Store, changed: Mapping[str, Memory | None]) -> Store:
    """Return the store with these memories replaced, or taken out where they are None."""
    gone = [memory for memory in store.memories if memory.id in changed and not changed[memory.id]]
    kept = [changed.get(memory.id, memory) for memory in store.memories]
    return store._replace(
        memories=[memory for memory in kept if memory],
        entities=store.entities - sum(memory.type == "entity" for memory in gone),
        episodes=store.episodes - sum(memory.type == "episode" for memory in gone),
    )

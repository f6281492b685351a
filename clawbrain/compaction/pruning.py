"""Pruning: archive the memories of least worth, and restore those that were asked for since."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .. import credit
from ..credit import Credit
from ..memory import model
from ..memory.kinds import PRUNED, Kinds
from ..memory.model import Memory
from ..strategy.settings import Strategy
from .actions import Archive, Away, Expected, Restore, State, content_digest

PROTECTED_CATEGORY = "people"
YOUNGEST_DAYS = 14  # a floor that no setting lowers
WANTED_BACK = 2  # times that a memory in the archive is asked for before it is restored


class Prunable(NamedTuple):
    """A memory that may be archived, with the numbers that decide it."""

    effective: float
    memory: Memory
    age_days: float
    idle_days: float


def prunable(
    memories: Iterable[Memory], credits: Mapping[str, Credit], strategy: Strategy, now: str, kinds: Kinds
) -> list[Prunable]:
    """Return the memories that may be archived, the least worth first. One the ledger does not know yet is left out."""
    found = []
    for m in memories:
        known = credits.get(m.id)
        if known and not _protected(m, strategy, kinds) and (worth := _worth(m, known, strategy, now)):
            found.append(worth)
    return sorted(found, key=lambda c: (c.effective, c.memory.id))


def _protected(m: Memory, strategy: Strategy, kinds: Kinds) -> bool:
    rules = strategy.pruning
    tags = {tag.casefold() for tag in m.tags}  # people write `ADR` in a header, `adr` in a sentence
    if m.pinned or not kinds.allow(PRUNED, m) or not tags.isdisjoint(map(str.casefold, rules.protect_tags)):
        return True
    return m.type == "entity" and (m.category == PROTECTED_CATEGORY or m.category in rules.protect_categories)


def _worth(m: Memory, known: Credit, strategy: Strategy, now: str) -> Prunable | None:
    rules, adopted = strategy.pruning, known.created or m.created
    age = model.days_between(max(m.created, adopted), now)
    if age <= rules.min_age_days or age < max(YOUNGEST_DAYS, rules.protect_days):
        return None
    idle = model.days_between(known.last_accessed or max(m.updated, adopted), now)
    rate = strategy.decay.entity_per_day if m.type == "entity" else strategy.decay.episode_per_day
    effective = credit.effective(known.score, idle, rate)
    return Prunable(effective, m, age, idle) if idle >= rules.min_idle_days and effective < rules.max_score else None


def prune(state: State, strategy: Strategy) -> None:
    """Plan to archive memories, the least worth first. One that this run has written stays: it was just touched."""
    rest = (m for id, m in state.memories.items() if id not in state.written)
    found = prunable(rest, state.credits, strategy, state.now, state.kinds)
    for each in found[: strategy.pruning.max_per_run]:
        id = each.memory.id
        state.actions.append(
            Archive(
                id, each.effective, state.expected(id), _why_archived(each, state.score(id), strategy),
                f"Archived '{each.memory.slash}' {_worth_in_words(each, state.score(id), strategy)}",
            )
        )  # fmt: skip
        del state.memories[id]
    if (left := len(found) - strategy.pruning.max_per_run) > 0:
        most = strategy.pruning.max_per_run
        state.notes.append(f"{left} more could be archived; a run puts away at most {most}.")


def _worth_in_words(each: Prunable, score: float, strategy: Strategy) -> str:
    """Return the score that a report shows, and what it faded to where the score alone would have kept the memory."""
    said = f"(score: {score:.2f})"
    return said if score < strategy.pruning.max_score else f"{said}, faded to {each.effective:.2f}"


def _why_archived(each: Prunable, score: float, strategy: Strategy) -> str:
    rules = strategy.pruning
    return (
        f"Its credit of {score:.2f}, unused for {each.idle_days:.0f} days, is worth {each.effective:.3f} (below "
        f"{rules.max_score:.2f}), and it is {each.age_days:.0f} days old (more than {rules.min_age_days})."
    )


# Restoring, which takes pruning back for memories that were asked for since


def restore(state: State, away: Iterable[Away]) -> None:
    """Plan to restore memories that were asked for often enough in the archive.

    One that was merged or replaced lives on in another memory and stays away, and so does one whose id is taken.
    """
    for each in sorted(away, key=lambda each: each.archive_path):
        id = each.memory.id
        elsewhere = any(each.memory.extra.get(key) for key in ("merged_into", "replaced_by"))
        if each.times < WANTED_BACK or elsewhere or id in state.memories:
            continue
        state.actions.append(
            Restore(
                id, each.archive_path, each.times,
                (Expected(id, content_digest(each.memory.content), credit.START),),
                f"It was asked for in the archive: {each.times} times ({WANTED_BACK} are asked).",
                f"Restored '{each.memory.slash}' from the archive",
            )
        )  # fmt: skip
        state.memories[id] = each.memory

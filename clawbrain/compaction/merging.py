"""Consolidation: merge episodes that tell of one thing into the one with most credit, the others' texts as sections."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import replace
from itertools import combinations

from .. import credit
from ..memory import header, model
from ..memory.kinds import MERGED
from ..memory.model import Memory
from ..strategy.settings import Consolidation, Strategy
from .actions import HIGHEST, Merge, State
from .clusters import FAINT, Item, clusters
from .facts import KnownClaims, bullets, followed
from .tags import Weigh, overlap, weights


def consolidate(state: State, strategy: Strategy, undone: Iterable[Collection[str]] = ()) -> None:
    """Plan to merge the episodes that belong together, except pinned and untagged ones and kinds that forbid it.

    `undone` holds the ids of each merge that was undone: no two of them all are joined again.
    """
    episodes = [m for m in state.memories.values() if m.type == "episode"]
    free = [m for m in episodes if not m.pinned and state.kinds.allow(MERGED, m) and m.tags]
    weigh = weights(m.tags for m in episodes)
    items = [Item(frozenset(m.tags), m.content, m.created) for m in free]
    for cluster in clusters(items, strategy.consolidation, weigh, _apart(free, undone)):
        if len(cluster) >= strategy.consolidation.min_episodes and len(cluster) > 1:
            _merge(state, strategy, [free[i] for i in cluster], weigh)


def _apart(free: Sequence[Memory], undone: Iterable[Collection[str]]) -> dict[int, Set[int]]:
    """Return by its place the episodes that each must not be merged with.

    A merged episode stands for all that it holds. Whoever took merges back does not want their parts in other ones
    either: two that fell to different merges, perhaps for the limit on their size alone, would be joined next. An
    episode that a person restored from the archive stays out of the memory it had been merged into.
    """
    holders: dict[str, set[int]] = defaultdict(set)  # places of the episodes that hold the text of an id
    for at, m in enumerate(free):
        for id in (m.id, *_parts(m)):
            holders[id].add(at)
    taken_back = frozenset(at for ids in undone for id in ids for at in holders.get(id, ()))
    apart: dict[int, Set[int]] = dict.fromkeys(taken_back, taken_back)  # one set for all: there may be thousands
    restored = [(m.id, into) for m in free if isinstance(into := m.extra.get("merged_into"), str)]
    for id, other in (*restored, *(pair[::-1] for pair in restored)):
        for at in holders.get(id, ()):
            apart[at] = apart.get(at, frozenset()) | (holders.get(other, set()) - {at})
    return apart


def _parts(m: Memory) -> Sequence[str]:
    """Return the ids of the episodes that were merged into one."""
    parts = m.extra.get("merged_from", ())
    return parts if isinstance(parts, list | tuple) else ()


def _merge(state: State, strategy: Strategy, cluster: list[Memory], weigh: Weigh) -> None:
    """Plan to merge a cluster into its member with most credit, or note which limit forbids it."""
    # An older score has drifted a little further, which shall not decide.
    survivor, *others = sorted(cluster, key=lambda m: (-round(state.score(m.id), 3), m.created, m.id))
    others.sort(key=lambda m: (m.created, m.id))
    ids = tuple(m.id for m in others)
    tags = tuple(dict.fromkeys(state.clean(tag) for m in (survivor, *others) for tag in m.tags))
    merged_from = tuple(dict.fromkeys([*_parts(survivor), *ids]))
    content = state.clean(_merged_content(survivor, others, strategy.duplicates.threshold))
    if beyond := _beyond(survivor, content, tags, merged_from):
        names = ", ".join(model.shown(m.name) for m in others)
        state.notes.append(f"{model.shown(survivor.name)} was not merged with {names}: {beyond}.")
        return
    scores = [state.score(m.id) for m in (survivor, *others)]
    score = _combined(strategy.consolidation.credit, scores)
    days = sorted({m.created[:10] for m in cluster})
    period = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    created = min(m.created for m in cluster)
    state.actions.append(
        Merge(
            survivor.id, ids, content, tags, created, merged_from, score, state.expected(survivor.id, *ids),
            _why_merged(cluster, survivor, scores, score, strategy.consolidation, weigh),
            f"Merged {len(cluster)} episodes from {period} into '{survivor.name}'",
        )
    )  # fmt: skip
    signals = sum(state.credit(m.id).signals for m in cluster)
    for id in ids:
        del state.memories[id]
    extra = {**survivor.extra, "merged_from": list(merged_from)}
    state.write(replace(survivor, content=content, tags=tags, created=created, extra=extra), score, signals)


def _combined(how: str, scores: list[float]) -> float:
    if how == "earned":
        return credit.merged(scores)
    total = sum(scores)
    value = {"sum": total, "mean": total / len(scores), "max": max(scores)}[how]
    return credit.clip(value, 0.05, HIGHEST)


def _why_merged(
    cluster: list[Memory],
    survivor: Memory,
    scores: list[float],
    score: float,
    settings: Consolidation,
    weigh: Weigh,
) -> str:
    others = [model.shown(m.name) for m in cluster if m is not survivor]
    going = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
    become, each = ("becomes a section", "its file goes") if len(others) == 1 else ("become sections", "their files go")
    ahead = scores[0] - max(scores[1:]) > 0.005
    stays = f"has the best credit ({scores[0]:.2f})" if ahead else "is the oldest of the best"
    sums = " and ".join(f"{value:.2f}" for value in scores) if len(scores) < 4 else f"{len(scores)} scores"
    period = "time" if settings.window_days else "day"
    return (
        f"They tell of one {period}, and {_why_alike(cluster, settings, weigh)}. "
        f"{going} {become} of {model.shown(survivor.name)}, which {stays}, "
        f"and {each} to the archive. Credit: {sums} makes {score:.2f} ({settings.credit})."
    )


def _why_alike(cluster: list[Memory], settings: Consolidation, weigh: Weigh) -> str:
    """Return as a clause what the tags of a cluster have in common, and what was asked of them."""
    mean = math.fsum(overlap(a.tags, b.tags, weigh) for a, b in combinations(cluster, 2)) / math.comb(len(cluster), 2)
    shared = [(tag, n) for tag, n in Counter(tag for m in cluster for tag in m.tags).items() if n > 1]
    telling = [tag for tag, _ in sorted(shared, key=lambda each: -each[1]) if weigh(tag)][:4]
    if not telling:
        alike = ", ".join(sorted(tag for tag, _ in shared)[:4])
        return f"their texts are alike: the tags they share ({alike}) tell no subject"
    asked = f"more than {settings.min_tag_overlap:.0%} is asked"
    if mean <= settings.min_tag_overlap:
        asked = f"{settings.min_tag_overlap * FAINT:.0%} suffices where the texts are alike"
    return f"the tags that tell their subject overlap by {mean:.0%} ({', '.join(sorted(telling))}; {asked})"


def _merged_content(survivor: Memory, others: list[Memory], threshold: float) -> str:
    """Return the survivor's text, then a section for each other, without the bullets that were said before."""
    parts = [survivor.content.rstrip()]
    said = KnownClaims("")
    for _, text in bullets(survivor.content):
        said.add(text)
    for other in others:
        lines = other.content.strip("\r\n").split("\n")
        dropped = set()
        for at, text in bullets("\n".join(lines)):
            if said.repeats(text, threshold) and not followed(lines, at):
                dropped.add(at)
            else:
                said.add(text)
        body = "\n".join(line for at, line in enumerate(lines) if at not in dropped).strip("\r\n")
        parts.append(f"## {other.name}\n\n{body}".rstrip())
    return "\n\n".join(parts)


def _beyond(survivor: Memory, content: str, tags: Sequence[str], merged_from: Sequence[str]) -> str:
    """Return as a clause the limit that the merged memory would break, or ""."""
    if (size := len(content.encode())) > model.MAX_CONTENT:
        return f"together they hold {size} bytes, and {model.MAX_CONTENT} is the most"
    if len(tags) > model.MAX_TAGS:
        return f"together they have {len(tags)} tags, and {model.MAX_TAGS} is the most"
    keys = {**survivor.extra, "merged_from": list(merged_from), "tags": list(tags), "id": survivor.id}
    if len(json.dumps(keys, ensure_ascii=False, default=str).encode()) + 1024 > header.MAX_BYTES:
        return f"its header would grow beyond {header.MAX_BYTES} bytes"
    return ""

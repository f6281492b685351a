"""Which memories answer a question, and in which order.

A query becomes a Query, and what the index found for it becomes ranked hits. Nothing here reads a file, a
table or a clock. The brain asks so:

    found = index.candidates(text, type)
    near = ledger.neighbours(found.seeds)                    # {id: [(signed distance, id), ...]}
    earned, order = standing.earned({*found.ids, *every id in near})  # of an id left out nothing is known
    ranked = relevance.rank(found, earned, near, limit, order)  # .hits, best first; .total; .kind of the question

where `order` says, {id: number}, what was stored later.
A match is literal (the whole query stands there) or graded (it shares words). Relevance and credit together
decide the order, but only the best graded matches compete on credit, so that fame alone answers nothing.
How well a graded match answers is its content score: its words (BM25) and what the signals add (signals.py).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from ..credit import Earned, Kind, for_question, kind_of
from . import weights
from .found import Candidate, Found
from .passage import Wanted, snippet
from .signals import Neighbours, content_scores, lent_by_neighbours


@dataclass(frozen=True, slots=True)
class Hit:
    id: str
    name: str
    type: str
    snippet: str
    credit: float
    relevance: float
    combined: float
    signals: Mapping[str, float]


class Ranked(NamedTuple):
    hits: list[Hit]
    total: int
    kind: Kind = ()


class _Placed(NamedTuple):
    candidate: Candidate
    score: float  # content score
    relevance: float
    credit: float

    @property
    def combined(self) -> float:
        """As it is answered: credit drifts with every second, and what nobody sees must not decide."""
        return round(weights.RELEVANCE_SHARE * self.relevance + weights.CREDIT_SHARE * self.credit, 4)

    @property
    def fit(self) -> tuple[bool, float, str, int]:
        """Among equals: no memory that only shares words with the query goes before one in which it stands."""
        return self.candidate.literal > 0, self.score, self.candidate.updated, self.candidate.stored


def rank(
    found: Found,
    earned: Mapping[str, Earned],
    neighbours: Neighbours,
    limit: int,
    order: Mapping[str, int] = MappingProxyType({}),
) -> Ranked:
    if found.query.empty:
        return _newest(found, earned, limit)
    found = with_matching_neighbours(found, neighbours)
    candidates = {**found.literally, **found.candidates}
    for id, stored in order.items():
        if id in candidates:
            candidates[id].stored = stored
    contents = content_scores(found, neighbours)
    candidates |= {id: replace(candidates[id], tagged=share) for id, share in contents.tagged.items()}
    strengths = contents.by_id
    best = max(strengths.values(), default=0.0) or 1.0
    placed = []
    for id, candidate in candidates.items():
        score = strengths.get(id, 0.0)  # who was not looked at closely has fewer of the words
        placed.append(_Placed(candidate, score, candidate.relevance(score / best), weights.UNKNOWN_CREDIT))
    kind = kind_of([(p.candidate.id, p.relevance, p.score) for p in ordered(placed, 4, by=attrgetter("relevance"))])
    placed = [p._replace(credit=for_question(earned.get(p.candidate.id, Earned()), kind)) for p in placed]
    chosen = ordered(competing(placed, limit), limit, by=attrgetter("combined"))
    hits = list(_shown(found, chosen, lambda candidate: _why(candidate, contents.signals(candidate.id))))
    if len(hits) < limit and found.query.several_words and not any(p.candidate.literal for p in placed):
        hits += joining(found, hits, strengths, best, earned, kind, neighbours, limit - len(hits))
    return Ranked(hits, found.total, kind)


def _why(candidate: Candidate, signals: Mapping[str, float]) -> dict[str, float]:
    """What decides its relevance alone, when it is there; then what its content score is made of."""
    alone = {"literal": candidate.literal, "tags": weights.GRADED_BY_TAGS * candidate.tagged}
    return {name: share for name, share in alone.items() if share} | dict(signals)


def with_matching_neighbours(found: Found, neighbours: Neighbours) -> Found:
    """Weak matches beside strong ones are looked at too: together they may answer."""
    beside = {other for near in neighbours.values() for _, other in near}.difference(found.ids)
    return replace(found, candidates={**found.candidates, **found.more(beside)}) if beside else found


def competing(placed: Iterable[_Placed], limit: int) -> list[_Placed]:
    """All literal matches, and the graded ones best by relevance: fame cannot crowd out an answer."""
    listed = list(placed)
    literal_ones = [p for p in listed if p.candidate.literal]
    others = [p for p in listed if not p.candidate.literal]
    return literal_ones + ordered(others, max(4 * limit, 20), by=attrgetter("relevance"))


def ordered(placed: Iterable[_Placed], most: int, by: Callable[[_Placed], float]) -> list[_Placed]:
    """The highest first; of equals the one that fits better, then the newer, then the later stored."""
    worth = [(by(p), p) for p in placed]
    least = sorted((each for each, _ in worth), reverse=True)[:most][-1:]
    listed = sorted((pair for pair in worth if pair[0] >= least[0]), key=lambda pair: pair[1].candidate.id)
    listed.sort(key=lambda pair: (pair[0], pair[1].fit), reverse=True)
    return [p for _, p in listed[:most]]


def joining(
    found: Found,
    hits: Sequence[Hit],
    strengths: Mapping[str, float],
    best: float,
    earned: Mapping[str, Earned],
    kind: Kind,
    neighbours: Neighbours,
    room: int,
) -> list[Hit]:
    """Memories stored beside a match that share no word with the query: listed below every match."""
    if not hits:
        return []
    floor = min(hit.combined for hit in hits)
    lent = lent_by_neighbours({id: strength / best for id, strength in strengths.items()}, neighbours)
    placed = []
    for id in sorted(lent.keys() - strengths.keys(), key=lambda id: (-lent[id], id)):
        credit = for_question(earned.get(id, Earned()), kind)
        # must not pass a match, whatever its credit
        below = (floor - weights.CREDIT_SHARE * credit) / weights.RELEVANCE_SHARE
        relevance = min(weights.GRADED_BY_CONTENT * min(1.0, lent[id]), below)
        if relevance > 0:
            placed.append(_Placed(Candidate(id, "", 0), lent[id], relevance, credit))
    joined = islice(_shown(found, placed, lambda candidate: {"neighbours": lent[candidate.id] * best}), room)
    return sorted(joined, key=lambda hit: (-hit.combined, -hit.signals["neighbours"], hit.id))


def _newest(found: Found, earned: Mapping[str, Earned], limit: int) -> Ranked:
    newest = sorted(sorted(found.candidates.values(), key=lambda c: c.id), key=lambda c: c.updated, reverse=True)
    placed = [_Placed(c, 0.0, 0.0, for_question(earned.get(c.id, Earned()), ())) for c in newest[:limit]]
    return Ranked(list(_shown(found, placed, lambda candidate: {})), found.total)


def _shown(found: Found, placed: Sequence[_Placed], why: Callable[[Candidate], Mapping[str, float]]) -> Iterator[Hit]:
    """Those that are still there and of the type asked for."""
    memories = found.fetch([p.candidate.id for p in placed])
    asked, followed = Wanted(found.query.terms), Wanted(found.weights)
    for p in placed:
        memory = memories.get(p.candidate.id)
        if memory and found.type in (None, memory.type):
            yield Hit(
                id=memory.id,
                name=memory.name,
                type=memory.type,
                snippet=snippet(memory.content, asked, followed),
                credit=p.credit,
                relevance=p.relevance,
                combined=p.combined,
                signals=why(p.candidate),
            )

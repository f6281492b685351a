"""The content score: one small function for each signal, with a share between 0 and 1 for each candidate."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from . import weights
from .found import Candidate, Found, saturated, words_and_meaning
from .versions import newer_versions

Neighbours = Mapping[str, Sequence[tuple[int, str]]]


class Scores(NamedTuple):
    by_id: dict[str, float]
    parts: dict[str, list[float]]  # of each signal, in the order of by_id; of one that is silent, perhaps none
    tagged: Mapping[str, float]  # how well some are filed as newer versions of others

    def signals(self, id: str) -> dict[str, float]:
        """What each signal gave to one candidate."""
        if id not in self.by_id:
            return {}
        place = list(self.by_id).index(id)
        return {name: part[place] for name, part in self.parts.items() if part and part[place]}


def content_scores(found: Found, neighbours: Neighbours) -> Scores:
    """How well each candidate answers: its words against the best ones', plus what the other signals add."""
    listed = list(found.candidates.values())
    said, meant = words_and_meaning(found)
    shares = {c.id: by_words + by_meaning for c, by_words, by_meaning in zip(listed, said, meant, strict=True)}
    trust = order_means(found, neighbours)
    lent = lent_by_neighbours(shares, neighbours) if trust else {}
    parts = {
        "words": said,
        "meaning": meant,
        "neighbours": [trust * lent.get(id, 0.0) for id in shares] if trust else [],
        "called": [weights.CALLED * c.called for c in listed],
    }
    so_far = _sums(parts)
    parts |= {
        "passage": weighed(weights.PASSAGE, passages(found, listed, neighbours, trust)),
        "length": weighed(weights.LENGTH, lengths(listed)),
        "asking": [weights.ASKING * c.asking for c in listed],
        "answer": weighed(weights.ANSWER * trust, answers(found, shares, neighbours)) if trust else [],
        "when": [weights.WHEN * c.told for c in listed] if found.query.when else [],
        "echo": weighed(trust * weights.ECHO + (1 - trust) * weights.ECHO_ALONE, echoes(found, listed, so_far)),
    }
    totals = [total if total > 0 else 0.0 for total in _sums(parts)]
    parts["newer version"], tagged = newer_versions(found, listed, totals, trust)
    settled = [total + more for total, more in zip(totals, parts["newer version"], strict=True)]
    return Scores(dict(zip(shares, settled, strict=True)), parts, tagged)


def _sums(parts: Mapping[str, Sequence[float]]) -> list[float]:
    """For each candidate, of its words and what else says anything."""
    words, *others = parts.values()
    return [sum(column) for column in zip(words, *filter(any, others), strict=True)]


def weighed(weight: float, shares: list[float]) -> list[float]:
    return [weight * share for share in shares]


def lent_by_neighbours(shares: Mapping[str, float], neighbours: Neighbours) -> dict[str, float]:
    """What stands just before or after a hit in a session is often the rest of the answer."""
    lent: dict[str, float] = {}
    for id, near in neighbours.items():
        for distance, other in near:
            weight = weights.NEIGHBOUR.get(distance, 0.0) * shares.get(id, 0.0)
            lent[other] = lent.get(other, 0.0) + weight
    return lent


def answers(found: Found, shares: Mapping[str, float], neighbours: Neighbours) -> list[float]:
    """What was stored just after a question that matches well is likely the answer to it, and to ours."""
    answered = {
        other: shares[id] ** 2
        for id, near in neighbours.items()
        for distance, other in near
        if distance == 1 and found.candidates[id].asking
    }
    return [answered.get(id, 0.0) for id in shares]


def order_means(found: Found, neighbours: Neighbours) -> float:
    """Whether what was stored together belongs together: 0 in a shuffled store, 1 in a log of talks.

    The best matches are compared with their neighbours and with strangers, in words that are not the query's."""
    sampled = dict(list(neighbours.items())[: weights.SAMPLE])
    pairs = [(id, other) for id, near in sampled.items() for _, other in near]
    texts = _rarer_words(found, {id for pair in pairs for id in pair})
    near = [_likeness(texts[a], texts[b]) for a, b in pairs if a in texts and b in texts]
    seeds = sorted(sampled.keys() & texts.keys())
    far = [_likeness(texts[a], texts[b]) for a, b in zip(seeds, seeds[len(seeds) // 2 :], strict=False) if a != b]
    if not near or not far:
        return 0.0
    strange = max(0.01, sum(far) / len(far))
    close = (sum(near) + weights.DOUBT * strange) / (len(near) + weights.DOUBT)
    return min(1.0, max(0.0, (close / strange - weights.LIKE_STRANGERS) / (weights.LIKE_KIN - weights.LIKE_STRANGERS)))


def _rarer_words(found: Found, ids: Collection[str]) -> dict[str, frozenset[str]]:
    """The words of these candidates, without the query's and without those that many of them hold."""
    texts = {id: c.gist.words for id in ids if (c := found.candidates.get(id)) and c.gist}
    held = Counter(chain.from_iterable(texts.values()))
    many = max(2, len(texts) // 5)
    common = {term for term, count in held.items() if count > many} | found.weights.keys()
    return {id: text - common for id, text in texts.items()}


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def passages(found: Found, candidates: Sequence[Candidate], neighbours: Neighbours, trust: float) -> list[float]:
    """How much of the question a memory holds, together with its neighbours as far as the order is trusted."""
    whole = found.followed
    if not trust:
        return [c.covered / whole for c in candidates]
    around: dict[str, set[str]] = {}
    for id, near in neighbours.items():
        for _, other in near:
            around.setdefault(other, set()).update(found.candidates[id].held)
    covered = []
    for c in candidates:
        more = around[c.id] - c.held if c.id in around else ()
        covered.append((c.covered + trust * math.fsum(found.weights[term] for term in more)) / whole)
    return covered


def lengths(candidates: Sequence[Candidate]) -> list[float]:
    longest = math.log1p(max((c.length for c in candidates), default=0)) or 1.0
    return [math.log1p(c.length) / longest for c in candidates]


def echoes(found: Found, candidates: Sequence[Candidate], so_far: Sequence[float]) -> list[float]:
    """Words that the best matches have in common, found again in others (pseudo-relevance feedback, RM3)."""
    loud = _common_words(found, _best(candidates, so_far, weights.ECHO_FROM))
    common, lengths = frozenset(loud), [len(c.gist) for c in candidates]
    average = sum(lengths) / max(1, len(lengths))
    heard = [
        math.fsum(map(loud.__getitem__, shared)) * saturated(1, length, average)
        if (shared := common & c.gist.words)
        else 0.0
        for c, length in zip(candidates, lengths, strict=True)
    ]
    loudest = max(heard, default=0.0) or 1.0
    return [each / loudest for each in heard]


def _best(candidates: Sequence[Candidate], worth: Sequence[float], most: int) -> list[tuple[float, Candidate]]:
    least = sorted(worth, reverse=True)[:most][-1:]
    among = [(each, c) for each, c in zip(worth, candidates, strict=True) if each >= least[0]]
    return sorted(among, key=lambda pair: (-pair[0], pair[1].id))[:most]


def _common_words(found: Found, best: Iterable[tuple[float, Candidate]]) -> dict[str, float]:
    weight: dict[str, float] = {}
    for score, candidate in best:
        counts = candidate.gist.counts
        share = score / (counts.total() or 1)
        for term, count in counts.items():
            weight[term] = weight.get(term, 0.0) + share * count
    for asked in found.weights.keys() | found.query.names:
        weight.pop(asked, None)
    rarity, alone = found.telling(weight), found.alone
    telling = {term: each * rare for term, each in weight.items() if (rare := rarity[term]) < alone}
    least = sorted(telling.values(), reverse=True)[: weights.ECHO_WORDS][-1:]
    loud = sorted([(-each, term) for term, each in telling.items() if each >= least[0]])
    return {term: -each * rarity[term] for each, term in loud[: weights.ECHO_WORDS]}

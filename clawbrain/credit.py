"""The rule of credit: the score of a memory, what it earned by kind of question, and what a signal teaches.

A memory has an overall score, a belief in how likely it is to help, and evidence that is kept by the kind of the
question it was earned on. Two questions are of one kind in so far as they have the same best matches. A search ranks
by the evidence of questions like its own; reports, promotion, pruning and MEMORY.md go by the overall score.

Both move in log-odds, by how unexpected a signal is: praise where praise is usual teaches little, blame there
teaches much. Without signals, scores drift to a floor a little below the start, and evidence drifts to 0.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Kind = tuple[tuple[str, float], ...]  # of a question: at most three (memory id, weight); () where there was none

SIGNALS = {
    "task_completed": 0.5,
    "positive_feedback": 0.3,
    "tool_success": 0.1,
    "user_correction": -0.4,
    "session_abandoned": -0.2,
}
START = 0.5
FLOOR = 0.4
DRIFT_PER_DAY = 0.005
LEARNING_RATE = 0.4
DECAY_PER_DAY = {"entity": 0.002, "episode": 0.01}
FURTHEST = 3.0  # log-odds: scores stay within .047 and .953
_GENERAL = 0.2  # log-odds: what was learnt without a question decides between equals, and outweighs nothing else
_BEST = 3  # matches that make a kind
_MEMORY_OF_PRAISE = 0.995


@dataclass(frozen=True, slots=True)
class Credit:
    """The ledger's row of a memory, with its score as of now, drift included."""

    score: float = START
    access_count: int = 0
    created: str = ""
    last_accessed: str | None = None
    touched: str = ""  # the last signal, store or update: where drift counts from
    signals: int = 0
    stored_seq: int = 0


@dataclass(frozen=True, slots=True)
class Earned:
    """The evidence of one memory in log-odds as of now, drift included: without a question, and by kind of question."""

    general: float = 0.0
    by_kind: tuple[tuple[Kind, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Balance:
    """The praise and blame that the whole store has had; older signals count less."""

    praise: float = 0.0
    blame: float = 0.0

    @property
    def usual(self) -> float:
        """Return the share of praise to expect, from .25 to .75."""
        return min(0.75, max(0.25, (self.praise + 2) / (self.praise + self.blame + 4)))

    def after(self, reward: float) -> "Balance":
        """Return the balance with one more signal of this reward."""
        praise, blame = self.praise * _MEMORY_OF_PRAISE, self.blame * _MEMORY_OF_PRAISE
        return Balance(praise + max(0.0, reward), blame + max(0.0, -reward))


# Numbers


def clip(value: float, low: float, high: float) -> float:
    """Return the value, or the bound it lies beyond."""
    return min(high, max(low, value))


def logit(score: float) -> float:
    """Return the log-odds of a score."""
    score = clip(score, 1e-6, 1 - 1e-6)
    return math.log(score / (1 - score))


def sigmoid(x: float) -> float:
    """Return the score of log-odds."""
    return 1 / (1 + math.exp(-x))


def drift(score: float, days: float, per_day: float = DRIFT_PER_DAY, floor: float = FLOOR) -> float:
    """Return an overall score after so many days without a signal about it."""
    return floor + (score - floor) * math.exp(-per_day * max(0.0, days))


def faded(evidence: float, days: float, per_day: float = DRIFT_PER_DAY) -> float:
    """Return evidence in log-odds after so many days without a signal about it."""
    return evidence * math.exp(-per_day * max(0.0, days))


def effective(score: float, idle_days: float, per_day: float) -> float:
    """Return the worth of keeping a memory, which fades while nobody reads it. It is never stored or used in search."""
    return score * math.exp(-per_day * max(0.0, idle_days))


def merged(scores: Iterable[float]) -> float:
    """Return the score of a merge. The distances from START add up: untouched memories make an untouched one."""
    return clip(START + sum(score - START for score in scores), 0.05, 0.95)


# Kinds of questions


def kind_of(best: Sequence[tuple[str, float, float]]) -> Kind:
    """Return the kind of a question from its first four (or fewer) matches.

    `best` holds (id, unrounded relevance, content score), the best first. Each of the first three weighs by its lead
    over the fourth in relevance; where the first has none, by its lead in content score, else all weigh the same.
    """
    ids = [id for id, _, _ in best[:_BEST]]
    relevances = [relevance for _, relevance, _ in best]
    contents = [content for _, _, content in best]
    for leads in (_leads(relevances), _leads(contents)):
        if whole := sum(leads):
            return tuple((id, lead / whole) for id, lead in zip(ids, leads, strict=True) if lead)
    return tuple((id, 1 / len(ids)) for id in ids)


def _leads(scores: Sequence[float]) -> list[float]:
    """Return the leads of the first three over the fourth, which is 0 where there is none."""
    fourth = scores[_BEST] if len(scores) > _BEST else 0.0
    return [max(0.0, score - fourth) for score in scores[:_BEST]]


def alike(one: Kind, other: Kind) -> float:
    """Return how alike two questions are, from 0 (at most half of the weight in common) to 1 (all of it)."""
    common = 0.0
    for id, weight in one:  # plain loops are the fastest: a search compares hundreds
        for same, its in other:
            if id == same:
                common += weight if weight < its else its
    return clip(2 * common - 1, 0.0, 1.0) if common > 0.5 else 0.0


def for_question(earned: Earned, kind: Kind) -> float:
    """Return the credit of a memory for a question of this kind; .5 where nothing is known."""
    x = _log_odds(earned, kind)
    return sigmoid(x) if x else START


def explained(earned: Earned, kind: Kind) -> list[tuple[Kind, float, float]]:
    """Return the parts of a credit, the largest first: (earlier kind, how alike it is, what it adds in log-odds).

    What was learnt without a question has the kind () and is alike to every question.
    """
    parts = [(known, likeness, likeness * x) for known, x in earned.by_kind if (likeness := alike(known, kind))]
    if earned.general:
        parts.append(((), 1.0, _general(earned)))
    return sorted(parts, key=lambda part: -abs(part[2]))


def _log_odds(earned: Earned, kind: Kind) -> float:
    x = _general(earned)
    for known, evidence in earned.by_kind:
        if likeness := alike(known, kind):
            x += likeness * evidence
    return clip(x, -FURTHEST, FURTHEST)


def _general(earned: Earned) -> float:
    return clip(earned.general, -_GENERAL, _GENERAL) if earned.general else 0.0


# Signals


@dataclass(frozen=True, slots=True)
class Shown:
    """A turn that a signal is about: the kind of its question, what was shown in which order, and what was opened."""

    kind: Kind
    shown: Sequence[str]
    opened: Sequence[str]

    @property
    def ids(self) -> list[str]:
        """Return the ids of the turn's memories, each once."""
        return list(dict.fromkeys((*self.shown, *self.opened)))

    def kind_for(self, id: str) -> Kind:
        """Return the kind of question a memory is taught about; () for one that the question did not show."""
        return self.kind if id in self.shown else ()


@dataclass(frozen=True, slots=True)
class Step:
    """The part of a signal that one turn brings to one memory, with everything needed to compute it again."""

    id: str
    kind: Kind
    share: float
    expected: float


def shares(turn: Shown, named: Collection[str] = (), turns: int = 1) -> dict[str, float]:
    """Return the share of a signal that each memory of a turn takes; the others take none.

    `named` are the ids the signal names, `turns` the number of scored turns that hold one of them. Where none is
    named, what was shown and then opened counts as named, else the higher place counts for more; what was opened
    without having been shown has a share of its own.
    """
    if named:
        reached = [id for id in turn.ids if id in named]
        return {id: 1 / math.sqrt(len(reached) * turns) for id in reached}
    used = [id for id in turn.shown if id in turn.opened]
    alone = [id for id in turn.ids if id not in turn.shown]
    by_use = {id: 1 / math.sqrt(len(used)) for id in used} or _by_place(turn.shown)
    return by_use | {id: 1 / math.sqrt(len(alone)) for id in alone}


def _by_place(shown: Sequence[str]) -> dict[str, float]:
    norm = math.sqrt(sum(1 / place**2 for place in range(1, len(shown) + 1)))
    return {id: 1 / place / norm for place, id in enumerate(shown, 1)}


def expected(turn: Shown, earned: Mapping[str, Earned], balance: Balance) -> float:
    """Return how likely praise was, given the credit of what the turn showed. `earned` lacks memories that are gone."""
    known = [_log_odds(earned[id], turn.kind_for(id)) for id in turn.ids if id in earned]
    return sigmoid(logit(balance.usual) + sum(known) / max(1, len(known)))


def learn(turns: Sequence[Shown], named: Collection[str], earned: Mapping[str, Earned], balance: Balance) -> list[Step]:
    """Return the steps of one signal, turn by turn, for the memories in `earned`.

    `turns` are those it scores. With names, a turn that holds none of them moves nothing; each turn has its own
    expectation, all of them as of before the signal.
    """
    teaching = [turn for turn in turns if not named or not set(named).isdisjoint(turn.ids)]
    steps = []
    for turn in teaching:
        expectation = expected(turn, earned, balance)
        for id, share in shares(turn, named, len(teaching)).items():
            if id in earned:
                steps.append(Step(id, turn.kind_for(id), share, expectation))
    return steps


def step(reward: float, share: float, expected: float, rate: float = LEARNING_RATE) -> float:
    """Return how far a share of a signal moves, in log-odds."""
    return rate * 2 * abs(reward) * share * ((1 if reward > 0 else 0) - expected)


def moved(score: float, step: float) -> float:
    """Return an overall score after a step.

    It is never moved against the sign of the step, though a merge may have left it beyond the bounds.
    """
    new = sigmoid(clip(logit(score) + step, -FURTHEST, FURTHEST))
    return max(score, new) if step > 0 else min(score, new)

"""What a signal does to scores.

A score is a belief: how likely is it that this memory helps when it is shown? It moves in log-odds, by the
surprise of what happened: praise where praise is usual teaches little, blame there teaches much. What the
agent names as used learns more than what was merely shown. Scores that nobody speaks about drift to a
floor a little below the start, so that old fame fades and newcomers get their turn.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

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
_FURTHEST = 3.0  # log-odds: scores stay within .047 and .953
_MEMORY_OF_PRAISE = 0.995


@dataclass(frozen=True, slots=True)
class Credit:
    """A memory's row in the ledger; its score as it is now, drift included."""

    score: float = START
    access_count: int = 0
    created: str = ""
    last_accessed: str | None = None
    touched: str = ""  # the last signal, store or update: where drift counts from
    signals: int = 0
    stored_seq: int = 0


@dataclass(frozen=True, slots=True)
class Balance:
    """How much praise and blame the whole store has had, the older the fainter."""

    praise: float = 0.0
    blame: float = 0.0

    @property
    def usual(self) -> float:
        """The share of praise to expect."""
        return min(0.75, max(0.25, (self.praise + 2) / (self.praise + self.blame + 4)))

    def after(self, reward: float) -> "Balance":
        praise, blame = self.praise * _MEMORY_OF_PRAISE, self.blame * _MEMORY_OF_PRAISE
        return Balance(praise + max(0.0, reward), blame + max(0.0, -reward))


def drift(score: float, days: float, per_day: float = DRIFT_PER_DAY, floor: float = FLOOR) -> float:
    return floor + (score - floor) * math.exp(-per_day * max(0.0, days))


def effective(score: float, idle_days: float, per_day: float) -> float:
    """What a memory is worth keeping for: fades while nobody looks. Never stored, never used in search."""
    return score * math.exp(-per_day * max(0.0, idle_days))


def merged(scores: Iterable[float]) -> float:
    """Only what was earned adds up: three untouched memories make an untouched one, not a star."""
    return clip(START + sum(score - START for score in scores), 0.05, 0.95)


def clip(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))


def logit(score: float) -> float:
    score = clip(score, 1e-6, 1 - 1e-6)
    return math.log(score / (1 - score))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def shares(reward: float, shown: Collection[str], used: Collection[str]) -> dict[str, float]:
    """Praise goes to what was used, if anything was named; blame reaches all that was shown."""
    reached = used if reward > 0 and used else shown
    return {id: 1 / math.sqrt(len(reached)) for id in shown if id in reached}


def expected(scores: Collection[float], balance: Balance) -> float:
    """How likely praise was, given what was shown."""
    mean = sum(map(logit, scores)) / len(scores)
    return sigmoid(logit(balance.usual) + mean)


def moved(score: float, reward: float, share: float, expectation: float, rate: float = LEARNING_RATE) -> float:
    surprise = (1 if reward > 0 else 0) - expectation
    x = logit(score) + rate * 2 * abs(reward) * share * surprise
    new = sigmoid(clip(x, -_FURTHEST, _FURTHEST))
    # A score that came from elsewhere (a merge) may lie beyond the bounds: never move it against the sign.
    return max(score, new) if reward > 0 else min(score, new)


@dataclass(frozen=True, slots=True)
class Lesson:
    """The new scores of what a signal reached, and all it takes to replay them."""

    scores: Mapping[str, float]
    shares: Mapping[str, float]
    expected: float


def learn(
    scores: Mapping[str, float],
    reward: float,
    used: Collection[str],
    balance: Balance,
    rate: float = LEARNING_RATE,
) -> Lesson:
    """What one signal teaches about the memories of the turns it scores, by their drifted scores."""
    if not scores:
        return Lesson({}, {}, balance.usual)
    expectation = expected(scores.values(), balance)
    weights = shares(reward, scores.keys(), used)
    return Lesson(
        {id: moved(scores[id], reward, share, expectation, rate) for id, share in weights.items()},
        weights,
        expectation,
    )

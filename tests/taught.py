"""One question asked again and again in a fresh store, by the rule of credit alone: how many signals it takes."""

from clawbrain import credit_evidence
from clawbrain.credit import SIGNALS, START, Balance, Earned, Kind, Shown, for_question, learn, moved, step
from clawbrain.credit_evidence import Change, EvidenceRow

ONE, AT = "one", "2026-06-01T00:00:00Z"


class Taught:
    """One question asked again and again in a fresh store; the first of its matches is watched."""

    def __init__(self, shown: int = 1, named: bool = False) -> None:
        ids = [ONE, *(f"other-{n}" for n in range(1, shown))]
        self.kind: Kind = ((ONE, 1.0),)
        self.turn, self.used = Shown(self.kind, ids, ()), {ONE} if named else set()
        self.scores, self.balance = dict.fromkeys(ids, START), Balance()
        self.rows: dict[str, list[EvidenceRow]] = {id: [] for id in ids}
        self.said = 0

    def signal(self, signal: str) -> None:
        """Say how a turn went."""
        reward = SIGNALS[signal]
        earned = {id: self.earned(id) for id in self.rows}
        for each in learn([self.turn], self.used, earned, self.balance):
            moves = step(reward, each.share, each.expected)
            self.scores[each.id] = moved(self.scores[each.id], moves)
            change = Change(self.said, each.id, signal, AT)
            self.rows[each.id], _ = credit_evidence.taught(self.rows[each.id], each.kind, moves, change)
        self.balance, self.said = self.balance.after(reward), self.said + 1

    @property
    def credit(self) -> float:
        """The credit of the watched memory for this question."""
        return for_question(self.earned(ONE), self.kind)

    def earned(self, id: str) -> Earned:
        """Return the evidence of a memory; no time passes."""
        return Earned(by_kind=tuple((row.kind, row.x) for row in self.rows[id]))


def signals_until(signal: str, bound: float, shown: int = 1, named: bool = False) -> int:
    """Return how often it must be said until the credit for the question is beyond a bound."""
    taught = Taught(shown, named)
    while (taught.credit <= bound) if SIGNALS[signal] > 0 else (taught.credit >= bound):
        taught.signal(signal)
    return taught.said

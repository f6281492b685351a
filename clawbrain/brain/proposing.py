"""Proposals: what a person stated as lasting, until they accept it as a memory or dismiss it.

The prompt hook only notes what it noticed, since a person waits for it. `tidy` weighs that later: what is not worth a
decision is left out, the rest gets a number. Nothing here becomes a memory unless the person says so.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .. import contradictions, words
from ..errors import AlreadyExists, NotFound
from ..memory.model import Memory, moment, stamp
from ..proposals.naming import CATEGORIES, name_of, tags_of
from ..storage.candidates import Filter
from ..storage.noticed import Noticed
from ..storage.proposal_rows import ProposalRow
from .noticing import SESSION_LASTS

if TYPE_CHECKING:
    from . import Brain
    from .results import Stored

MOST_WAITING = 20
WAITS = timedelta(days=30)
_COMPARED, _LIKE = 20, 3  # memories that a proposal is compared with, and that are named as like it
_SHARED = 0.4  # of a sentence's words, in one claim of a memory that is like it

_DENIAL = re.compile(r"\b(?:never|not|instead of|rather than|over|no)\b", re.IGNORECASE)


class Proposal(NamedTuple):
    """A proposal that waits, with the ids of the memories that it is like and of those that it contradicts."""

    n: int
    sentence: str
    kind: str
    name: str
    tags: Sequence[str]
    said_at: str
    session: str
    like: Sequence[str] = ()
    contradicts: Sequence[str] = ()


class Proposals:
    """The proposals of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    # Weighing

    def tidy(self, *, began: str | None = None, ended: str | None = None) -> None:
        """Make proposals of what was noticed, and let go of those that have waited too long.

        A wish counts when its session is over: it `ended`, another one `began`, or an hour has passed.
        """
        brain = self.brain
        if brain.read_only:
            return
        now = brain.clock()
        if brain.noticed.waiting():
            ripe = partial(_is_ripe, now=now, began=began, ended=ended)
            with suppress(OSError):  # a home that cannot be written
                brain.noticed.move(ripe, self._propose)
        old = [row for row in brain.ledger.proposals() if now - moment(row.proposed_at) >= WAITS]
        if old:
            brain.note(lambda: self._drop(old))

    def _propose(self, statements: Sequence[Noticed]) -> None:
        """Add a proposal for each statement that is new: nobody dismissed it, none waits, and no memory says it."""
        ledger, now = self.brain.ledger, stamp(self.brain.clock())
        waiting = {_hash(row.sentence) for row in ledger.proposals()}
        fresh: dict[str, ProposalRow] = {}
        for each in statements:
            hash = _hash(each.sentence)
            if hash in waiting or ledger.is_dismissed(hash) or self._is_said(each):
                continue
            name, tags = name_of(each.sentence, each.kind), tags_of(each.sentence, each.kind)
            fresh.setdefault(
                hash, ProposalRow(each.sentence, each.kind, name, tags, each.at, each.session, each.strength, now)
            )
        if fresh:
            self.brain.note(lambda: self._add(fresh))

    def _add(self, fresh: Mapping[str, ProposalRow]) -> None:
        for row in fresh.values():
            self.brain.ledger.add_proposal(row)
        rows = sorted(self.brain.ledger.proposals(), key=lambda row: (-row.strength, -row.n))
        self._drop(rows[MOST_WAITING:])

    def _drop(self, rows: Iterable[ProposalRow]) -> None:
        for row in rows:
            self.brain.ledger.drop_proposal(row.n)

    def _is_said(self, statement: Noticed) -> bool:
        """Tell whether a memory says a statement already: its words, in their order, and nothing against it."""
        said = [*words.content_terms(statement.sentence)]
        return any(
            any(_in_order(said, words.content_terms(claim)) for claim in contradictions.claims(memory.content))
            and not _contradicts(statement, memory)
            for memory in self._near(statement.sentence)
        )

    def _near(self, sentence: str) -> list[Memory]:
        return self.brain.index.sharing({*words.content_terms(sentence)}, Filter(), _COMPARED)

    # Deciding

    def waiting(self) -> int:
        """Return how many proposals wait for the person."""
        return self.brain.ledger.proposals_waiting()

    def listed(self) -> list[Proposal]:
        """Return the proposals that wait, in the order of their numbers, each compared with the memories of now."""
        self.tidy()
        return [self._compared(row) for row in self.brain.ledger.proposals()]

    def _compared(self, row: ProposalRow) -> Proposal:
        near = self._near(row.sentence)
        against = [memory.id for memory in near if _contradicts(row, memory)]
        shares = [(_share(row.sentence, memory), memory.id) for memory in near]
        like = [id for share, id in sorted(shares, reverse=True) if share >= _SHARED and id not in against]
        return Proposal(row.n, *row[:6], like=like[:_LIKE], contradicts=against)

    def accept(self, number: int, name: str = "", category: str = "", tags: Sequence[str] = ()) -> "Stored":
        """Make a memory of a proposal, under another name, category and tags where they are given.

        Raises NotFound, Invalid, AlreadyExists.
        """
        row = self._get(number)
        category, tags = category or CATEGORIES[row.kind], tags or row.tags
        store = partial(self.brain.store, "entity", content=row.sentence, category=category, tags=tags)
        stored = store(name) if name else _under_a_free_name(row.name, store)
        self.brain.note(lambda: self._drop([row]))
        return stored

    def dismiss(self, number: int) -> ProposalRow:
        """Let go of a proposal, and never propose the same again. Raises NotFound."""
        self.brain.may_write()
        row = self._get(number)
        with self.brain.deciding():
            self.brain.ledger.dismiss_claim(_hash(row.sentence), stamp(self.brain.clock()))
            self._drop([row])
        return row

    def _get(self, number: int) -> ProposalRow:
        self.tidy()
        for row in self.brain.ledger.proposals():
            if row.n == number:
                return row
        raise NotFound(f"proposal {number} is not found; `clawbrain proposals` lists those that wait.")


def _is_ripe(noticed: Noticed, now: datetime, began: str | None, ended: str | None) -> bool:
    if not noticed.wish or now - moment(noticed.at) >= SESSION_LASTS:
        return True
    return noticed.session == ended or (began is not None and noticed.session != began)


def _under_a_free_name(name: str, store: "Callable[[str], Stored]") -> "Stored":
    """Store under a name or, where it is taken, the same with a number."""
    for number in range(1, 100):
        try:
            return store(name if number == 1 else f"{name}-{number}")
        except AlreadyExists as error:
            taken = error
    raise taken


def _hash(sentence: str) -> str:
    return contradictions.claim_hash(sentence.rstrip(" .!。！"))


def _in_order(said: Sequence[str], claim: Iterable[str]) -> bool:
    rest = iter(claim)
    return bool(said) and all(term in rest for term in said)


def _share(sentence: str, memory: Memory) -> float:
    """Return the largest part of a sentence's words that one claim of a memory has."""
    said = {*words.content_terms(sentence)}
    title = {*words.content_terms(memory.name)}
    claims = [{*words.content_terms(claim)} for claim in contradictions.claims(memory.content)]
    return max((len(said & (claim | title)) / len(said) for claim in claims), default=0.0) if said else 0.0


def _contradicts(statement: Noticed | ProposalRow, memory: Memory) -> bool:
    """Tell whether a memory of the same category cannot be true beside a statement."""
    category = CATEGORIES[statement.kind]
    if memory.type != "entity" or memory.category != category:
        return False
    about_one = category == "preferences"
    if contradictions.contradictions(statement.sentence, memory.content, one_subject=about_one):
        return True
    return any(_is_turned_round(statement.sentence, claim) for claim in contradictions.claims(memory.content))


def _is_turned_round(sentence: str, claim: str) -> bool:
    """Tell whether a claim has a sentence's words in another order: "pnpm, never npm" and "npm, never pnpm"."""
    said, other = words.content_terms(sentence), words.content_terms(claim)
    return bool(_DENIAL.search(sentence) and _DENIAL.search(claim)) and said != other and sorted(said) == sorted(other)

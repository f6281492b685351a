"""Search: the index finds the candidates for a question, the ledger adds the order of storing and the evidence, and
search/ ranks them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from .. import semantic
from ..memory.model import Memory
from ..search import like_words, weights
from ..search.bm25 import Wanted, Weighing
from ..search.evidence import Document, Evidence
from ..search.question import Question, begins_a_word, read_question
from ..search.rank import Match, Ranking, listed, rank
from ..search.snippet import SNIPPET, Sought, snippet
from ..storage.candidates import Filter, families
from ..words import plain, terms
from .results import Hit, Ranked

_SUPERSEDED = "(superseded) "

if TYPE_CHECKING:
    from . import Brain


class Searching:
    """Searches in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def search(self, query: str, among: Filter, limit: int, *, scan: bool) -> Ranked:
        """Return the memories that fit a filter and answer a query, best first; an empty query lists the newest.

        Without `scan` the answer comes from the last scan of the files, by words alone and as they are spelt: for
        callers that must not wait.
        """
        question = read_question(query, self.brain.clock().date())
        if question.empty:
            return self._newest(among, limit)
        opened = self.brain.index.openings
        evidence = self._evidence(question, among, scan=scan)
        if scan and self.brain.index.openings != opened:  # the index was broken and has been replaced by an empty one
            self.brain.sync(now=True)
            evidence = self._evidence(question, among, scan=scan)
        evidence = replace(evidence, order=self.brain.ledger.places(evidence.documents))
        earned = self.brain.earned(evidence.documents)
        return self._shown(question, evidence, rank(question, evidence, earned, limit))

    def matching(self, text: str) -> list[Memory]:
        """Return the memories that may say the same as a text, in no particular order."""
        self.brain.sync()
        question = read_question(text, self.brain.clock().date())
        found = {} if question.empty else self._evidence(question, Filter(), scan=False).documents
        return list(self.brain.index.several(found).values())

    def shares(self, query: str, texts: Iterable[str]) -> list[float]:
        """Return how much of a query each text holds: the share of its words' weight, a like word counting in part.

        A text that holds the query word for word holds all of it.
        """
        question = read_question(query, self.brain.clock().date())
        lexicon = self.brain.index.lexicon(question)
        wanted = like_words.wanted(question, lexicon, families())
        weighing = Weighing(question.terms, wanted, lexicon.statistics)
        whole = sum(weighing.told.values()) or 1.0

        def share(text: str) -> float:
            if begins_a_word(question.plain, plain(text)):
                return 1.0
            held = weighing.frequencies(dict.fromkeys(terms(text), 1))
            return sum(weighing.told[term] * min(1.0, part) for term, part in held.items()) / whole

        return [share(text) for text in texts]

    def _evidence(self, question: Question, among: Filter, *, scan: bool) -> Evidence:
        lexicon = self.brain.index.lexicon(question, spelling=scan)
        return self.evidence(question, like_words.wanted(question, lexicon, families()), among, scan=scan)

    def evidence(self, question: Question, wanted: Wanted, among: Filter, *, scan: bool) -> Evidence:
        """Return what this home has for a question of which these words are wanted."""
        index = self.brain.index
        likeness = index.likeness(question) if scan and semantic.installed() else semantic.NOTHING
        evidence = index.evidence(question, wanted, among, likeness)
        neighbours = self.brain.ledger.neighbours(evidence.documents)
        strong = islice(evidence.documents, weights.STRONG)
        unseen = {other for id in strong for other in neighbours.get(id, ())}.difference(evidence.documents)
        documents: Mapping[str, Document] = evidence.documents
        if unseen:
            documents = {**documents, **index.beside(unseen, wanted, among, likeness)}
        total = len(documents) if among.only else evidence.total  # those that share a word are counted already
        return replace(evidence, documents=documents, neighbours=neighbours, total=total)

    def _newest(self, among: Filter, limit: int) -> Ranked:
        newest, total = self.brain.index.newest(among, limit)
        earned = self.brain.earned([memory.id for memory in newest])
        matches = [listed(memory.id, earned) for memory in newest]
        nothing = Sought()
        hits = [hit_of(memory, match, nothing, nothing) for memory, match in zip(newest, matches, strict=True)]
        return Ranked(hits, total, ())

    def _shown(self, question: Question, evidence: Evidence, ranking: Ranking) -> Ranked:
        """Return the matches as hits with snippets, without memories that are gone by now."""
        memories = self.brain.index.several([match.id for match in ranking.matches])
        asked = Sought(question.terms)
        instead = Sought({word for words in evidence.wanted.values() for word in words})
        found = [(memories[match.id], match) for match in ranking.matches if match.id in memories]
        return Ranked([hit_of(*each, asked, instead) for each in found], ranking.total, ranking.kind)


def hit_of(memory: Memory, match: Match, asked: Sought, instead: Sought) -> Hit:
    """Return a match as a hit, with the passage of its memory that holds most of the words asked for.

    A superseded one says so, as it may stand before what holds now.
    """
    mark = _SUPERSEDED if memory.superseded else ""
    return Hit(
        id=memory.id,
        name=memory.name,
        type=memory.type,
        snippet=mark + snippet(memory.content, asked, instead, SNIPPET - len(mark)),
        credit=match.credit,
        relevance=match.relevance,
        combined=match.combined,
        parts=match.parts,
    )

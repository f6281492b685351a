"""Search in several homes as in one: their evidence is put together before anything is ranked.

The words of a question weigh by how many memories of all homes hold them, and the best score is the best of all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations
from operator import add
from typing import TYPE_CHECKING

from ..credit import Earned
from ..memory.model import Memory, stamp
from ..search import like_words, rules, weights
from ..search.bm25 import Wanted
from ..search.evidence import Document, Evidence
from ..search.question import Question, read_question
from ..search.rank import Match, listed, rank
from ..search.snippet import Sought
from ..storage.candidates import Filter, families
from .layer_set import Layer, LayerSet, Place
from .results import Hit, Ranked
from .searching import Searching, hit_of

if TYPE_CHECKING:
    from .layered import LayeredBrain

_COMPARED = 10  # of the best matches, between which contradictions are looked for
_READ = 10_000  # characters of a memory that are compared
_FAR_BELOW = 1 << 40  # between the places of storing of two homes


class LayeredSearching(Searching):
    """Searches in all layers of a brain."""

    def __init__(self, brain: "LayeredBrain", layers: LayerSet) -> None:
        super().__init__(brain)
        self.layers = layers

    def search(self, query: str, among: Filter, limit: int, *, scan: bool) -> Ranked:
        """Return the memories of all layers that fit a filter and answer a query, best first."""
        question = read_question(query, self.brain.clock().date())
        if question.empty:
            return self._newest(among, limit)
        opened = self._openings()
        evidence, places = self._joined(question, among, scan=scan)
        if scan and self._openings() != opened:  # an index was broken and has been replaced by an empty one
            self.brain.sync(now=True)
            evidence, places = self._joined(question, among, scan=scan)
        ranking = rank(question, evidence, self._earned(places), limit, more=max(0, _COMPARED - limit))
        found = self._memories(match.id for match in ranking.matches)
        matches = [match for match in ranking.matches if match.id in found]
        matches, rivals = _nearer_first(matches, found, self.layers)
        asked = Sought(question.terms)
        instead = Sought({word for words in evidence.wanted.values() for word in words})
        hits = [self._hit(match, found[match.id], asked, instead, rivals) for match in matches[:limit]]
        return Ranked(hits, ranking.total, ranking.kind)

    def _openings(self) -> list[int]:
        return [layer.brain.index.openings for layer in self.layers]

    def _hit(
        self, match: Match, found: tuple[Layer, Memory], asked: Sought, instead: Sought, rivals: Mapping[str, str]
    ) -> Hit:
        layer, memory = found
        hit = hit_of(memory, match, asked, instead)
        return hit._replace(id=match.id, layer=layer.name, contradicted_by=rivals.get(match.id, ""))

    def _memories(self, served: Iterable[str]) -> dict[str, tuple[Layer, Memory]]:
        """Return the memories of these served ids, each with its layer, without those that are gone by now."""
        found = {}
        for layer, own in self.layers.by_layer(list(served)):
            for id, memory in layer.brain.index.several(own).items():
                found[own[id]] = (layer, memory)
        return found

    # Evidence

    def _joined(self, question: Question, among: Filter, *, scan: bool) -> tuple[Evidence, dict[str, Place]]:
        """Return the evidence of all layers by served ids, and the places of the memories."""
        lexicon = reduce(add, [layer.brain.index.lexicon(question, spelling=scan) for layer in self.layers])
        wanted = like_words.wanted(question, lexicon, families())
        places: dict[str, Place] = {}
        parts: list[Evidence] = []
        for layer in self.layers:
            own = layer.brain.searching.evidence(question, wanted, among, scan=scan)
            served = self.layers.served(layer, own.documents)
            places |= {served[id]: Place(layer, id) for id in own.documents}
            order = _after_all_farther(layer, own, self.layers.nearness(layer))
            parts.append(_renamed(replace(own, order=order), served))
        return _without_far_fetched(question, wanted, reduce(add, parts)), places

    def _earned(self, places: Mapping[str, Place]) -> dict[str, Earned]:
        """Return what these memories have earned in their own homes; kinds name memories by their served ids."""
        now, decay = stamp(self.brain.clock()), self.brain.policy.settings().decay
        served = {place.absolute: id for id, place in places.items()}
        earned = {}
        for layer in self.layers:
            own = {place.id: id for id, place in places.items() if place.layer is layer}
            for id, each in layer.brain.scores.earned(own, now, decay).items():
                by_kind = tuple((self.layers.kind_from(layer, kind, served), x) for kind, x in each.by_kind)
                earned[own[id]] = Earned(each.general, by_kind)
        return earned

    # Without a question

    def _newest(self, among: Filter, limit: int) -> Ranked:
        found: list[tuple[Layer, str, Memory]] = []
        total = 0
        for layer in self.layers:
            newest, number = layer.brain.index.newest(among, limit)
            served = self.layers.served(layer, [memory.id for memory in newest])
            found += [(layer, served[memory.id], memory) for memory in newest]
            total += number
        found.sort(key=lambda each: each[1])
        found.sort(key=lambda each: each[2].updated, reverse=True)
        places = {id: Place(layer, memory.id) for layer, id, memory in found[:limit]}
        earned, nothing = self._earned(places), Sought()
        hits = [
            self._hit(listed(id, earned), (layer, memory), nothing, nothing, {}) for layer, id, memory in found[:limit]
        ]
        return Ranked(hits, total, ())


def _after_all_farther(layer: Layer, own: Evidence, nearness: int) -> dict[str, int]:
    """Return a home's order of storing as places that come after those of all farther homes.

    Between homes there is no order of storing, so of two memories of one date the nearer counts as the later one.
    """
    begin = nearness * 2 * _FAR_BELOW
    known = layer.brain.ledger.places(own.documents)
    unmet = {id: _FAR_BELOW + document.row for id, document in own.documents.items() if id not in known}
    return {id: begin + place for id, place in {**known, **unmet}.items()}


def _renamed(evidence: Evidence, served: Mapping[str, str]) -> Evidence:
    """Return evidence by served ids."""
    if all(id == name for id, name in served.items()):
        return evidence
    documents = {served[id]: replace(document, id=served[id]) for id, document in evidence.documents.items()}
    neighbours = {
        served.get(id, id): [served[other] for other in others if other in served]
        for id, others in evidence.neighbours.items()
    }
    order = {served[id]: place for id, place in evidence.order.items()}
    return replace(evidence, documents=documents, neighbours=neighbours, order=order)


def _without_far_fetched(question: Question, wanted: Wanted, evidence: Evidence) -> Evidence:
    """Return the evidence without what one home that holds all memories would not have looked for.

    Memories that share only like words are searched where few share a word; each home alone has judged that for itself.
    """
    own = {word for words in wanted.values() for word, weight in words.items() if weight == 1.0}
    documents = evidence.documents
    sharing = {id for id, document in documents.items() if not own.isdisjoint(document.counts)}
    literal = any(document.literal for document in documents.values())
    if not literal and len(sharing) < weights.RESCORED:
        return evidence
    kept = {id: each for id, each in documents.items() if id in sharing or _is_meant(question, each)}
    return replace(evidence, documents=kept, total=evidence.total - len(documents) + len(kept))


def _is_meant(question: Question, document: Document) -> bool:
    """Tell whether a memory that shares no word with a question matches it all the same."""
    made_then = bool(question.dates) and rules.made_then(question, document.created)
    return bool(document.literal) or document.cosine >= weights.SURE or made_then


def _nearer_first(
    matches: Sequence[Match], found: Mapping[str, tuple[Layer, Memory]], layers: LayerSet
) -> tuple[list[Match], dict[str, str]]:
    """Return the matches and, by id, what contradicts them.

    Of two that contradict the nearer goes before the farther, which is the contradicted one.
    """
    rivals: dict[str, str] = {}
    ordered = list(matches)
    for one, other in combinations([match.id for match in matches[:_COMPARED]], 2):
        nearer, farther = sorted((one, other), key=lambda id: -layers.nearness(found[id][0]))
        if farther in rivals or not _contradict(*found[nearer], *found[farther]):
            continue
        rivals[farther] = nearer
        ids = [match.id for match in ordered]
        if ids.index(nearer) > ids.index(farther):
            ordered.insert(ids.index(farther), ordered.pop(ids.index(nearer)))
    return ordered, rivals


def _contradict(layer: Layer, memory: Memory, its_layer: Layer, other: Memory) -> bool:
    """Tell whether two entities of different homes and one category make claims that cannot both hold."""
    if layer is its_layer or {memory.type, other.type} != {"entity"} or memory.category != other.category:
        return False
    from .. import contradictions  # takes time to import, and few answers need it

    one_subject = memory.category == "preferences"  # all of them are about the same person
    names = (memory.name, other.name)
    texts = (memory.content[:_READ], other.content[:_READ])
    return bool(contradictions.contradictions(*texts, one_subject=one_subject, names=names))

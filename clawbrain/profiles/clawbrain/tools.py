"""clawbrain's own tools: each method calls one verb of the brain and turns its result into the published answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...brain import Brain
from ...brain.results import Ranked
from ...layers import PROJECT

CONTRADICTIONS_SHOWN = 5
MESSAGES_SHOWN = 20
LONGEST_SAID = 600  # characters of a message that are handed over


class Profile:
    """clawbrain's own tools; each public method is one of them."""

    progress: Callable[[int, int, str], None] | None = None
    """A caller may put a function here that hears how far a long tool has come."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    def memory_store(
        self,
        type: str,
        name: str,
        content: str,
        category: str | None = None,
        tags: Sequence[str] = (),
        pinned: bool = False,
        created: str = "",
        scope: str = PROJECT,
    ) -> dict[str, Any]:
        """Store a memory. Only the command line gives `created`; tools take `scope` where layers are served."""
        words = {"category": category, "tags": tuple(tags), "pinned": pinned, "created": created}
        stored = self._brain.store_in(scope, type, name, content, **words)
        answer: dict[str, Any] = {"id": stored.memory.id, "path": stored.memory.path, "created": True}
        answer |= _layer(stored.layer)
        if stored.similar:
            answer["similar"] = [{"id": id, "score": _score(score)} for id, score in stored.similar]
        return self._answer(answer | self._contradictions(stored.contradictions))

    def memory_retrieve(self, id: str) -> dict[str, Any]:
        memory, credit = (found := self._brain.retrieve(id)).memory, found.credit
        if memory.superseded:
            self._brain.warn(f"'{memory.id}' is superseded, as its header says: search for what holds now.")
        return self._answer(
            {
                "id": memory.id,
                "type": memory.type,
                "category": memory.category,
                "name": memory.name,
                "content": memory.content,
                "tags": list(memory.tags),
                "credit_score": _score(credit.score),
                "access_count": credit.access_count,
                "created_at": memory.created,
                "last_accessed": credit.last_accessed,
                "pinned": memory.pinned,
                **_layer(found.layer),
            }
        )

    def memory_search(self, query: str, type: str | None = None, limit: int = 5) -> dict[str, Any]:
        ranked = self._brain.search(query, type=type, limit=limit)
        return self._answer(search_results(ranked))

    def memory_update(self, id: str, content: str, by_person: bool = False) -> dict[str, Any]:
        """Replace a memory's text. No tool takes `by_person`; the command line does."""
        done = self._brain.owner.edit(id, content) if by_person else self._brain.update(id, content)
        answer = {"id": done.id, "updated": done.changed, "previous_updated_at": done.previous_updated}
        return self._answer(answer | self._contradictions(done.contradictions))

    def memory_delete(self, id: str) -> dict[str, Any]:
        put = self._brain.archive(id)
        return self._answer({"id": put.id, "archived": True, "archive_path": put.path})

    def credit_report(self, top_n: int = 10) -> dict[str, Any]:
        report = self._brain.report(top_n=top_n)
        return self._answer(
            {
                "total_memories": report.total_memories,
                "avg_score": _score(report.avg_score),
                "top": _rows(report.top),
                "bottom": _rows(report.bottom),
                "prune_candidates": report.prune_candidates,
                "last_consolidation": report.last_consolidation,
                "last_pruning": report.last_pruning,
            }
        )

    def memory_compact(self) -> dict[str, Any]:
        run = self._brain.compact(progress=self.progress)
        answer = {"consolidated": run.merged, "promoted": run.promoted, "pruned": run.archived}
        return self._answer(answer | {"details": list(run.details)})

    def memory_feedback(self, signal: str, used_ids: Sequence[str] = ()) -> dict[str, Any]:
        feedback = self._brain.feedback(signal, used_ids=tuple(used_ids))
        moved = [
            {"id": move.id, "old_score": _score(move.old_score), "new_score": _score(move.new_score)}
            for move in feedback.updated
        ]
        return self._answer({"signal": feedback.signal, "memories": feedback.memories, "updated": moved})

    def conversation_search(
        self, query: str, since: str = "", until: str = "", conversation: str = "", limit: int = 5
    ) -> dict[str, Any]:
        """Return messages with all words of a query, each cut around the first of them; with the extra only."""
        from ...search.snippet import Sought, snippet
        from ...words import terms

        found = self._brain.history.search(
            query, since=since, until=until, conversation=conversation, limit=max(1, min(MESSAGES_SHOWN, limit))
        )
        sought = Sought(terms(query))
        messages = [
            {
                "conversation": each.conversation,
                "title": each.title,
                "source": each.source,
                "role": each.role,
                "said_at": each.created,
                "content": snippet(each.content, sought, Sought(), LONGEST_SAID),
            }
            for each in found
        ]
        return self._answer({"messages": messages})

    def _contradictions(self, found: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Return the first contradictions as part of an answer, and warn that there are more."""
        listed = [{"id": id, "description": description} for id, description in found[:CONTRADICTIONS_SHOWN]]
        if more := len(found) - len(listed):
            noun = "contradiction" if more == 1 else "contradictions"
            self._brain.warn_first([f"and {more} more {noun}: `clawbrain conflicts list` shows them all."])
        return {"contradictions": listed} if listed else {}

    def _answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Add the brain's first warnings to an answer."""
        warnings = self._brain.first_warnings()
        return answer | {"warnings": warnings} if warnings else answer


def resource(brain: Brain, uri: str) -> str:
    """Return the text behind memory://digest, memory://strategy or memory://ID."""
    match id := uri.removeprefix("memory://"):
        case "digest":
            return brain.digest_text()
        case "strategy":
            return brain.strategy_text()
    return brain.find(id).content


def search_results(ranked: Ranked) -> dict[str, Any]:
    """Return the published answer to a search."""
    results = [
        {
            "id": hit.id,
            "name": hit.name,
            "type": hit.type,
            "snippet": hit.snippet,
            "credit_score": _score(hit.credit),
            "relevance_score": _score(hit.relevance),
            "combined_score": _score(hit.combined),
            **_layer(hit.layer),
            **({"contradicted_by": hit.contradicted_by} if hit.contradicted_by else {}),
        }
        for hit in ranked.hits
    ]
    return {"results": results, "total_matches": ranked.total}


def _layer(name: str) -> dict[str, str]:
    """Return the layer of a memory as part of an answer; one of the home that is served first has none."""
    return {"layer": name} if name else {}


def _rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [
        {"id": row.id, "name": row.name, "score": _score(row.score), "access_count": row.access_count} for row in rows
    ]


def _score(number: float) -> float:
    return round(number, 4)

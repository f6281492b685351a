"""The part `search`: quality and time of the search on each collection, beside two plain baselines."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.baselines import Bm25, Fts5
from bench.collections import Document, Source, Store, located
from bench.measure import MEASURES, Figures, Row, asked, interval, mean, newer_first, say, summary
from bench.product import SETTLED, Search, by_meaning, filled, searching, settle

OURS = "ours"
BASELINES: dict[str, Callable[[Sequence[Document]], Search]] = {"BM25": Bm25, "FTS5": Fts5}
SYSTEMS = (OURS, *BASELINES)
COMPARED = {"recall@10": "recall_10", "MRR": "reciprocal"}


@dataclass
class Measured:
    """One collection: how large it is, and the rows of each search."""

    source: Source
    documents: int = 0
    rows: dict[str, list[Row]] = field(default_factory=lambda: {system: [] for system in SYSTEMS})
    newer_first: dict[str, list[bool]] = field(default_factory=lambda: {system: [] for system in SYSTEMS})

    def add(self, store: Store, system: str, rows: list[Row]) -> None:
        """Take in the rows of one store."""
        self.rows[system] += rows
        self.newer_first[system] += newer_first(store, rows)


def report(sources: Sequence[Source], data: Path | None, settled: float = SETTLED) -> dict[str, Any]:
    """Measure the collections that are there, print the table, and return all figures.

    Args:
        sources: the collections to ask.
        data: the folder below which their files lie.
        settled: how many seconds after storing a store is asked.
    """
    found = []
    print("searching by words and by meaning (the extra [semantic])" if by_meaning() else "searching by words")
    print(_line("", "texts", "asked", *MEASURES))
    print(_line("", "", "", *["  ".join(f"{system:>6}" for system in SYSTEMS)] * len(MEASURES)))
    for source, folder in present(sources, data):
        each = measured(source, source.load(folder, source.name), settled)
        found.append(each)
        if source.group != "versions":
            print(_row(source.name, each.documents, len(each.rows[OURS]), _summaries(each)), flush=True)
    return _conclusion(found)


def present(sources: Sequence[Source], data: Path | None) -> list[tuple[Source, Path]]:
    """Return the collections whose files are there, with their folders, and say where to get the others."""
    there = []
    for source in sources:
        if folder := located(source, data):
            there.append((source, folder))
        else:
            say(f"{source.name} is left out: put {', '.join(source.files)} below BENCH_DATA; from {source.where}")
    return there


def measured(source: Source, stores: Sequence[Store], settled: float = SETTLED) -> Measured:
    """Ask the questions of a collection of all searches, store by store."""
    found = Measured(source)
    for store in stores:
        begun = time.perf_counter()
        found.documents += len(store.documents)
        with filled(store) as (brain, at):
            stored = time.perf_counter()
            for name, baseline in BASELINES.items():
                found.add(store, name, asked(baseline(store.documents), store.questions))
            settle(at, settled)
            found.add(store, OURS, asked(searching(brain, store.documents), store.questions))
        say(
            f"{store.name}: {len(store.documents):,} texts stored in {stored - begun:.0f} s, "
            f"{len(store.questions):,} questions asked in {time.perf_counter() - stored:.0f} s"
        )
    return found


def _summaries(found: Measured) -> dict[str, Figures]:
    return {system: summary(rows) for system, rows in found.rows.items()}


def _conclusion(found: Sequence[Measured]) -> dict[str, Any]:
    """Print means, differences and versions, and return everything as plain values."""
    ranked = [each for each in found if each.source.group != "versions"]
    public = [each for each in ranked if not each.source.ours]
    figures: dict[str, Any] = {
        "by meaning": by_meaning(),
        "collections": {
            each.source.name: {
                "documents": each.documents,
                "questions": len(each.rows[OURS]),
                "figures": _summaries(each),
            }
            for each in ranked
        },
        "means": {},
        "differences": {},
        "newer first": {},
    }
    for title, group in ((f"{len(public)} public collections", public), (f"all {len(ranked)}", ranked)):
        if len(group) > 1:
            figures["means"][title] = _means(title, group)
            figures["differences"][title] = _differences(title, group)
    for each in found:
        if each.newer_first[OURS]:
            figures["newer first"] = _versions(each)
    return figures


def _means(title: str, group: Sequence[Measured]) -> dict[str, Figures]:
    means = {system: mean([summary(each.rows[system]) for each in group]) for system in SYSTEMS}
    documents, questions = sum(each.documents for each in group), sum(len(each.rows[OURS]) for each in group)
    print(_row(f"mean of {title}", documents, questions, means))
    return means


def _differences(title: str, group: Sequence[Measured]) -> dict[str, dict[str, list[float]]]:
    """Print and return, for each baseline, how much better the product is, with the interval of 95 %."""
    found: dict[str, dict[str, list[float]]] = {}
    for baseline in BASELINES:
        for measure, column in COMPARED.items():
            pairs = [zip(each.rows[OURS], each.rows[baseline], strict=True) for each in group]
            values = [[getattr(ours, column) - getattr(theirs, column) for ours, theirs in pair] for pair in pairs]
            difference, low, high = interval(values)
            found.setdefault(baseline, {})[measure] = [difference, low, high]
            print(f"  {measure} minus {baseline}'s: {difference:+.3f} (95 %: {low:+.3f} to {high:+.3f})", flush=True)
    return found


def _versions(found: Measured) -> dict[str, Any]:
    shares = {system: sum(answers) / len(answers) for system, answers in found.newer_first.items()}
    asked_anew = len(found.newer_first[OURS])
    said = ", ".join(f"{system} {share:.3f}" for system, share in shares.items())
    print(f"the newer of two versions comes first, of {asked_anew} cases: {said}")
    return {"cases": asked_anew, **shares}


def _row(title: str, documents: int, questions: int, figures: dict[str, Figures]) -> str:
    cells = [
        "  ".join(
            f"{figures[system][measure]:6.1f}" if measure == "p50 ms" else f"{figures[system][measure]:6.3f}"
            for system in SYSTEMS
        )
        for measure in MEASURES
    ]
    return _line(title, f"{documents:,}", f"{questions:,}", *cells)


def _line(title: str, documents: str, questions: str, *cells: str) -> str:
    return f"{title:30}{documents:>7}{questions:>7}" + "".join(f"  |{cell:^24}" for cell in cells).rstrip()

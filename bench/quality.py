"""How often the right memories are found, in this process: index and ranking without the server around them.

    python -m bench.quality [DATA …] [--shuffled] [--pooled] [--ablation | --try WEIGHT VALUE …]

Without DATA the notes beside this file are asked, stored in random order. The mean over the questions of: the
share of the right memories among the first 5, 10 and 20, and one over the place of the first right one (MRR).
Where the extra [semantic] is installed there are figures with it too; --try is then of that.

--try asks whether another weight would do better: for each collection the value is chosen on all the others, so
that a weight which suits only those it was chosen on is seen to be noise.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from bench.data import ADVERSARIAL, MAIN, NOTES, Collection, load, pooled, shuffled
from clawbrain import relevance, semantic
from clawbrain.memory import Fingerprint, Memory
from clawbrain.relevance import weights
from clawbrain.sidecar.index import Index, Seen

ASKED = 20  # hits
PARTS = (  # a signal may have several weights
    *(("NEIGHBOUR",), ("CALLED",), ("PASSAGE",), ("LENGTH",), ("ASKING",), ("ANSWER",), ("WHEN",)),
    *(("ECHO", "ECHO_ALONE"), ("VERSIONS",), ("SPELT",), ("AKIN", "AKIN_ALONE")),
    ("MEANING", "MEANING_ALONE"),
)
SIGNALS = tuple(name for names in PARTS for name in names)


class Row(NamedTuple):
    collection: str
    kind: str
    recall: Mapping[int, float]
    reciprocal: float
    question: str
    found: Sequence[str]
    wanted: frozenset[str]


Search = Callable[[str], Sequence[str]]


@contextmanager
def opened(collection: Collection, by_meaning: bool = False) -> Iterator[Search]:
    """A search over a collection stored in order in one session."""
    order = {memory.id: number for number, memory in enumerate(collection.memories)}
    listed = list(order)

    def beside(place: int) -> list[tuple[int, str]]:
        steps = [step for step in range(-weights.REACH, weights.REACH + 1) if step]
        return [(step, listed[place + step]) for step in steps if 0 <= place + step < len(listed)]

    def near(ids: Iterable[str]) -> dict[str, list[tuple[int, str]]]:
        return {id: beside(order[id]) for id in ids}

    with tempfile.TemporaryDirectory() as folder:
        index = Index(Path(folder))
        index.put(Seen(memory.path, Fingerprint(1, 1, 1, 1), "", memory) for memory in distinct_paths(collection))

        def search(text: str) -> list[str]:
            found = index.candidates(text, by_meaning=by_meaning)
            return [hit.id for hit in relevance.rank(found, {}, near(found.seeds), ASKED, order).hits]

        yield search
        index.close()


def distinct_paths(collection: Collection) -> Iterator[Memory]:
    for number, memory in enumerate(collection.memories):
        yield replace(memory, path=f"{memory.path.removesuffix('.md')}-{number}.md")


def measured(collection: Collection, by_meaning: bool = False) -> list[Row]:
    with opened(collection, by_meaning) as search:
        return [scored(collection.name, q.kind, search(q.text), q.answers, q.text) for q in collection.questions]


def scored(collection: str, kind: str, found: Sequence[str], wanted: frozenset[str], question: str = "") -> Row:
    recall = {k: len(wanted & {*found[:k]}) / len(wanted) for k in (5, 10, 20)}
    first = next((1 / place for place, id in enumerate(found, 1) if id in wanted), 0.0)
    return Row(collection, kind, recall, first, question, found, wanted)


def newer_first(collection: Collection, rows: Iterable[Row]) -> list[bool]:
    """Where the newer of two versions of a decision is asked for, whether it comes before the older."""
    answers = []
    for row in rows:
        for newer, older in collection.newer:
            if newer in row.wanted:
                places = [row.found.index(id) if id in row.found else ASKED for id in (newer, older)]
                answers.append(places[0] < places[1])
    return answers


def summary(rows: Sequence[Row]) -> dict[str, float]:
    if not rows:
        return {}
    figures = {f"recall@{k}": fmean(row.recall[k] for row in rows) for k in (5, 10, 20)}
    return {"questions": len(rows), **figures, "mrr": fmean(row.reciprocal for row in rows)}


def without(signals: Iterable[str]) -> AbstractContextManager[None]:
    """The ranking with some of its weights at nothing."""
    return weighing({name: type(getattr(weights, name))() for name in signals})


@contextmanager
def weighing(others: Mapping[str, Any]) -> Iterator[None]:
    kept = {name: getattr(weights, name) for name in others}
    for name, value in others.items():
        setattr(weights, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(weights, name, value)


def folded(collections: Sequence[Collection], weight: str, values: Sequence[float]) -> dict[str, dict[str, float]]:
    """Each collection's figures as they are, and with the value that is best on all the others."""
    by_meaning = semantic.installed()
    now = {each.name: answerable(measured(each, by_meaning)) for each in collections}
    tried = {}
    for value in values:
        with weighing({weight: type(getattr(weights, weight))(value)}):
            tried[value] = {each.name: answerable(measured(each, by_meaning)) for each in collections}
    chosen = {}
    for name in now:
        best = max(values, key=lambda value: sum(worth(rows) for other, rows in tried[value].items() if other != name))
        chosen[f"{name}, {best:g}"] = tried[best][name]
    figures = {"as it is": summary(_together(now)), "chosen on the others": summary(_together(chosen))}
    return figures | {name: summary(rows) for name, rows in chosen.items()}


def _together(rows: Mapping[str, Sequence[Row]]) -> list[Row]:
    return [row for each in rows.values() for row in each]


def answerable(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.kind != ADVERSARIAL]


def worth(rows: Sequence[Row]) -> float:
    return sum(row.recall[10] + row.reciprocal for row in rows)


def ways(title: str) -> dict[str, bool]:
    """By words alone and, where that can be done, by meaning too."""
    return {title: False} | ({f"{title}, with [semantic]": True} if semantic.installed() else {})


def report(
    collections: Sequence[Collection], by_kind: bool = False, by_meaning: bool = False
) -> dict[str, dict[str, float]]:
    rows = [row for each in collections for row in measured(each, by_meaning)]
    conversations = {row.kind for row in rows} <= {*MAIN, ADVERSARIAL}
    figures = {"all": summary([row for row in rows if not conversations or row.kind in MAIN])}
    if conversations:
        figures["adversarial"] = summary([row for row in rows if row.kind == ADVERSARIAL])
    if by_kind:
        figures |= {kind: summary([row for row in rows if row.kind == kind]) for kind in sorted({r.kind for r in rows})}
    for each in collections:
        if asked := newer_first(each, [row for row in rows if row.collection == each.name]):
            figures[f"newer first, {each.name}"] = {"questions": len(asked), "share": fmean(asked)}
    return figures


def shown(title: str, figures: Mapping[str, Mapping[str, float]]) -> str:
    lines = [title]
    for name, each in figures.items():
        numbers = "  ".join(f"{key} {value:.4g}" for key, value in each.items())
        lines.append(f"  {name:20} {numbers}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="*", type=Path)
    parser.add_argument("--shuffled", action="store_true", help="stored in random order")
    parser.add_argument("--pooled", action="store_true", help="all collections in one store")
    parser.add_argument("--without", nargs="*", default=[], choices=SIGNALS, help="with these weights at nothing")
    parser.add_argument("--ablation", action="store_true", help="once without each signal")
    parser.add_argument("--kinds", action="store_true", help="figures by kind of question")
    parser.add_argument("--try", nargs="+", dest="tried", metavar="WEIGHT VALUE", help="by collections held out")
    asked = parser.parse_args()
    for path in asked.data or [NOTES]:
        collections = load(path)
        if asked.shuffled or path == NOTES:
            collections = [shuffled(each) for each in collections]
        if asked.pooled:
            collections = [pooled(collections)]
        if asked.tried:
            weight, *values = asked.tried
            if not isinstance(getattr(weights, weight, None), float | int):
                parser.error(f"{weight} is no weight that is a number: clawbrain/relevance/weights.py has them")
            print(shown(f"{path.name}, {weight}", folded(collections, weight, [float(value) for value in values])))
            continue
        for signals in [asked.without, *(PARTS if asked.ablation else ())]:
            with without(signals):
                title = f"{path.name}{' without ' if signals else ''}{', '.join(signals)}"
                for way, by_meaning in ways(title).items():
                    print(shown(way, report(collections, asked.kinds, by_meaning)), flush=True)


if __name__ == "__main__":
    main()

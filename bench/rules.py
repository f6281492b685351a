"""The part `rules`: the figures of each group of collections without each of the rules of the search."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.collections import GROUPS, Source, Store
from bench.measure import Row, asked, newer_first, say, summary
from bench.product import SETTLED, Search, filled, searching, settle
from bench.seam import RULES, Without, searching_without
from bench.search import present

ALL = "all rules"
SHOWN_OF = ("recall@10", "MRR")
NEWER = "newer first"

Figures = dict[str, dict[str, float]]  # by measure, then by the rule that is left out


def report(
    sources: Sequence[Source],
    data: Path | None,
    rules: Sequence[str] = RULES,
    without: Without = searching_without,
    settled: float = SETTLED,
) -> dict[str, Any]:
    """Measure each group with all rules and without each of them, print a table, and return the figures.

    Args:
        sources: the collections to ask.
        data: the folder below which their files lie.
        rules: the names of the rules that can be left out.
        without: makes the search that goes without one of them.
        settled: how many seconds after storing a store is asked.
    """
    if not rules:
        print("rules: this version of the search has no rule that can be left out alone (bench/seam.py lists none)")
        return {}
    by_group: dict[str, list[Figures]] = defaultdict(list)
    for source, folder in present(sources, data):
        stores = source.load(folder, source.name)
        by_group[source.group].append(_collection(source, stores, rules, without, settled))
        say(f"{source.name} is done")
    figures = {group: _mean(by_group[group]) for group in GROUPS if group in by_group}
    print(f"{'change without':24}{ALL:>12}" + "".join(f"{rule:>12.11}" for rule in rules))
    for group, of_group in figures.items():
        for measure, by_rule in of_group.items():
            changes = "".join(f"{by_rule[rule] - by_rule[ALL]:+12.3f}" for rule in rules)
            print(f"{f'{group}, {measure}':24}{by_rule[ALL]:12.3f}{changes}")
    return figures


def _collection(
    source: Source, stores: Sequence[Store], rules: Sequence[str], without: Without, settled: float
) -> Figures:
    """Return the figures of one collection, with all rules and without each."""
    rows: dict[str, list[Row]] = defaultdict(list)
    newer: dict[str, list[bool]] = defaultdict(list)
    for store in stores:
        with filled(store) as (brain, at):
            settle(at, settled)
            searches: dict[str, Search] = {ALL: searching(brain, store.documents)}
            searches |= {rule: without(rule, brain, store.documents) for rule in rules}
            for name, search in searches.items():
                answers = asked(search, store.questions)
                rows[name] += answers
                newer[name] += newer_first(store, answers)
    if source.group == "versions":
        return {NEWER: {name: fmean(answers) for name, answers in newer.items()}}
    summaries = {name: summary(each) for name, each in rows.items()}
    return {measure: {name: figures[measure] for name, figures in summaries.items()} for measure in SHOWN_OF}


def _mean(collections: Sequence[Figures]) -> Figures:
    """Return the means over the collections of a group; each counts alike."""
    return {
        measure: {rule: fmean(each[measure][rule] for each in collections) for rule in collections[0][measure]}
        for measure in collections[0]
    }

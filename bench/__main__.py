"""Measures how well and how quickly the product finds, and what feedback does: `python -m bench`."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import compaction, learning, network, rules, search, speed, trace
from bench.collections import SOURCES, Source, located
from bench.measure import rounded, say

ABOUT = """\
Measures how well and how quickly the product finds, and what feedback does.

parts, one or several (default: search):
  search      recall@5, recall@10, MRR and the time of a search on each collection, beside bare FTS5 and BM25
  rules       what search loses without each of its rules, by groups of collections
  learning    what feedback does to questions that are asked often, seldom and never
  speed       the time of a search through the server, among 1,000 and 10,000 memories, beside FTS5 and grep
  network     the server over HTTP beside the one on stdin and stdout: one client, 50 at once, kills
  compaction  how long the plan of a compaction takes, for 10,000 and 100,000 memories
  trace       how many of our files and functions a store, a search and a compaction enter
  sources     nothing is measured: which collections there are, where to get them, which are found
"""
TIMES = """\
Time on two cores: search 5 minutes with all collections, 1 minute with the notes alone; rules the same, and a minute
more for each rule; learning 2 minutes; speed 1 minute, with --large more. Tables go to the standard output, progress to
the standard error.
"""


def main() -> None:
    """Run the parts that the command line names."""
    asked = parsed()
    if asked.words:
        sys.modules["wordllama"] = None  # type: ignore[assignment]  # as if the extra [semantic] were not installed
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "search": lambda: search.report(asked.sets, asked.data),
        "rules": lambda: rules.report(asked.sets, asked.data),
        "learning": learning.report,
        "speed": lambda: speed.report(large=asked.large),
        "network": network.report,
        "compaction": compaction.report,
        "trace": trace.report,
        "sources": lambda: sources(asked.sets, asked.data),
    }
    figures = {}
    for part in asked.parts:
        begun = time.monotonic()
        figures[part] = parts[part]()
        say(f"{part} took {time.monotonic() - begun:.0f} s")
    if asked.out:
        asked.out.write_text(json.dumps(rounded(figures), indent=1) + "\n")


def parsed() -> argparse.Namespace:
    """Return what the command line asks for, or end the program with a sentence that says what is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=ABOUT, epilog=TIMES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    named = os.environ.get("BENCH_DATA")
    known = {source.name: source for source in SOURCES}
    parts = ("search", "rules", "learning", "speed", "network", "compaction", "trace", "sources")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help="search, rules, learning, speed, network, compaction, trace or sources"
    )
    parser.add_argument("--sets", nargs="+", metavar="NAME", default=list(known), help="only these collections")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(named) if named else None,
        help="the folder below which the collections lie (default: the variable BENCH_DATA); nothing is downloaded",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures as JSON too")
    parser.add_argument("--large", action="store_true", help="speed: 100,000 memories too")
    parser.add_argument(
        "--words",
        action="store_true",
        help="search by words alone, though the extra [semantic] is installed (speed always uses it)",
    )
    asked = parser.parse_args()
    asked.parts = asked.parts or ["search"]
    for kind, names, all_names in (("part", asked.parts, parts), ("collection", asked.sets, tuple(known))):
        if strange := [name for name in names if name not in all_names]:
            parser.error(f"there is no {kind} {', '.join(strange)}; there are {', '.join(all_names)}")
    if asked.data is not None and not asked.data.is_dir():
        parser.error(f"{asked.data} is not a folder")
    asked.sets = [known[name] for name in asked.sets]
    return asked


def sources(asked: list[Source], data: Path | None) -> dict[str, Any]:
    """Print each collection with where it is to be got and whether it is found."""
    found = {}
    for source in asked:
        folder = located(source, data)
        found[source.name] = str(folder or "")
        print(f"{source.name}: {source.about}")
        print(f"  from {source.where}; licence: {source.licence}")
        print(f"  found in {folder}" if folder else f"  not found; it needs {', '.join(source.files)} in one folder")
    return found


if __name__ == "__main__":
    main()

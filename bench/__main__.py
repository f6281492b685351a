"""How fast and how well the search finds, beside what everybody has: `python -m bench`.

For 1,000 and 10,000 memories, and with --all for 100,000: the time to the first index, to a look that finds no
change, and to a search through the stdio server, beside a bare FTS5 table and `grep -r` on the same words in the
same run. Then the quality on our notes, or on the files given by --data. Everything is made in a temporary folder.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from bench import speed
from bench.data import NOTES, load, pooled, shuffled
from bench.quality import report, shown, ways

SIZES = (1_000, 10_000)
LARGE = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="how many memories; none for no speed")
    parser.add_argument("--all", action="store_true", help=f"{LARGE:,} memories too: several minutes")
    parser.add_argument("--data", type=Path, nargs="*", default=[NOTES], help="questions with their answers")
    parser.add_argument("--out", type=Path, help="the figures as JSON")
    asked = parser.parse_args()
    sizes = [*asked.sizes, *([LARGE] if asked.all else [])]
    figures = {"speed": [told(speed.measured(size)) for size in sizes], "quality": quality(asked.data)}
    if asked.out:
        asked.out.write_text(json.dumps(figures, indent=1) + "\n")


def told(row: dict[str, Any]) -> dict[str, Any]:
    """One size as a small table; milliseconds unless it says seconds."""
    print(f"{row['memories']:,} memories")
    print(f"  first index {row['first_index_s']:.2f} s, a look without change {row['no_change_ms']:.1f} ms")
    print(f"  {'search':18}{'p50':>9}{'p95':>9}   ours / this (p50, p95)")
    ours = row["search"]["clawbrain"]
    for name, times in row["search"].items():
        line = f"  {name:18}{times['p50']:9.1f}{times['p95']:9.1f}"
        print(line if times is ours else f"{line}   {ours['p50'] / times['p50']:.2f}, {ours['p95'] / times['p95']:.2f}")
    print(flush=True)
    return row


def quality(paths: list[Path]) -> dict[str, Any]:
    found = {}
    for path in paths:
        collections = load(path)
        mixed = [shuffled(each) for each in collections]
        stores = {"stored in order": collections, "stored in random order": mixed}
        if len(collections) > 1:
            stores["in one store"] = [pooled(collections)]
        for store, each in stores.items():
            for title, by_meaning in ways(f"{path.name}, {store}").items():
                found[title] = report(each, by_meaning=by_meaning)
                print(shown(title, found[title]), flush=True)
    return found


if __name__ == "__main__":
    main()

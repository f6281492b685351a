"""Writes clawbrain/storage/families.txt from the words beside this file: `make docs`, or `python -m families.write`.

Each line is a family, its words as they are searched for, so that a search need not stem thousands of them first.
Words that say nothing in some language ("die", "sobre") are left out: they would count in all its texts.
"""

from collections.abc import Iterator
from pathlib import Path

from clawbrain.search.stop_words import SHOWING
from clawbrain.storage.candidates import FAMILIES
from clawbrain.words import terms_of

WORDS = Path(__file__).parent


def families() -> Iterator[list[str]]:
    for source in sorted(WORDS.glob("*.txt")):
        for line in source.read_text("utf-8").splitlines():
            words = [word for word in line.split() if word not in SHOWING]
            yield list(dict.fromkeys(found[0] for word in words if (found := terms_of(word))))


def text() -> str:
    return "".join(f"{' '.join(family)}\n" for family in families())


if __name__ == "__main__":
    FAMILIES.write_text(text(), "utf-8")

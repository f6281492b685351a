"""Words that mean nearly the same: a question and its answer are seldom written in the same ones.

families.txt has a family a line, as stems: everyday English and what developers say, and the words for it in nine
other languages. It is made from the words in families/ by `make docs`. A word may stand in several families; a family
too wide finds everything and therefore nothing.
"""

from functools import cache, lru_cache
from pathlib import Path

FILE = Path(__file__).with_name("families.txt")


@cache
def _families() -> tuple[list[str], dict[str, list[int]]]:
    """All of them, and where each word stands."""
    lines = FILE.read_text("utf-8").splitlines()
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        for word in line.split():
            places.setdefault(word, []).append(number)
    return lines, places


@lru_cache(maxsize=10_000)
def akin(term: str) -> tuple[str, ...]:
    """The terms that mean nearly the same as this one."""
    lines, places = _families()
    found = dict.fromkeys(word for number in places.get(term, ()) for word in lines[number].split())
    found.pop(term, None)
    return tuple(found)

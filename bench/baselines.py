"""Two searches to compare with: bare FTS5, and BM25 as textbooks have it.

Each is a class made of documents. Called with a question it returns the ids of the ten best, best first.
"""

import heapq
import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence

from bench.collections import Document
from clawbrain.words import STOP_WORDS, terms

SHOWN = 10
K1, B = 1.2, 0.75


class Fts5:
    """SQLite's own full-text search: any word of the question, in the order of its rank."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.table = sqlite3.connect(":memory:")
        self.table.execute("CREATE VIRTUAL TABLE texts USING fts5 (tags, content, tokenize = 'porter unicode61')")
        rows = ((" ".join(document.tags), document.text) for document in documents)
        self.table.executemany("INSERT INTO texts VALUES (?, ?)", rows)

    def __call__(self, question: str) -> list[str]:
        any_word = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question)) or '""'
        found = self.table.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", [any_word, SHOWN]
        )
        return [self.documents[row - 1].id for (row,) in found]


class Bm25:
    """BM25 with k1 1.2 and b .75 over the product's own stems, without the English stop words."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        texts = [stems(f"{' '.join(document.tags)}\n{document.text}") for document in documents]
        mean = sum(map(len, texts)) / len(texts)
        self.penalties = [K1 * (1 - B + B * len(text) / mean) for text in texts]
        self.holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts):
            for term, times in Counter(text).items():
                self.holders[term].append((number, times))

    def __call__(self, question: str) -> list[str]:
        scores: dict[int, float] = defaultdict(float)
        for term in stems(question):
            holders = self.holders.get(term, ())
            idf = math.log(1 + (len(self.documents) - len(holders) + 0.5) / (len(holders) + 0.5))
            for number, times in holders:
                scores[number] += idf * times * (K1 + 1) / (times + self.penalties[number])
        best = heapq.nsmallest(SHOWN, scores, key=lambda number: (-scores[number], number))
        return [self.documents[number].id for number in best]


_STOPPED = frozenset(term for word in STOP_WORDS for term in terms(word))


def stems(text: str) -> list[str]:
    """Return the stems of a text's words, as often as they stand there, without stop words."""
    return [term for term in terms(text) if term not in _STOPPED]

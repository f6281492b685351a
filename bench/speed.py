"""The part `speed`: the time of a search through the server, beside FTS5 and grep on the same questions."""

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from bench.collections import Document
from bench.measure import say
from bench.product import SETTLED
from clawbrain import open_brain

SIZES = (1_000, 10_000)
LARGE = 100_000
QUESTIONS, WARM_UP, GREPPED = 200, 20, 10
WORDS, WORDS_EACH = 30_000, 45
IN_A_FOLDER = 1_000


def report(*, large: bool, sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Measure each size, print a table, and return the figures.

    Args:
        large: whether to measure 100,000 memories too.
        sizes: how many memories there are.
    """
    figures = {}
    for size in (*sizes, *((LARGE,) if large else ())):
        say(f"{size:,} memories")
        figures[f"{size:,} memories"] = each = measured(size)
        print(f"{size:,} memories: first index {each['first index s']:.2f} s, ", end="")
        print(f"a look without change {each['look without change ms']:.1f} ms")
        for name, times in each["search ms"].items():
            print(f"  {name:20} p50 {times['p50']:7.1f} ms   p95 {times['p95']:7.1f} ms", flush=True)
    return figures


def measured(size: int) -> dict[str, Any]:
    """Return the figures of one size, all measured in one temporary folder."""
    documents, questions = made(size)
    with tempfile.TemporaryDirectory(prefix="clawbrain-bench-") as folder:
        home = Path(folder) / "home"
        write(home, documents)
        time.sleep(SETTLED)
        with served(home) as search:
            first_index = timed(search, "anything")
            time.sleep(SETTLED)
            ours = times(search, questions)
        return {
            "first index s": first_index,
            "look without change ms": look_without_change(home),
            "search ms": {
                "clawbrain's server": ours,
                "FTS5, any word": times(fts5(Path(folder) / "fts5.db", documents), questions),
                "grep -r, any word": times(grep(home), questions[-GREPPED:], warm_up=2),
            },
        }


# What is searched


def made(size: int) -> tuple[list[Document], list[str]]:
    """Return texts of a made-up language, whose words are as unevenly used as real ones, and questions about them.

    The same size gives the same texts in every run.
    """
    dice = random.Random(size)
    syllables = [a + b for a in "bcdfghklmnprstv" for b in "aeiou"]
    words = ["".join(dice.choices(syllables, k=dice.choice((2, 3, 4)))) for _ in range(WORDS)]
    shares = list(accumulate(1 / (rank + 3) for rank in range(WORDS)))

    def said(length: int) -> list[str]:
        return dice.choices(words, cum_weights=shares, k=length)

    documents = [Document(f"n{number}", f"{' '.join(said(WORDS_EACH))}.", tuple(said(1))) for number in range(size)]
    asked = [dice.sample(dice.choice(documents).text.strip(".").split(), 4) for _ in range(QUESTIONS + WARM_UP)]
    return documents, [f"When did we {' '.join([*words, *said(2)])}?" for words in asked]


def write(home: Path, documents: Sequence[Document]) -> None:
    """Write the documents as a person would: markdown files with their tags, below memory/."""
    for number, document in enumerate(documents):
        path = home / f"memory/entities/part-{number // IN_A_FOLDER}/{document.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        header = f"---\ntags: {json.dumps(document.tags)}\ncreated: 2026-01-05T10:00:00Z\n---\n"
        path.write_text(f"{header}\n{document.text}\n", "utf-8")


# Who searches


@contextmanager
def served(home: Path) -> Iterator[Callable[[str], Any]]:
    """Start the server as an agent starts it, and yield a search that is spoken to as an agent speaks."""
    env = os.environ | {"CLAWBRAIN_HOME": str(home)}
    command = [sys.executable, "-m", "clawbrain", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as server:

        def ask(method: str, **params: Any) -> dict[str, Any]:
            post(server, {"id": 1, "method": method, "params": params})
            while line := server.stdout.readline():  # type: ignore[union-attr]
                answer: dict[str, Any] = json.loads(line)
                if answer.get("id") == 1 and "method" not in answer:
                    return answer["result"]  # type: ignore[no-any-return]
            raise RuntimeError("the server has ended")

        def search(question: str) -> Any:
            return ask("tools/call", name="memory_search", arguments={"query": question, "limit": 10})

        client = {"name": "bench", "version": "1"}
        ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        post(server, {"method": "notifications/initialized"})
        yield search


def post(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    """Write one message to the server."""
    assert server.stdin
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def fts5(path: Path, documents: Sequence[Document]) -> Callable[[str], list[tuple[str]]]:
    """Return a search by bare FTS5, in a file on the disk."""
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE m USING fts5 (name, tags, content, tokenize='porter unicode61')")
    db.executemany("INSERT INTO m VALUES (?,?,?)", ((each.id, " ".join(each.tags), each.text) for each in documents))
    db.commit()

    def search(question: str) -> list[tuple[str]]:
        any_word = " OR ".join(f'"{word}"' for word in words_of(question))
        return db.execute("SELECT name FROM m WHERE m MATCH ? ORDER BY rank LIMIT 10", [any_word]).fetchall()

    return search


def grep(home: Path) -> Callable[[str], subprocess.CompletedProcess[bytes]]:
    """Return a search by grep, which names the files that hold any word."""

    def search(question: str) -> subprocess.CompletedProcess[bytes]:
        wanted = [part for word in words_of(question) for part in ("-e", word)]
        return subprocess.run(["grep", "-rilwF", *wanted, str(home / "memory")], stdout=subprocess.DEVNULL)

    return search


def words_of(question: str) -> list[str]:
    """Return the words as they stand."""
    return re.findall(r"\w+", question.lower())


# How long it takes


def look_without_change(home: Path) -> float:
    """Return how many milliseconds it takes to see that no file has changed."""
    with open_brain(home) as brain:
        brain.sync(now=True)
        return median(timed(lambda: brain.sync(now=True)) for _ in range(5)) * 1_000


def times(search: Callable[[str], object], questions: Sequence[str], warm_up: int = WARM_UP) -> dict[str, float]:
    """Return p50 and p95 in milliseconds. The first questions only warm up."""
    for question in questions[:warm_up]:
        search(question)
    taken = sorted(timed(search, question) * 1_000 for question in questions[warm_up:])
    return {"p50": taken[len(taken) // 2], "p95": taken[int(len(taken) * 0.95)]}


def timed(work: Callable[..., object], *words: str) -> float:
    """Return how many seconds a call takes."""
    begun = time.perf_counter()
    work(*words)
    return time.perf_counter() - begun

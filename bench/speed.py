"""How fast, for one number of memories: through the real server, beside FTS5 and grep on the same questions."""

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
from contextlib import closing, contextmanager
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from bench.data import memory
from clawbrain.brain import open_brain
from clawbrain.memory import Memory, render
from clawbrain.vault import MEMORY

QUESTIONS, WARM_UP, GREPPED = 200, 20, 10
SETTLED = 2.5  # seconds: files written shortly before a look are read again
WORDS, WORDS_EACH = 30_000, 45


def measured(size: int) -> dict[str, Any]:
    memories, questions = made(size)
    with tempfile.TemporaryDirectory(prefix="clawbrain-bench-") as folder:
        home = Path(folder) / "home"
        write(home, memories)
        time.sleep(SETTLED)
        with served(home) as search:
            first_index = timed(search, "anything")
            time.sleep(SETTLED)
            ours = times(search, questions)
        return {
            "memories": size,
            "first_index_s": first_index,
            "no_change_ms": no_change(home),
            "search": {
                "clawbrain": ours,
                "FTS5, any word": times(fts5(Path(folder) / "fts5.db", memories), questions),
                "grep -r, any word": times(grep(home), questions[-GREPPED:], warm_up=2),
            },
        }


# What is searched


def made(size: int) -> tuple[list[Memory], list[str]]:
    """Words of a made-up language, as unevenly used as those of a real one; the same in every run."""
    dice = random.Random(size)
    syllables = [a + b for a in "bcdfghklmnprstv" for b in "aeiou"]
    words = ["".join(dice.choices(syllables, k=dice.choice((2, 3, 4)))) for _ in range(WORDS)]
    shares = list(accumulate(1 / (rank + 3) for rank in range(WORDS)))

    def said(length: int) -> list[str]:
        return dice.choices(words, cum_weights=shares, k=length)

    memories = []
    for number in range(size):
        text = f"{' '.join(said(WORDS_EACH))}."
        memories.append(memory(f"n{number}", text, said(1), f"part-{number // 1_000}"))
    asked = [dice.sample(dice.choice(memories).content.strip(".").split(), 4) for _ in range(QUESTIONS + WARM_UP)]
    return memories, [f"When did we {' '.join([*words, *said(2)])}?" for words in asked]


def write(home: Path, memories: Sequence[Memory]) -> None:
    for each in memories:
        path = home / MEMORY / each.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render(each))


# Who searches


@contextmanager
def served(home: Path) -> Iterator[Callable[[str], object]]:
    """The server as an agent starts it, spoken to as an agent speaks."""
    env = os.environ | {"CLAWBRAIN_HOME": str(home)}
    command = [sys.executable, "-m", "clawbrain", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as server:

        def ask(method: str, **params: Any) -> dict[str, Any]:
            post(server, {"id": 1, "method": method, "params": params})
            while True:
                answer: dict[str, Any] = json.loads(server.stdout.readline())  # type: ignore[union-attr]
                if answer.get("id") == 1 and "method" not in answer:
                    return answer["result"]  # type: ignore[no-any-return]

        def search(question: str) -> object:
            return ask("tools/call", name="memory_search", arguments={"query": question, "limit": 10})

        client = {"name": "bench", "version": "1"}
        ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        post(server, {"method": "notifications/initialized"})
        yield search


def post(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def fts5(path: Path, memories: Sequence[Memory]) -> Callable[[str], object]:
    db = sqlite3.connect(path)
    db.execute("CREATE VIRTUAL TABLE m USING fts5 (name, tags, content, tokenize='porter unicode61')")
    db.executemany("INSERT INTO m VALUES (?,?,?)", ((m.name, " ".join(m.tags), m.content) for m in memories))
    db.commit()

    def search(question: str) -> object:
        any_word = " OR ".join(f'"{word}"' for word in words_of(question))
        return db.execute("SELECT name FROM m WHERE m MATCH ? ORDER BY rank LIMIT 10", [any_word]).fetchall()

    return search


def grep(home: Path) -> Callable[[str], object]:
    def search(question: str) -> object:
        wanted = [part for word in words_of(question) for part in ("-e", word)]
        return subprocess.run(["grep", "-rilwF", *wanted, str(home / MEMORY)], stdout=subprocess.DEVNULL)

    return search


def words_of(question: str) -> list[str]:
    return re.findall(r"\w+", question.lower())


# How long it takes


def no_change(home: Path) -> float:
    with closing(open_brain(home)) as brain:
        brain.sync(now=True)
        return median(timed(brain.looking.look) for _ in range(5)) * 1_000


def times(search: Callable[[str], object], questions: Sequence[str], warm_up: int = WARM_UP) -> dict[str, float]:
    for question in questions[:warm_up]:
        search(question)
    taken = sorted(timed(search, question) * 1_000 for question in questions[warm_up:])
    return {"p50": taken[len(taken) // 2], "p95": taken[int(len(taken) * 0.95)]}


def timed(work: Callable[..., object], *words: str) -> float:
    begun = time.perf_counter()
    work(*words)
    return time.perf_counter() - begun

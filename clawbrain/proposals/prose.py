"""A person's own sentences in what they typed: without code, logs, quotations, pasted lines and questions."""

import re
from collections.abc import Iterator

LONGEST_READ = 4_000  # characters; what is longer is mostly pasted
SHORTEST, LONGEST = 8, 300  # characters of a sentence
_SHORTEST_UNSPACED = 6

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BLOCK = re.compile(r"<([a-zA-Z][\w-]*)[^>]*>.*?</\1>", re.DOTALL)
_PASTED = re.compile(
    r"\s*(?:>|\||\$ |# |\+\+\+|---|@@|Traceback\b|File \"|at [\w.$]+\(|\[?\d{4}-\d\d-\d\d[T \]]|\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b|npm (?:WARN|ERR)|\w*(?:Error|Exception): )"
)
_INDENTED = re.compile(r"(?: {4}|\t)")
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)])\s+")
_QUOTED = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|„[^“”\n]{12,}[“”]|«[^»\n]{12,}»|「[^」\n]{4,}」")
_END = re.compile(
    r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bvs\.)\s+|(?<=[。！？])|\n"
)
_QUESTION = re.compile(r"[?？]\W*\Z")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are a person's own statements, as they were written."""
    text = _BLOCK.sub("\n", _FENCE.sub("\n", text[:LONGEST_READ])).replace("\u2019", "'")
    for line in text.splitlines():
        if not line.strip() or _PASTED.match(line) or _INDENTED.match(line):
            continue
        for sentence in _END.split(_BULLET.sub("", line, count=1)):
            said = sentence.strip()
            if not _QUESTION.search(said) and not _QUOTED.search(said) and _is_of_length(said):
                yield said


def _is_of_length(sentence: str) -> bool:
    least = _SHORTEST_UNSPACED if _UNSPACED.search(sentence) else SHORTEST
    return least <= len(sentence) <= LONGEST

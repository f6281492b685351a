"""Find for `check` the faults in the texts of memories: secrets, conflicts that git left, odd headers."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import redaction
from ..memory.header import LEFT_BY_GIT, Unreadable
from ..memory.text import body, decode, doubts, has_conflict_markers
from ..storage.folders import ARCHIVE, HISTORY
from .policy import STRATEGY
from .results import CheckFinding

if TYPE_CHECKING:
    from . import Brain


def findings(brain: "Brain") -> Iterator[CheckFinding]:
    """Yield the findings on STRATEGY.md and on the texts of memories, of the archive and of the history."""
    if has_conflict_markers(brain.policy.strategy_text()):
        yield CheckFinding(STRATEGY, LEFT_BY_GIT)
    names = {memory.path: memory.id for memory in brain.index.memories()}
    for path in sorted(names):
        yield from _of_memory(brain, path, names[path])
    for path in brain.files.archived_paths():
        with suppress(FileNotFoundError, Unreadable):
            text = decode(brain.files.read(path, ARCHIVE)[0])
            if has_conflict_markers(text):
                yield CheckFinding(f"archive/{path}", LEFT_BY_GIT, fault=False)
            yield from _secret(f"archive/{path}", text, "purge it, or restore it and take that out")
    for path in brain.files.kept_files():
        with suppress(OSError, Unreadable):
            text = decode(brain.files.read(path, HISTORY)[0])
            yield from _secret(f"{HISTORY}/{path}", text, "history is never rewritten: delete the file if it is one")


def _of_memory(brain: "Brain", path: str, id: str) -> Iterator[CheckFinding]:
    where = f"memory/{path}"
    with suppress(FileNotFoundError, NotADirectoryError, Unreadable):
        data, _ = brain.files.read(path)
        text, said = decode(data), body(data)
        if has_conflict_markers(said):
            yield CheckFinding(where, LEFT_BY_GIT)
        yield from (CheckFinding(where, doubt, fault=False) for doubt in doubts(data))
        yield from _secret(where, text.removesuffix(said), "take it out of the file's header")
        yield from _secret(where, said, "take it out with `clawbrain edit`")
    if _is_secret(id) or _is_secret(path):
        number = brain.places([id]).get(id, 0)
        said = "its name or id seems to hold a secret: rename the file, and its `id` line if it has one"
        yield CheckFinding(f"memory number {number} in the order of storing", said, fault=False)


def _secret(where: str, text: str, what_to_do: str) -> Iterator[CheckFinding]:
    if kinds := redaction.kinds(text):
        yield CheckFinding(where, f"seems to hold a secret ({kinds}): {what_to_do}", fault=False)


def _is_secret(name: str) -> bool:
    return redaction.redacted_word(name) != name


def without_secrets(found: Iterable[CheckFinding]) -> list[CheckFinding]:
    """Return findings with secrets redacted, which may stand in the name of a file or in an id."""
    clean = redaction.redacted_word
    return [each._replace(where=clean(each.where), what=clean(each.what)) for each in found]

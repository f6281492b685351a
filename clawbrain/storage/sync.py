"""Keep the index up to date with the files, without a daemon.

A scan calls stat on every file and parses only what changed. A small store is scanned before every search, a larger
one at most once a second, and a very large one in a thread beside the search, which does not wait for it. Where the
system tells which files were touched since the last scan (storage/inotify), only those are read, in stores of any
size, and the next scan can wait.
"""

import errno
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..errors import Busy
from ..logs import DEBUG, INFO, WARNING, Log, milliseconds
from ..memory.header import Unreadable
from ..memory.model import Fingerprint, digest
from ..memory.text import parse
from .files import MemoryFiles, is_memory, nothing
from .folders import MEMORY
from .index import Index, Seen
from .patience import hurried

if TYPE_CHECKING:
    from .inotify import Watch

log = Log("storage")

ALWAYS, SOMETIMES = 1_000, 10_000  # files
PAUSE = 1.0  # seconds between two scans of a larger store
TRUST = 2.0  # seconds for which inotify is relied on without a scan
MANY = 20  # with more files touched at once a scan is made: it notices when most are gone
RACY, COARSE = 0.1, 2.0  # seconds: a file touched so shortly before a scan may change again without stat showing it
_BATCH, _SECOND = 500, 1_000_000_000


class Sync:
    """The scans of one home, and what is known since the last of them."""

    def __init__(self, files: MemoryFiles, index: Index) -> None:
        self.files, self.index = files, index
        self.changed = False  # something may be new since the ledger was last brought up to date
        self.unsaid = False  # faults may be new since the last warning
        self._scanned = False
        self._files = 0  # as of the last scan: counting them in the index reads them all
        self.vanished: tuple[int, int] | None = None  # (gone, known) when most files vanished at once
        self._behind: threading.Thread | None = None
        self._watch: Watch | None = None
        self._trusted: float | None = None  # the monotonic time since which inotify has told of every change
        self._left: tuple[int, int] | None = None  # the state of the index after the last scan

    def before_answer(self) -> None:
        """Bring the index up to date before an answer, as far as the size of the store allows without a long wait."""
        self.index.refresh()
        if self._told():
            return
        when, cost = self.index.last_scan()
        files = self._files = self._files or len(self.index.fingerprints())
        since = abs(time.time() - when)
        if not when or files <= ALWAYS or (files <= SOMETIMES and since >= PAUSE):
            self.scan()
        elif files > SOMETIMES and since >= max(PAUSE, 2 * cost) and not self._running():
            self._behind = threading.Thread(target=self._scan_behind, name="scan", daemon=True)
            self._behind.start()

    def fill(self) -> None:
        """Scan the files if no scan was ever finished, or if the last one found nothing."""
        self.index.refresh()
        if not self.index.last_scan()[0] or not self.index.counts():
            self.scan()

    def _scan_behind(self) -> None:
        with suppress(Busy), hurried(PAUSE):  # holding the index while it waits, it would keep searches waiting too
            self.scan()

    def _told(self) -> bool:
        """Tell whether inotify named all files that changed since the last scan, and the index has taken them in."""
        since, self._trusted = self._trusted, None  # set again only when everything below succeeds
        if self._watch is None or since is None or self._running():
            return False
        touched = self._watch.touched()
        if touched is None:
            return False
        known = self.index.known(touched)
        paths = [path for path in touched if path in known or is_memory(path)]
        if len(paths) > MANY or not self._take_in(paths, (), known):
            return False
        log(DEBUG, "sync: %d files were touched", len(paths))
        self._trusted = since
        return self.index.state() == self._left and time.monotonic() - since < TRUST

    def _running(self) -> bool:
        return self._behind is not None and self._behind.is_alive()

    def finish(self) -> None:
        """Wait for a scan that is under way, and stop watching the folders."""
        if self._behind is not None:
            self._behind.join()
        if self._watch is not None:
            self._watch.close()
            self._watch = self._trusted = None

    def _watching(self) -> Callable[[str], None]:
        """Begin to watch the folders, from the second scan on: hooks and commands, which scan once, have no use for it.

        Returns the function that the scan calls with each folder it enters.
        """
        if self._watch is None and self._scanned:
            from .inotify import Watch

            self._watch = Watch(self.files.home / MEMORY)
        if self._watch is None:
            return nothing
        self._watch.begin()
        return self._watch.add

    def scan(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Scan the files and take what changed into the index; `progress` gets the files done and their number."""
        present = self._scan(progress)
        if len(self.index.fingerprints()) < len(present):  # the index failed meanwhile and was replaced by an empty one
            log(WARNING, "the index failed meanwhile and is made anew")
            self._scan(progress)

    def _scan(self, progress: Callable[[int, int], None] | None) -> Collection[str]:
        """Scan once; return the paths of all files. What vanished in great number, `vanished` tells."""
        begun = time.time()
        self.index.refresh()
        last, _ = self.index.last_scan()
        state, now, self._trusted = self.index.state(), time.monotonic(), None
        known, present = self.index.fingerprints(), self.files.scan(self._watching())
        self._files = len(present)
        if present and not known:
            log(INFO, "the index is empty and is made anew, of %d files", len(present))
        racy, coarse = (int((last - window) * 1e9) if last else sys.maxsize for window in (RACY, COARSE))
        was = known.get
        # After a change shortly before the last scan, stat may not show the next one; a time in whole seconds, as some
        # disks keep it, needs the longer window.
        changed = [
            path
            for path, at in present.items()
            if was(path) != at or (at[2] >= coarse and (at[2] >= racy or not at[2] % _SECOND))
        ]
        gone = known.keys() - present.keys() if len(present) - len(changed) < len(known) else ()
        if len(gone) > 20 and len(gone) * 2 > len(known):
            self.vanished = (len(gone), len(known))
        sure = self._take_in(changed, gone, known, progress)
        counts = len(present), len(changed), len(gone)
        log(DEBUG, "sync: %d files looked at, %d changed, %d gone, %.1f ms", *counts, milliseconds(now))
        self.unsaid = self.unsaid or bool(self.files.nameless)
        if not self._scanned:
            self._note()
        self._scanned, self._left, self._trusted = True, state, now if sure else None
        if changed or gone or abs(begun - last) >= PAUSE:
            self.index.set_last_scan(begun, time.time() - begun)
        return present.keys()

    def _take_in(
        self,
        paths: list[str],
        gone: Iterable[str],
        known: Mapping[str, Fingerprint],
        progress: Callable[[int, int], None] | None = None,
    ) -> bool:
        """Put changed files into the index and take those that are gone out of it.

        Returns whether every file stayed the same while it was read.
        """
        gone, sure = list(gone), True
        for start in range(0, len(paths), _BATCH):
            fresh, vanished = [], []
            for path in paths[start : start + _BATCH]:
                try:
                    fresh += self.news(path, known.get(path))
                except (FileNotFoundError, NotADirectoryError):
                    vanished += [path] if path in known else []
            sure = sure and all(each.fingerprint.size >= 0 for each in fresh)
            if fresh or vanished:
                self.index.put(fresh, vanished)
                self._note()
            if progress:
                progress(min(start + _BATCH, len(paths)), len(paths))
        if gone:
            self.index.put((), gone)
            self._note()
        return sure

    def _note(self) -> None:
        self.changed = self.unsaid = True

    def news(self, path: str, known: Fingerprint | None) -> list[Seen]:
        """Return what a path holds, or an empty list where the index has just this text.

        Raises FileNotFoundError or NotADirectoryError where no file is there.
        """
        try:
            data, fingerprint = self.files.read(path)
        except Unreadable as fault:
            now = Seen(path, self.files.fingerprint(path) or Fingerprint(0, 0, 0, 0), "", None, str(fault))
            return [now] if known != now.fingerprint or self.index.digest(path) else []
        except OSError as trouble:
            if trouble.errno != errno.EIO:
                raise
            again = Fingerprint(-1, 0, 0, 0)  # no file has this size, so the next scan reads it again
            return [] if known == again else [Seen(path, again, "", None, "cannot be read: the disk reports an error")]
        if known == fingerprint and self.index.digest(path) == digest(data):
            return []
        return [seen(path, data, fingerprint)]

    def see(self, path: str) -> Seen | None:
        """Return what a path holds now, or None when it is gone."""
        try:
            return self.news(path, None)[0]
        except (FileNotFoundError, NotADirectoryError):
            return None


def seen(path: str, data: bytes, fingerprint: Fingerprint) -> Seen:
    """Return the memory that these bytes hold, or what is wrong with them."""
    try:
        return Seen(path, fingerprint, digest(data), parse(path, data, _modified(fingerprint)))
    except Unreadable as fault:
        return Seen(path, fingerprint, digest(data), None, str(fault))


def _modified(fingerprint: Fingerprint) -> datetime:
    try:
        return datetime.fromtimestamp(fingerprint.mtime_ns // 1_000_000_000, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)

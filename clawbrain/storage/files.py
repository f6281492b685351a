"""The memory files: no other module reads or writes them.

A file is written under a temporary name and gets its own name when it is complete. Every path is walked part by part
from the home without following a link, so it can never lead elsewhere. Nothing is lost by a change: the text that an
update replaces goes into the history, an archived file keeps its path under archive/. The caller holds the store's
lock for every change. What a killed process left half done is recovered by the next change (storage/recovery).
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ..errors import AlreadyExists, Invalid, NotFound
from ..memory.header import Unreadable
from ..memory.model import MAX_FILE, NOT_MEMORIES, Fingerprint, digest, shown, unnumbered, utc_now
from . import fs
from .folders import ARCHIVE, FOLDER, HISTORY, MEMORY, Folders, read_at
from .recovery import Surprise, Workbench, clear, numbered, with_number
from .shelves import KnownLives, NoLives, Shelves, Version

_LARGEST = 2**63 - 1
_DEPTH = 8
_PASSING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EAGAIN}  # they say nothing about the file
_NOT_A_FILE = "not a regular file: put the text itself here"

Stat = tuple[int, int, int, int]  # a plain Fingerprint: a scan makes thousands of them, and a NamedTuple takes longer
_NOBODY = "nobody"  # a life that no memory has
_UNKNOWN: Stat = (0, 0, 0, 0)


def nothing(step: str) -> None:
    """Do nothing: for callers that do not follow the steps of a change, or the folders of a scan."""


class MemoryFiles:
    """The files of one home.

    `at` is called with the name of each step of a change before it is taken: it is logged, and tests interrupt there.
    """

    def __init__(
        self,
        home: Path,
        at: Callable[[str], None] = nothing,
        clock: Callable[[], datetime] = utc_now,
        lives: KnownLives | None = None,
    ) -> None:
        self.home, self.clock, self.at = home, clock, at
        self.nameless: list[str] = []  # files whose names are not UTF-8, as of the last scan
        self._folders = Folders(home)
        self._bench = Workbench(self._folders, at, clock)
        self._shelves = Shelves(self._folders, lives or NoLives())
        self.recovered = self._bench.recovered  # sentences on what was repaired; whoever has told them clears the list

    # Sync

    def scan(self, entering: Callable[[str], None] = nothing) -> dict[str, Stat]:
        """Return the fingerprint of every *.md below memory/ by path, links and folders of such a name included.

        `read` says what is wrong with those. `entering` is called with each folder before it is listed.
        """
        found: dict[str, Stat] = {}
        self.nameless = []
        self._scan(str(self.home / MEMORY), None, "", found, _DEPTH, entering)
        return found

    def _scan(
        self,
        folder: str,
        above: int | None,
        prefix: str,
        found: dict[str, Stat],
        depth: int,
        entering: Callable[[str], None] = nothing,
    ) -> None:
        """Add the files of a folder to `found`. Names relative to an open folder are faster; searches wait for this."""
        try:
            at = os.open(folder, FOLDER, dir_fd=above)
        except PermissionError:
            found[prefix.rstrip("/")] = _UNKNOWN
            return
        except (FileNotFoundError, NotADirectoryError):
            return  # gone while we looked
        try:
            entering(prefix)
            with os.scandir(at) as entries:
                for entry in entries:
                    name = entry.name
                    if name[0] == ".":
                        continue
                    if not name.isascii() and not _is_text(name):
                        self.nameless.append(prefix + name.encode(errors="replace").decode())
                        continue
                    try:
                        if (name.endswith(".md") and name not in NOT_MEMORIES) or entry.is_dir():
                            if depth and not name.endswith(".md") and entry.is_dir(follow_symlinks=False):
                                self._scan(name, at, f"{prefix}{name}/", found, depth - 1, entering)
                                continue
                            now = entry.stat(follow_symlinks=False)
                            found[prefix + name] = (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)
                    except FileNotFoundError:
                        continue  # gone while we looked
                    except PermissionError:  # its folder may be listed, but not entered
                        found[prefix + name] = _UNKNOWN
        finally:
            os.close(at)

    def read(self, path: str, root: str = MEMORY) -> tuple[bytes, Fingerprint]:
        """Return a file's bytes and the fingerprint of just those bytes.

        Raises FileNotFoundError, OSError for a passing error, and Unreadable for a link, a folder, a file that is too
        large or one that may not be read.
        """
        folder, name = os.path.split(f"{root}/{path}")
        try:
            with self._folders.open(folder) as at:
                fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        except FileNotFoundError:
            raise
        except PermissionError:
            raise Unreadable("may not be read: give its owner the right to read it") from None
        except OSError as error:
            if error.errno in _PASSING:
                raise
            raise Unreadable("a link or " + _NOT_A_FILE) from None
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise Unreadable(_NOT_A_FILE)
        with os.fdopen(fd, "rb") as file:
            before = os.fstat(fd)
            if before.st_size > MAX_FILE:
                raise Unreadable(f"larger than {MAX_FILE // 1_048_576} MB: split it")
            data = file.read(MAX_FILE + 1)
            after = os.fstat(fd)
        # Where it was written to meanwhile, an impossible size makes the next scan read it again.
        same = _fingerprint(before) == _fingerprint(after)
        return data, _fingerprint(after) if same else _fingerprint(after)._replace(size=-1)

    def fingerprint(self, path: str, root: str = MEMORY) -> Fingerprint | None:
        """Return the fingerprint of a file, or None where there is none that can be reached."""
        folder, name = os.path.split(f"{root}/{path}")
        try:
            with self._folders.open(folder) as at:
                return _fingerprint(os.stat(name, dir_fd=at, follow_symlinks=False))
        except OSError:
            return None

    def archived_paths(self) -> list[str]:
        """Return the paths of all archived files; of equal names the one archived last comes last."""
        found: dict[str, Stat] = {}
        self._scan(str(self.home / ARCHIVE), None, "", found, _DEPTH)
        return sorted(found, key=_by_number)

    def archived_as(self, path: str) -> list[str]:
        """Return the archive paths of the files archived from this path, the oldest first."""
        folder = os.path.dirname(path)
        try:
            with self._folders.open(f"{ARCHIVE}/{folder}") as at:
                names = [f"{folder}/{name}" for name in os.listdir(at)]
        except (OSError, Invalid):
            return []
        return sorted((name for name in names if name == path or _numbers(name, path)), key=_by_number)

    def archived(self, path: str) -> bool:
        """Tell whether a regular file lies at this path of the archive."""
        try:
            with self._folders.open(os.path.dirname(f"{ARCHIVE}/{path}")) as at:
                return stat.S_ISREG(os.stat(os.path.basename(path), dir_fd=at, follow_symlinks=False).st_mode)
        except (OSError, Invalid):
            return False

    def links(self) -> list[str]:
        """Return the folders of the home that are links, which are not followed."""
        return [name for name in (MEMORY, ARCHIVE) if (self.home / name).is_symlink()]

    # Changing: the caller holds the lock

    def furnish(self) -> None:
        """Make the folders of a new home."""
        for path in (f"{MEMORY}/entities", f"{MEMORY}/episodes", ARCHIVE):
            with self._folders.open(path, create=True):
                pass

    def create(self, path: str, data: bytes, hashed: str = "") -> Fingerprint:
        """Write a new memory file, flushed to the disk when this returns. Raises AlreadyExists.

        `hashed` is the hash of the bytes where the caller has it.
        """
        temporary = f"c~{(hashed or digest(data))[:12]}~{os.getpid()}"
        folder, name = os.path.split(f"{MEMORY}/{path}")
        with self._folders.open(folder, create=True) as at, self._bench.open() as tmp:
            _refuse_twin(name, at)
            self.at("create: write")
            fs.write_new(temporary, data, tmp)
            try:
                self.at("create: link")
                os.link(temporary, name, src_dir_fd=tmp, dst_dir_fd=at, follow_symlinks=False)
            except FileExistsError:
                raise AlreadyExists(f"a file already exists at {path}.") from None
            finally:
                self.at("create: unlink")
                with suppress(OSError):  # a file that is left is removed by the next change
                    os.unlink(temporary, dir_fd=tmp)
            self.at("create: flush")
            try:
                self._folders.flush_name(folder, at)
                return _fingerprint(os.stat(name, dir_fd=at, follow_symlinks=False))
            except OSError:
                with suppress(OSError):  # a change that fails must leave nothing behind
                    os.unlink(name, dir_fd=at)
                raise

    def replace(self, path: str, data: bytes, expected: str, id: str) -> Fingerprint:
        """Replace the text of a file that still has the expected hash; the old text goes into the history.

        Raises Surprise where the file has another text, which then stays.
        """
        folder, name = os.path.split(f"{MEMORY}/{path}")
        key, ours = self._shelves.key(id), digest(data)
        shelf = f"{HISTORY}/{key}"
        temporary, sign = f"u~{expected[:12]}~{ours[:12]}~{key}", f"p~{ours[:12]}"
        with (
            self._folders.open(folder) as at,
            self._bench.open() as tmp,
            self._folders.open(shelf, create=True) as kept,
        ):
            mode = stat.S_IMODE(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)
            self.at("replace: write")
            fs.write_new(f"w~{temporary}", data, tmp, mode)
            # The path that `recover` needs to put a text back if this process is killed. (Without it, after a loss of
            # power, the text goes into the history.)
            fs.write_new(sign, path.encode(), tmp, lasting=False)
            os.rename(f"w~{temporary}", temporary, src_dir_fd=tmp, dst_dir_fd=tmp)  # complete from here on
            try:
                self.at("replace: swap")
                fs.swap(temporary, name, tmp, at)
            except OSError:
                clear(tmp, temporary, sign)
                raise
            self.at("replace: compare")
            old = read_at(temporary, tmp)
            if old is None or digest(old) != expected:
                self._bench.swap_back(temporary, name, tmp, at, ours)
                clear(tmp, sign)
                raise Surprise(old or b"")
            self._keep(temporary, name, tmp, at, kept, shelf, ours)
            clear(tmp, sign)
            return _fingerprint(os.stat(name, dir_fd=at, follow_symlinks=False))

    def _keep(self, temporary: str, name: str, tmp: int, at: int, kept: int, shelf: str, ours: str) -> None:
        """Move the old text into the history. Where the disk refuses, put it back into its place and raise OSError."""
        old_name, old_folder = temporary, tmp
        try:
            self.at("replace: keep the old text")
            old_name, old_folder = self._bench.shelve(temporary, tmp, kept, shelf), kept
            self.at("replace: flush")
            fs.flush(at)
        except OSError:
            with suppress(OSError, Surprise):
                self._bench.swap_back(old_name, name, old_folder, at, ours)
            raise

    def archive(self, path: str) -> str:
        """Move a memory file into the archive; return its path below archive/."""
        return self._move(MEMORY, path, ARCHIVE, path, number=True)

    def restore(self, archive_path: str, path: str) -> str:
        """Move a file from the archive back below memory/; return its path. Raises AlreadyExists."""
        return self._move(ARCHIVE, archive_path, MEMORY, path)

    def rename(self, path: str, new_path: str) -> str:
        """Move a memory file to another path; return that path. Raises AlreadyExists."""
        return self._move(MEMORY, path, MEMORY, new_path)

    def _move(self, root: str, path: str, new_root: str, new_path: str, number: bool = False) -> str:
        folder, name = os.path.split(f"{root}/{path}")
        new_folder, new_name = os.path.split(f"{new_root}/{new_path}")
        with self._bench.open(), self._folders.open(folder) as at, self._folders.open(new_folder, create=True) as there:
            if not number and (root, folder, _folded(name)) != (new_root, new_folder, _folded(new_name)):
                _refuse_twin(new_name, there)
            self._folders.flush_way(new_folder, there)
            for tried in numbered(new_name):
                try:
                    self.at("move: rename")
                    fs.move(name, tried, at, there)
                    break
                except FileExistsError:
                    if not number:
                        raise AlreadyExists(f"a file already exists at {new_path}.") from None
            self.at("move: flush")
            try:
                fs.flush(there)
                fs.flush(at)
            except OSError:
                with suppress(OSError):  # a move that fails is taken back
                    fs.move(tried, name, there, at)
                raise
        return os.path.join(os.path.dirname(new_path), tried)

    def write_plain(self, path: str, data: bytes) -> None:
        """Write or replace a file that the program makes (MEMORY.md, a first STRATEGY.md), without a history."""
        folder, name = os.path.split(path)
        temporary = f"g~{digest(data)[:12]}"
        with self._folders.open(folder, create=True) as at, self._bench.open() as tmp:
            self.at("generate: write")
            fs.write_new(temporary, data, tmp)
            self.at("generate: rename")
            os.rename(temporary, name, src_dir_fd=tmp, dst_dir_fd=at)
            self._folders.flush_name(folder, at)

    def put_aside(self, path: str) -> str:
        """Move a file that is no memory into the history; return its path there."""
        folder, name = os.path.split(path)
        with self._folders.open(folder) as at, self._folders.open(HISTORY, create=True) as kept:
            for tried in numbered(f"{name.removesuffix('.md')}-{self.clock():%Y%m%dT%H%M%SZ}.md"):
                with suppress(FileExistsError):
                    self.at("put aside: rename")
                    fs.move(name, tried, at, kept)
                    fs.flush(kept)
                    fs.flush(at)
                    return f"{HISTORY}/{tried}"
        raise AssertionError("there is always another number")

    def refuse_taken(self, path: str) -> None:
        """Raise AlreadyExists where a file has this path, or one that differs only in case or composed letters."""
        folder, name = os.path.split(f"{MEMORY}/{path}")
        try:
            with self._folders.open(folder) as at:
                _refuse_twin(name, at)
                if name in os.listdir(at):
                    raise AlreadyExists(f"a file already exists at {path}.")
        except FileNotFoundError:
            pass

    def purge(self, archive_path: str) -> None:
        """Delete a file of the archive for good."""
        self.at("purge: delete")
        folder, name = os.path.split(f"{ARCHIVE}/{archive_path}")
        with self._folders.open(folder) as at:
            os.unlink(name, dir_fd=at)
            fs.flush(at)

    # History and recovery

    def history(self, id: str) -> list[Version]:
        """Return the texts of a memory that updates replaced, the oldest first, without those of other lives of the id.

        A text from before there were lives may be of another memory: it is not `certain` then.
        """
        return self._shelves.of(id)

    def history_of_life(self, id: str, life: str) -> list[Version]:
        """Return the texts of the memory that had an id in one of its lives, the oldest first."""
        return self._shelves.of(id, life)

    def history_of_nobody(self, id: str) -> list[Version]:
        """Return the texts of an id that no memory has now, as far as they are of no archived memory for certain."""
        return [version._replace(certain=False) for version in self._shelves.of(id, _NOBODY)] + self.strange_history(id)

    def strange_history(self, id: str) -> list[Version]:
        """Return the texts of an id of which nobody knows any more of which memory they are."""
        return self._shelves.strangers(id)

    def old_text(self, id: str, version: str) -> bytes:
        """Return the text of a version by its name. Raises NotFound where this memory has no such text."""
        for each in [*self._shelves.of(id), *self._shelves.strangers(id)]:
            if each.name == version:
                return self.text_of(each)
        raise NotFound(f"'{id}' has no earlier text {shown(version)} any more.")

    def text_of(self, version: Version) -> bytes:
        """Return the text of a version."""
        return self.read(version.file, f"{HISTORY}/{version.shelf}")[0]

    def kept_files(self) -> Iterator[str]:
        """Yield the path of every file in the history, below it."""
        top = str(self.home / HISTORY)
        for folder, _, names in os.walk(top):
            yield from (os.path.relpath(os.path.join(folder, name), top) for name in sorted(names))

    def purge_history(self, versions: list[Version]) -> None:
        """Delete replaced texts for good."""
        self.at("purge: history")
        self._shelves.delete(versions)

    def recover(self) -> None:
        """Finish or take back changes that killed processes left half done; `recovered` says which."""
        with suppress(FileNotFoundError), self._bench.open(create=False):
            pass


def is_memory(path: str) -> bool:
    """Tell whether a scan would list a file of this name."""
    name = path.rpartition("/")[2]
    return name.endswith(".md") and name not in NOT_MEMORIES and name[0] != "."


def _is_text(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def _fingerprint(at: os.stat_result) -> Fingerprint:
    """Return a fingerprint of numbers that SQLite can hold, cutting off what is too large for it.

    A date after 2262 is, and so is the inode of some network disks.
    """
    mtime, ctime, inode = (
        number if abs(number) <= _LARGEST else number & _LARGEST
        for number in (at.st_mtime_ns, at.st_ctime_ns, at.st_ino)
    )
    return Fingerprint(at.st_size, mtime, ctime, inode)


def _refuse_twin(name: str, folder: int) -> None:
    """Raise AlreadyExists where another name in the folder differs only in case or composed letters.

    On some disks the two would be one file.
    """
    folded, size = _folded(name), len(name)
    for other in os.listdir(folder):
        if other.isascii() and (len(other) != size or other.lower() != folded):
            continue  # nearly all names; this makes a large folder fast
        if other != name and _folded(other) == folded:
            raise AlreadyExists(f"a file already exists under that name ('{other}').")


def _folded(name: str) -> str:
    """Return a name in the form in which two names that are one file on some disks are equal."""
    if name.isascii():
        return name.lower()
    import unicodedata

    return unicodedata.normalize("NFC", name).casefold()


def _numbers(archive_path: str, path: str) -> bool:
    """Tell whether a path of the archive is another with a number."""
    found = re.search(r"~([0-9]+)\.md$", archive_path)
    folder, name = os.path.split(path)
    return found is not None and archive_path == os.path.join(folder, with_number(name, int(found[1])))


def _by_number(path: str) -> tuple[str, int]:
    """Return the key that sorts old-style.md, old-style~2.md, …, old-style~10.md in the order of archiving."""
    plain = unnumbered(path)
    return plain, 1 if plain == path else int(path.rpartition("~")[2].removesuffix(".md"))

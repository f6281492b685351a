"""The few system calls that keep files intact: flush, swap two names, move without replacing.

Linux and macOS have a call for each; where a file system lacks one, the nearest safe sequence of calls is used.
Windows is not supported, because it has none of them.
"""

import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_MISSING = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
SPARE = "s~"  # before the name of a file that is being swapped in steps
_NO_REPLACE, _EXCHANGE = 1, 2  # Linux; macOS has the same meanings as 4 and 2


def flush(fd: int) -> None:
    """Flush a file to the disk. On macOS fsync alone would leave it in the drive's cache."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fsync(fd)


def flush_path(path: Path) -> None:
    """Flush a file or a folder by its path."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        flush(fd)
    finally:
        os.close(fd)


def write_new(name: str, data: bytes, folder: int, mode: int = 0o600, *, lasting: bool = True) -> None:
    """Write a new file completely or not at all, flushed if it is `lasting`. Raises FileExistsError, OSError."""
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if mode != 0o600:
            os.fchmod(fd, mode)
        if lasting:
            flush(fd)
    except BaseException:
        os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(fd)


def move_oddities(database: Path) -> None:
    """Rename a pipe, folder or link with the name of a journal: SQLite would wait for it or write elsewhere."""
    for suffix in ("-journal", "-wal", "-shm"):
        move_oddity(Path(f"{database}{suffix}"))


def move_oddity(path: Path) -> None:
    """Rename what stands at the path of a file and is none: a pipe, a folder or a link."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        os.rename(path, f"{path}.odd-{os.urandom(4).hex()}")


def swap(old: str, new: str, old_folder: int, new_folder: int) -> None:
    """Exchange two files' names in one step, or in a safe sequence where the file system cannot do that."""
    try:
        _rename(old, new, old_folder, new_folder, _EXCHANGE)
    except OSError as error:
        if error.errno not in _MISSING:
            raise
        # Not atomic for the second name, but the first name always has a complete file.
        spare = f"{SPARE}{old}"
        os.link(new, spare, src_dir_fd=new_folder, dst_dir_fd=old_folder, follow_symlinks=False)
        os.rename(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder)
        os.rename(spare, old, src_dir_fd=old_folder, dst_dir_fd=old_folder)


def move(old: str, new: str, old_folder: int, new_folder: int) -> None:
    """Rename a file without replacing another. Raises FileExistsError where the new name is taken."""
    try:
        _rename(old, new, old_folder, new_folder, _NO_REPLACE)
    except OSError as error:
        if error.errno not in _MISSING:
            raise
        os.link(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
        os.unlink(old, dir_fd=old_folder)


def _rename(old: str, new: str, old_folder: int, new_folder: int, flags: int) -> None:
    call, takes = _rename_call()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(old_folder, os.fsencode(old), new_folder, os.fsencode(new), takes[flags]) != 0:
        import ctypes

        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), old)


@cache
def _rename_call() -> tuple[Any, dict[int, int]]:
    import ctypes  # takes time to import, and only writers need it

    library = ctypes.CDLL(None, use_errno=True)
    name, takes = ("renameat2", {1: 1, 2: 2}) if sys.platform == "linux" else ("renameatx_np", {1: 4, 2: 2})
    return getattr(library, name, None), takes

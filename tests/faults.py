"""Faults put into a copy of the package, each of which the tests must notice: who tests the tests?"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent


class Fault(NamedTuple):
    name: str
    file: str
    right: str
    wrong: str
    caught_by: tuple[str, ...]


_SWAP = "                fs.swap(temporary, name, tmp, at)\n            except OSError:"
_IN_PLACE = """                fd = os.open(name, os.O_WRONLY | os.O_TRUNC, dir_fd=at)
                self.at("halfway")
                os.write(fd, data)
                os.close(fd)
            except OSError:"""
_LINK = "os.link(temporary, name, src_dir_fd=tmp, dst_dir_fd=at, follow_symlinks=False)"
_MOVED = "                keep(_read(taken))\n                taken.unlink()"
FAULTS = (
    Fault(
        "a text is written in place", "storage/files.py", _SWAP, _IN_PLACE, ("test_memory_files.py", "test_kills.py")
    ),
    Fault("no fsync before a file gets its name", "storage/fs.py", "if lasting:", "if False:", ("test_power_loss.py",)),
    Fault(
        "no fsync of the folder",
        "storage/folders.py",
        "        fs.flush(at)\n        self.flush_way(folder, at)\n",
        "        self.flush_way(folder, at)\n",
        ("test_power_loss.py",),
    ),
    Fault(
        "a file is moved into a folder whose own name may be lost",
        "storage/files.py",
        "            self._folders.flush_way(new_folder, there)\n            for tried",
        "            for tried",
        ("test_power_loss.py",),
    ),
    Fault(
        "creating replaces what is there",
        "storage/files.py",
        _LINK,
        "os.rename(temporary, name, src_dir_fd=tmp, dst_dir_fd=at)",
        ("test_memory_files.py",),
    ),
    Fault(
        "an update renames blindly",
        "storage/files.py",
        _SWAP,
        _SWAP.replace("fs.swap(temporary, name, tmp, at)", "os.rename(temporary, name, src_dir_fd=tmp, dst_dir_fd=at)"),
        ("test_memory_files.py",),
    ),
    Fault(
        "what came out of the swap is not looked at",
        "storage/files.py",
        "if old is None or digest(old) != expected:",
        "if old is None:",
        ("test_memory_files.py", "test_many_processes.py"),
    ),
    Fault(
        "the archive replaces an older file",
        "storage/fs.py",
        "        _rename(old, new, old_folder, new_folder, _NO_REPLACE)",
        "        os.rename(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder)",
        ("test_memory_files.py",),
    ),
    Fault(
        "recovery throws away what a killed update took out",
        "storage/recovery.py",
        'if parts[0] == "u" and interrupted',
        'if parts[0] == "never" and interrupted',
        ("test_memory_files.py", "test_kills.py"),
    ),
    Fault(
        "a text saved in the instant of a killed update is only history",
        "storage/recovery.py",
        "if digest(data).startswith(expected):",
        "if data is not None:",
        ("test_kills.py",),
    ),
    Fault(
        "a killed compaction is not finished",
        "brain/compact.py",
        "    def resume(self) -> None:\n",
        "    def resume(self) -> None:\n        return\n\n    def _resume(self) -> None:\n",
        ("test_kills.py", "test_brain_lifecycle.py"),
    ),
    Fault(
        "scores are added to, not set",
        "brain/scores.py",
        "ledger.set_score(id, score, at)",
        "ledger.set_score(id, min(0.95, old + score - 0.5), at)",
        ("test_brain_lifecycle.py",),
    ),
    Fault(
        "a step is noted apart from what it did",
        "brain/compact.py",
        """                with brain.bookkeeping.deciding():
                    for number, action, outcome, undo in noted:
                        self._note_step(applier, number, action, outcome, undo)
""",
        """                for number, action, outcome, undo in noted:
                    with brain.bookkeeping.deciding():
                        if undo is not None:
                            applier.note(action, undo)
                    with brain.bookkeeping.deciding():
                        brain.ledger.step_done(applier.run, number, outcome, undo)
""",
        ("test_kills.py", "test_brain_lifecycle.py"),
    ),
    Fault(
        "the lock is a process's own",
        "storage/lock.py",
        "fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        ("test_many_processes.py", "test_ledger.py"),
    ),
    Fault(
        "a transaction takes its lock late",
        "storage/keep.py",
        '            self.do("BEGIN IMMEDIATE")\n        except',
        '            self.do("SELECT 1")\n        except',
        ("test_ledger.py",),
    ),
    Fault(
        "the ledger does not wait for the disk",
        "storage/ledger_file.py",
        "synchronous = FULL",
        "synchronous = OFF",
        ("test_ledger.py", "test_power_loss.py"),
    ),
    Fault(
        "looks are forgotten before they are kept",
        "storage/turn_log.py",
        _MOVED,
        "                looks = _read(taken)\n                taken.unlink()\n                keep(looks)",
        ("test_turns.py", "test_kills.py"),
    ),
    Fault(
        "trouble of the disk counts as a corrupt ledger",
        "storage/keep.py",
        "if is_busy(error) or is_trouble(error):",
        "if is_busy(error):",
        ("test_ledger.py", "test_disk_trouble.py"),
    ),
    Fault(
        "a signal may count twice",
        "storage/turns.py",
        "AND outcome IS NOT NULL), 0)",
        "AND outcome IS NOT NULL AND 0), 0)",
        ("test_brain_feedback.py", "test_kills.py"),
    ),
    Fault(
        "another process's index is trusted",
        "storage/sync.py",
        "return self.index.state() == self._left and",
        "return",
        ("test_inotify.py",),
    ),
    Fault(
        "folders may come and go unseen",
        "storage/inotify.py",
        "_UNTOLD = _ITSELF | _FOLDER |",
        "_UNTOLD =",
        ("test_inotify.py",),
    ),
    Fault("other disks are trusted", "storage/inotify.py", "not in _LOCAL", "in ()", ("test_inotify.py",)),
)


def source(fault: Fault) -> str:
    return (ROOT / "clawbrain" / fault.file).read_text()


def copy_of_the_package(folder: Path) -> Path:
    copy = folder / "package"
    for name in ("clawbrain", "tests", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def noticed(copy: Path, fault: Fault) -> bool:
    """Whether the tests of a copy of the package turn red with this fault in it."""
    file = copy / "clawbrain" / fault.file
    right = file.read_text()
    file.write_text(right.replace(fault.right, fault.wrong, 1))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TORTURE")}
    environment |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    tests = [f"tests/{name}" for name in fault.caught_by]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=600)
    file.write_text(right)
    assert ended.returncode in (0, 1), ended.stdout.decode()
    return ended.returncode == 1

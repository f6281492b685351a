"""What a loss of power may leave on a disk, made from the system calls of a real process.

strace records a verb. Everything it did to names and bytes becomes a list of changes, each of which is sure to be on
the disk only once its file (for bytes) or one of its folders (for names) was fsynced. A loss of power at a moment
keeps what was sure by then, and of the rest any part: every change may be there or not, whatever came after it.
A name's change is one thing: a rename is never seen half, as with the journals of ext4, XFS, btrfs and APFS.
"""

import itertools
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from traced import BEGIN, END, calls, run

CALLS = "openat,close,dup,lseek,write,pwrite64,writev,ftruncate,fallocate,fsync,fdatasync,rename,renameat,"
CALLS += "renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,fchmod"
_LINE = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)(.*)")


@dataclass(eq=False)
class Node:
    """A file's bytes or a folder's names."""

    data: bytearray = field(default_factory=bytearray)
    names: dict[str, "Node"] | None = None

    def at(self, path: str) -> "Node":
        node = self
        for part in Path(path).parts:
            assert node.names is not None
            node = node.names[part]
        return node


@dataclass(eq=False)
class Change:
    touches: tuple[Node, ...]  # an fsync of any of these makes it sure
    do: Callable[[], None]
    said: str
    derived: bool = False  # of the index, which is made anew after every start of the machine
    sure_from: int = sys.maxsize  # the number of the change before which it was flushed


def read(folder: Path) -> Node:
    """A folder as it stands on the real disk."""
    root = Node(names={})
    for path in sorted(folder.iterdir()):
        assert root.names is not None
        root.names[path.name] = read(path) if path.is_dir() else Node(bytearray(path.read_bytes()))
    return root


def write(node: Node, folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name, inner in (node.names or {}).items():
        if inner.names is None:
            (folder / name).write_bytes(inner.data)
        else:
            write(inner, folder / name)


class Recording:
    """The changes of one verb, ready to be made again, all of them or some."""

    def __init__(self, lines: list[str], home: Path, before: Path) -> None:
        self.home, self.root = str(home), read(before)
        self.changes: list[Change] = []
        self._descriptors: dict[str, tuple[Node, int]] = {}  # what it is, and where the next write goes
        self._derived: set[Node] = set()
        self._start = self._copied(self.root)
        for name, node in self.root.at(".clawbrain").names.items():  # type: ignore[union-attr]
            if name.startswith("index.db"):
                self._derived.add(node)
        for line in lines:
            if found := _LINE.match(line):
                self._take(found[1], found[2].split(", "), int(found[3]))

    # Recording: the changes are made on one copy as they are read, so that every name is known by what it meant

    def _take(self, call: str, args: list[str], result: int) -> None:
        if result >= 0 and (take := getattr(self, f"_{call}", None)):
            take(args, result)

    def _change(self, said: str, touches: tuple[Node, ...], do: Callable[[], None]) -> None:
        do()
        self.changes.append(Change(touches, do, said, touches[0] in self._derived))

    def _node(self, descriptor: str) -> Node | None:
        number, path = _descriptor(descriptor)
        if number in self._descriptors:
            return self._descriptors[number][0]
        return self._looked_up(path)

    def _looked_up(self, path: str) -> Node | None:
        if path == self.home or not path.startswith(self.home + "/"):
            return self.root if path == self.home else None
        try:
            return self.root.at(path[len(self.home) + 1 :])
        except (KeyError, AssertionError):
            return None

    def _place(self, descriptor: str, name: str) -> tuple[Node, str] | None:
        """The folder and the name in it that a call speaks of; None for what lies elsewhere."""
        path = _text(name)
        if path.startswith("/"):
            folder = self._looked_up(str(Path(path).parent))
        else:
            folder = self._node(descriptor)
            for part in Path(path).parts[:-1]:
                folder = (folder.names or {}).get(part) if folder else None
        return (folder, Path(path).name) if folder and folder.names is not None else None

    def _openat(self, args: list[str], result: int) -> None:
        place = self._place(args[0], args[1])
        self._descriptors.pop(str(result), None)
        if place is None or place[1] in ("", "."):
            if found := self._looked_up(_text(args[1])) or (place and place[0]):
                self._descriptors[str(result)] = (found, 0)
            return
        folder, name = place
        assert folder.names is not None
        if "O_CREAT" in args[2] and name not in folder.names:
            self._set((folder, name, Node()), said=f"create {name}")
        node = folder.names[name]
        if name.startswith("index.db"):
            self._derived.add(node)
        if "O_TRUNC" in args[2]:
            self._ftruncate_node(node, 0)
        self._descriptors[str(result)] = (node, len(node.data) if "O_APPEND" in args[2] else 0)

    def _close(self, args: list[str], result: int) -> None:
        self._descriptors.pop(_descriptor(args[0])[0], None)

    def _lseek(self, args: list[str], result: int) -> None:
        number = _descriptor(args[0])[0]
        if number in self._descriptors:
            self._descriptors[number] = (self._descriptors[number][0], result)

    def _write(self, args: list[str], result: int) -> None:
        number = _descriptor(args[0])[0]
        if node := self._node(args[0]):
            at = self._descriptors.get(number, (node, len(node.data)))[1]
            self._written(node, at, _bytes(args[1])[:result])
            self._descriptors[number] = (node, at + result)

    def _pwrite64(self, args: list[str], result: int) -> None:
        if node := self._node(args[0]):
            self._written(node, int(args[3]), _bytes(args[1])[:result])

    def _written(self, node: Node, at: int, data: bytes) -> None:
        def do() -> None:
            twin = self._twin(node)
            twin.data.extend(bytes(max(0, at - len(twin.data))))
            twin.data[at : at + len(data)] = data

        self._change(f"write {len(data)} at {at}", (node,), do)

    def _ftruncate(self, args: list[str], result: int) -> None:
        if node := self._node(args[0]):
            self._ftruncate_node(node, int(args[1]))

    def _ftruncate_node(self, node: Node, size: int) -> None:
        def do() -> None:
            twin = self._twin(node)
            twin.data[:] = twin.data[:size] + bytes(max(0, size - len(twin.data)))

        self._change(f"truncate to {size}", (node,), do)

    def _fsync(self, args: list[str], result: int) -> None:
        if node := self._node(args[0]):
            for change in self.changes:
                if node in change.touches:
                    change.sure_from = min(change.sure_from, len(self.changes))

    def _set(self, *entries: tuple[Node, str, Node | None], said: str) -> None:
        def do() -> None:
            for folder, name, node in entries:
                names = self._twin(folder).names
                assert names is not None
                if node is None:
                    names.pop(name, None)
                else:
                    names[name] = self._twin(node)

        self._change(said, tuple(folder for folder, _, _ in entries), do)

    def _renameat2(self, args: list[str], result: int) -> None:
        old, new = self._place(args[0], args[1]), self._place(args[2], args[3])
        if old and new:
            assert old[0].names is not None and new[0].names is not None
            exchanged = new[0].names[new[1]] if "RENAME_EXCHANGE" in args[-1] else None
            said = f"rename {old[1]} to {new[1]}"
            self._set((*old, exchanged), (*new, old[0].names[old[1]]), said=said)

    def _rename(self, args: list[str], result: int) -> None:
        self._renameat2(["AT_FDCWD", args[0], "AT_FDCWD", args[1]], result)

    def _linkat(self, args: list[str], result: int) -> None:
        old, new = self._place(args[0], args[1]), self._place(args[2], args[3])
        if old and new:
            assert old[0].names is not None
            self._set((*new, old[0].names[old[1]]), said=f"link {new[1]}")

    def _unlinkat(self, args: list[str], result: int) -> None:
        if place := self._place(args[0], args[1]):
            self._set((*place, None), said=f"unlink {place[1]}")

    def _unlink(self, args: list[str], result: int) -> None:
        self._unlinkat(["AT_FDCWD", args[0]], result)

    def _mkdirat(self, args: list[str], result: int) -> None:
        if place := self._place(args[0], args[1]):
            self._set((*place, Node(names={})), said=f"mkdir {place[1]}")

    def _mkdir(self, args: list[str], result: int) -> None:
        self._mkdirat(["AT_FDCWD", args[0]], result)

    _fdatasync, _renameat, _rmdir = _fsync, _renameat2, _unlink

    # Making it again

    def _copied(self, node: Node) -> dict[Node, Node]:
        """Every node of the beginning with a copy of what it held then."""
        held = {node: Node(bytearray(node.data), None if node.names is None else dict(node.names))}
        for inner in (node.names or {}).values():
            held |= self._copied(inner)
        return held

    def _twin(self, node: Node) -> Node:
        if self._making is None:
            return node
        if node not in self._making:  # made by the verb, or a name in a folder of the beginning
            first = self._start.get(node)
            twin = Node(bytearray(first.data) if first else bytearray(), {} if node.names is not None else None)
            self._making[node] = twin
            if first and first.names is not None:
                twin.names = {name: self._twin(inner) for name, inner in first.names.items()}
        return self._making[node]

    _making: dict[Node, Node] | None = None

    def left(self, moment: int, dropped: frozenset[int]) -> Node:
        """The disk after a loss of power before the change of that number, without the changes dropped."""
        self._making = {}
        try:
            root = self._twin(self.root)
            for number, change in enumerate(self.changes[:moment]):
                if number not in dropped:
                    change.do()
            return root
        finally:
            self._making = None

    def unsure(self, moment: int) -> list[int]:
        """What may be lost just before the flushes of that moment; at the end, after them."""
        least = moment + (moment == len(self.changes))
        return [number for number, change in enumerate(self.changes[:moment]) if change.sure_from >= least]

    def losses(self, random_ones: int, seed: int) -> Iterator[tuple[int, frozenset[int]]]:
        """Every prefix with all or nothing of what was unsure; every single change and pair dropped; and by chance."""
        seen: set[tuple[int, frozenset[int]]] = set()
        for loss in self._all_losses(random_ones, seed):
            if loss not in seen:
                seen.add(loss)
                yield loss

    def _all_losses(self, random_ones: int, seed: int) -> Iterator[tuple[int, frozenset[int]]]:
        moments = range(len(self.changes) + 1)
        flushes = {change.sure_from for change in self.changes} | {len(self.changes)}  # when the most is unsure
        for moment in moments:
            unsure = self.unsure(moment)
            yield moment, frozenset()
            yield moment, frozenset(unsure)
        for moment in moments:
            unsure = [number for number in self.unsure(moment) if not self.changes[number].derived]
            for count in (1, 2) if moment in flushes else (1,):
                for dropped in itertools.combinations(unsure, count):
                    yield moment, frozenset(dropped)
        chance = random.Random(seed)
        for _ in range(random_ones):
            moment = chance.choice(moments)
            share = chance.random()
            yield moment, frozenset(number for number in self.unsure(moment) if chance.random() < share)


def record(home: Path, module: str, verb: str, days: int) -> Recording:
    """What a process does to a home from the beginning of the verb to its end."""
    before, said = home.parent / f"{home.name}-before", home.parent / f"{home.name}.strace"
    options = ["-y", "-xx", "-s", str(1 << 25), "-e", f"trace={CALLS}", "-o", str(said)]
    assert run(home, verb, days, *options, module=module, copy=str(before)) == (0, {"verb": "ok"})
    lines = [_plain(line) for line in calls(said)]
    begin = next(number for number, line in enumerate(lines) if BEGIN in line)
    end = next(number for number, line in enumerate(lines) if END in line)
    recording = Recording(lines[begin:end], home, before)
    shutil.rmtree(before)
    said.unlink()
    return recording


def _plain(line: str) -> str:
    """Marks are read as text; everything else stays as strace wrote it."""
    return line if "unlink" not in line else re.sub(r'"((?:\\x[0-9a-f]{2})+)"', lambda f: f'"{_text(f[1])}"', line)


def _bytes(quoted: str) -> bytes:
    plain = quoted.strip('"')
    return bytes.fromhex(plain.replace("\\x", "")) if plain.startswith("\\x") else plain.encode()


def _text(quoted: str) -> str:
    return _bytes(quoted).decode()


def _descriptor(argument: str) -> tuple[str, str]:
    number, _, path = argument.partition("<")
    return number, _text(path.rstrip(">"))

"""Check every file and every row of a home, and repair what is safe to repair. Each finding says what to do.

A fault is broken and needs a person; a note is only worth knowing. Repair does what is safe without asking (rebuild
what is derived, finish what was interrupted, adopt files, write the digest) and never deletes a row or a file.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from .. import credit
from ..credit_evidence import EVIDENCE_ONLY
from ..logs import INFO, Log
from ..memory.header import Unreadable
from ..memory.model import shown
from ..storage.credit_records import Event, Record
from ..storage.folders import ARCHIVE, MEMORY, TMP
from ..storage.index import Seen
from . import check_texts as texts
from .opening import hindrance
from .results import CheckFinding
from .standing import standing

if TYPE_CHECKING:
    from . import Brain

log = Log("storage")

Progress = Callable[[int, int], None]
_EXACT = 1e-9
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")


class Checks:
    """The check and the repair of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def check(self, progress: Progress | None = None) -> list[CheckFinding]:
        """Return all findings; `progress` gets the files compared and their number."""
        looked_at = (self._files(progress), texts.findings(self.brain), self._archive(), self._strategy())
        found = [*chain(*looked_at, self._ledger(), self._beside(), self._digest())]
        return texts.without_secrets(found)

    def repair(self, progress: Progress | None = None) -> list[str]:
        """Repair what is safe to repair; return a line for each thing that was done."""
        brain = self.brain
        brain.may_write()
        done = []
        brain.sync(now=True)
        if stale := list(self._stale(progress)):
            brain.index.put(stale)
            done.append(f"indexed {len(stale)} files anew")
        with brain.storage.locked():
            brain.files.recover()
        for path in self._open_to_others():
            path.chmod(0o700 if path.is_dir() else 0o600)
            done.append(f"closed {_within(path)} to others")
        if brain.records.problem():
            brain.records.begin_anew()
            done.append("set aside a broken .clawbrain/records.db and began a new one")
        if brain.ledger.runs("running"):
            brain.compaction.resume()
            done.append("finished an interrupted compaction")
        if strange := brain.ledger.unlike_events():
            with brain.bookkeeping.deciding():
                brain.ledger.rebuild_evidence()
            done.append(f"worked out the evidence of {len(strange)} memories anew, from their events")
        unknown = brain.index.ids() - brain.ledger.ids()
        brain.syncing.changed = True
        brain.settle()
        if adopted := len(unknown & brain.ledger.ids()):
            done.append(f"adopted {adopted} files that had no credit record")
        if list(self._digest()):
            brain.write_digest()
            done.append("wrote memory/MEMORY.md anew")
        for each in done:
            log(INFO, "repair: %s", each)
        return done

    # The findings

    def _files(self, progress: Progress | None) -> Iterator[CheckFinding]:
        self.brain.sync(now=True)
        for seen in self._stale(progress):
            where = f"memory/{seen.path}"
            yield CheckFinding(where, "the index has another text for it: run `check --repair`", fault=False)
        for folder in self.brain.files.links():
            yield CheckFinding(f"{folder}/", "is a link, and none is followed: put the folder itself into the home")
        for path, fault in self.brain.faults():
            yield CheckFinding(f"memory/{path}", fault)
        for file in sorted((self.brain.home / MEMORY).rglob("[!.]*")):
            if file.suffix.lower() in _MARKDOWN and file.suffix != ".md":
                where = str(file.relative_to(self.brain.home))
                yield CheckFinding(where, "is not looked at: name it with .md at the end", fault=False)

    def _stale(self, progress: Progress | None) -> Iterator[Seen]:
        """Yield the files whose text differs from the index's, though by stat they did not change."""
        known = self.brain.index.fingerprints()
        paths = sorted(known)
        for done, path in enumerate(paths):
            with suppress(FileNotFoundError, NotADirectoryError):
                yield from self.brain.syncing.news(path, known[path])
            if progress and done % 100 == 0:
                progress(done, len(paths))

    def _archive(self) -> Iterator[CheckFinding]:
        for path in self.brain.files.archived_paths():
            try:
                self.brain.files.read(path, ARCHIVE)
            except Unreadable as fault:
                yield CheckFinding(f"archive/{path}", f"cannot be brought back: {fault}")
            except FileNotFoundError:
                continue  # restored or purged during the check

    def _beside(self) -> Iterator[CheckFinding]:
        """Yield findings on all that lies in .clawbrain; of one that this user may not enter the first says so."""
        with suppress(PermissionError):
            yield from chain(self._sidecar(), self._records(), self._leftovers())

    def _sidecar(self) -> Iterator[CheckFinding]:
        """Yield findings on the files in .clawbrain: those that other users may read, and unreadable backups."""
        if self.brain.hindered:
            what = f"{self.brain.why_read_only}; until then this home is only read"
            yield CheckFinding(".clawbrain/", what, fault=bool(hindrance(self.brain.home)))
        for path in self._open_to_others():
            yield CheckFinding(_within(path), "others than its owner may read it: run `check --repair`", fault=False)
        for name in self.brain.ledger.bad_backups():
            yield CheckFinding(
                f".clawbrain/backups/{name}", "cannot be read and would be passed over: delete it", fault=False
            )

    def _records(self) -> Iterator[CheckFinding]:
        """Yield findings on the conversations and the audit log."""
        if problem := self.brain.records.problem():
            yield CheckFinding(
                ".clawbrain/records.db", f"{problem}: `check --repair` sets it aside and begins a new one, empty"
            )
        for path in sorted(self.brain.storage.folder.glob("records.db.corrupt-*")):
            note = "an unreadable message history, set aside; delete it when nobody needs it"
            yield CheckFinding(f".clawbrain/{path.name}", note, fault=False)

    def _open_to_others(self) -> list[Path]:
        folder = self.brain.storage.folder
        names = ("", "ledger.db", "index.db", "vectors.bin", "records.db", "turns.log", "history", "backups")
        private = [folder / name for name in names]
        return [path for path in private if path.exists() and path.stat().st_mode & 0o077]

    def _strategy(self) -> Iterator[CheckFinding]:
        for complaint in self.brain.policy.strategy().complaints:
            yield CheckFinding(f"STRATEGY.md:{complaint.line}", complaint.text, complaint.severity == "error")

    def _ledger(self) -> Iterator[CheckFinding]:
        ledger = self.brain.ledger
        for problem in ledger.problems():
            yield CheckFinding(".clawbrain/ledger.db", f"{problem}: run `check --repair`, or restore a backup")
        for where, what in ledger.unsound():
            yield CheckFinding(
                where, f"{what}; `dump` the ledger, mend the line and `load --replace` it, or restore a backup"
            )
        for sentence in ledger.warnings:
            yield CheckFinding(".clawbrain/ledger.db", sentence, fault=not ledger.lasting)
        records, live = ledger.records(), self.brain.index.ids()
        broken = {path for path, _ in self.brain.faults()}
        for id in sorted(id for id in records.keys() - live if records[id].path not in broken):
            yield CheckFinding(id, self._missing(records[id]), fault=False)
        if fresh := sorted(live - records.keys()):
            many = f" and {len(fresh) - 1} more: they have" if len(fresh) > 1 else ": it has"
            said = f"{fresh[0]}{many} no credit record yet; the next change, or an agent's next call, makes it"
            yield CheckFinding(".clawbrain/ledger.db", said, fault=False)
        for path in ledger.archived_paths():
            if not self.brain.files.archived(path):
                yield CheckFinding(f"archive/{path}", "was put away here and is gone; its credit is kept", fault=False)
        for id, said in replayed(ledger.events(), {id: record.score for id, record in records.items()}):
            yield CheckFinding(id, said)
        for holder in ledger.unlike_events():
            where = f"archive/{holder}" if "/" in holder else holder
            yield CheckFinding(where, "its evidence is not what its events add up to: run `check --repair`")
        if waiting := len(standing(self.brain)):
            yield CheckFinding(
                "contradictions",
                f"{waiting} {'is' if waiting == 1 else 'are'} open: see `clawbrain conflicts list`",
                fault=False,
            )

    def _missing(self, record: Record) -> str:
        """Return what became of the file of a credit record, and what a person does who has renamed it."""
        if other := self.brain.index.at(record.path):
            return f"its file, {record.path}, has the id {shown(other.id)} now; its credit waits for it"
        said = f"its file is missing ({record.path}); its credit waits for it"
        how = f"write `id: {record.id}` into its header, between two lines of `---` on top"
        return f"{said}: if you renamed it, {how}; if you deleted it, there is nothing to do"

    def _leftovers(self) -> Iterator[CheckFinding]:
        for run in self.brain.ledger.runs("running"):
            yield CheckFinding(f"run {run.id}", "was interrupted: run `check --repair` to finish it")
        folder = self.brain.home / TMP
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            yield CheckFinding(f"{TMP}/{path.name}", "left by a killed process: run `check --repair`")
        for path in sorted(self.brain.storage.folder.glob("ledger.db.corrupt-*")):
            note = "an unreadable ledger, set aside; delete it when nobody needs it"
            yield CheckFinding(f".clawbrain/{path.name}", note, fault=False)

    def _digest(self) -> Iterator[CheckFinding]:
        try:
            written = self.brain.files.read("MEMORY.md")[0].decode(errors="replace")
        except (FileNotFoundError, Unreadable):
            written = ""
        if not self.brain.digest_file.is_ours():
            where = "memory/MEMORY.md"
            yield CheckFinding(where, "was not written by clawbrain: `digest` moves it into the history", fault=False)
        elif written and written != self.brain.digest_text():
            yield CheckFinding(
                "memory/MEMORY.md", "is older than the memories: `clawbrain digest` writes it", fault=False
            )


def _within(path: Path) -> str:
    return path.name if path.name == ".clawbrain" else f".clawbrain/{path.name}"


def replayed(events: Iterable[tuple[Event, str]], scores: dict[str, float]) -> Iterator[tuple[str, str]]:
    """Yield the memories whose score does not follow from their events, with the event or the reason."""
    current: dict[str, float] = {}
    for event, at in events:
        if event.event_type in EVIDENCE_ONLY:
            continue
        before = current.get(event.memory_id, event.old_score)
        follows = event.event_type not in ("store", "restore")
        if follows and abs(before - event.old_score) > _EXACT:
            yield event.memory_id, f"the event of {at} begins at another score than the one before it ended with"
        if abs(_again(event) - event.new_score) > _EXACT:
            yield event.memory_id, f"the event of {at} ({event.event_type}) does not lead to its own score"
        current[event.memory_id] = event.new_score
    for id, score in scores.items():
        if abs(current.get(id, credit.START) - score) > _EXACT:
            yield id, "its score is not what its events add up to: see `clawbrain show --history`"


def _again(event: Event) -> float:
    """Return the score to which an event leads, computed from its numbers."""
    if event.event_type == "drift":
        return credit.drift(event.old_score, event.days or 0, event.per_day or 0, event.floor or 0)
    if event.event_type in credit.SIGNALS:
        reward, share, expected, rate = event.reward, event.share, event.expected, event.rate
        return credit.moved(event.old_score, credit.step(reward or 0, share or 0, expected or 0, rate or 0))
    return event.new_score

"""Verbs, a person's hands, accidents and a wandering clock in any order, against a plain dict of what must be there."""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from conftest import Clock, dies_at
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from measure import times

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import Changed, NotFound, Refused

NAMES = [f"m{number}" for number in range(6)]
names = st.sampled_from(NAMES)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text.strip() and not text.lstrip().startswith("---") and text == text.strip("\n")
)
TEMPLATE = Path(tempfile.mkdtemp(prefix="machine-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT"))) / "home"


def id_of(name: str) -> str:
    return f"entity-things-{name}"


class Store(RuleBasedStateMachine):
    """`live` and `away` are all there is to know: name to text, and what was put away, newest last."""

    def __init__(self) -> None:
        super().__init__()
        if not TEMPLATE.exists():
            open_brain(TEMPLATE, clock=Clock()).close()
        self.folder = Path(tempfile.mkdtemp(dir=TEMPLATE.parent))
        self.home = Path(shutil.copytree(TEMPLATE, self.folder / "home"))
        self.clock = Clock()
        self.live: dict[str, str] = {}
        self.away: dict[str, list[str]] = {}
        self.sessions = 0

    @initialize()
    def begin(self) -> None:
        self.brain = self.opened()

    def opened(self) -> Brain:
        self.sessions += 1
        return open_brain(self.home, session=f"s{self.sessions}", clock=self.clock)

    def teardown(self) -> None:
        self.brain.close()
        shutil.rmtree(self.folder)

    def path(self, name: str) -> Path:
        return self.home / f"memory/entities/things/{name}.md"

    # Verbs

    @rule(name=names, text=texts)
    def store(self, name: str, text: str) -> None:
        try:
            self.brain.store("entity", name, text, category="things")
        except Refused:
            assert name in self.live
        else:
            assert name not in self.live
            self.live[name] = text

    @rule(name=names, text=texts)
    def update(self, name: str, text: str) -> None:
        try:
            self.brain.update(id_of(name), text)
        except Changed as changed:
            assert changed.current == self.live[name]
            self.brain.retrieve(id_of(name))
        except Refused:
            assert name not in self.live
        else:
            self.live[name] = text

    @rule(name=names)
    def archive(self, name: str) -> None:
        try:
            self.brain.archive(id_of(name))
        except Refused:
            assert name not in self.live
        else:
            self.away.setdefault(name, []).append(self.live.pop(name))

    @rule(name=names)
    def restore(self, name: str) -> None:
        try:
            self.brain.restore(id_of(name))
        except Refused:
            assert name in self.live or not self.away.get(name)
        else:
            self.live[name] = self.away[name].pop()

    @rule(name=names)
    def retrieve(self, name: str) -> None:
        try:
            assert self.brain.retrieve(id_of(name)).memory.content == self.live[name]
        except NotFound:
            assert name not in self.live
        except Refused:
            assert name not in self.live and self.away[name]

    @rule(signal=st.sampled_from(["task_completed", "user_correction"]))
    def feedback(self, signal: str) -> None:
        try:
            self.brain.feedback(signal)
        except Refused:
            assert not self.brain.ledger.turns_since_signal(str(self.brain.session))

    @rule(name=names)
    def pin(self, name: str) -> None:
        if name in self.live:
            self.brain.owner.pin(id_of(name))
            self.brain.owner.pin(id_of(name), False)

    @rule(word=st.sampled_from(["m", "a", "tea", ""]))
    def search(self, word: str) -> None:
        assert {hit.id for hit in self.brain.search(word).hits} <= {id_of(name) for name in self.live}
        self.brain.settle()

    @rule()
    def compact(self) -> None:
        """Entities are not merged; some are old and weak enough to be put away."""
        run = self.brain.compact()
        for detail in run.details:
            name = detail.partition("entity-things/")[2].partition("'")[0]
            self.away.setdefault(name, []).append(self.live.pop(name))

    @rule()
    def undo(self) -> None:
        try:
            run = self.brain.compaction.undo()
        except Refused:
            return
        for detail in run.details:
            name = detail.partition("entity-things/")[2].partition("'")[0]
            self.live[name] = self.away[name].pop()

    # A person

    @rule(name=names, text=texts)
    def saves(self, name: str, text: str) -> None:
        """A file without a header; its times are of this moment, whatever our own clock says."""
        self.path(name).parent.mkdir(exist_ok=True)
        spare = self.path(name).with_name("save.tmp")
        spare.write_text(text + "\n", newline="")
        spare.replace(self.path(name))
        self.live[name] = text

    @rule(name=names)
    def deletes(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)
        self.live.pop(name, None)

    @rule(name=names)
    def spoils_and_mends(self, name: str) -> None:
        if name in self.live:
            before = self.path(name).read_bytes()
            self.path(name).write_bytes(b"---\nid: [unclosed\n")
            self.brain.sync()
            assert self.brain.known(id_of(name)) is None
            self.path(name).write_bytes(before)

    # Accidents

    @rule()
    def opens_again(self) -> None:
        self.brain.close()
        self.brain = self.opened()

    @rule(name=names, text=texts, after=st.integers(0, 12), verb=st.sampled_from(["store", "update", "archive"]))
    def is_killed(self, name: str, text: str, after: int, verb: str) -> None:
        """Another process dies in a verb: the store is as before it or as after it."""
        verbs: dict[str, Callable[[Brain], object]] = {
            "store": lambda brain: brain.store("entity", name, text, category="things"),
            "update": lambda brain: brain.update(id_of(name), text),
            "archive": lambda brain: brain.archive(id_of(name)),
        }

        def tried(brain: Brain) -> None:
            with suppress(Refused):
                verbs[verb](brain)

        dies_at(after, self.home, self.clock, tried)
        self.brain.close()
        self.brain = self.opened()
        self.brain.sync(now=True)
        there = self.brain.known(id_of(name))
        now = there.content if there else None
        before = self.live.get(name)
        assert now in {"store": (before, text), "update": (before, text), "archive": (before, None)}[verb]
        assert verb == "archive" or before is None or now is not None
        if before is None:
            assert verb == "store" or now is None
        if verb == "archive" and before is not None and now is None:
            self.away.setdefault(name, []).append(self.live.pop(name))
        elif now is not None:
            self.live[name] = now

    @rule(days=st.sampled_from([0.001, 1, 40, 200, -1, -100]))
    def clock_jumps(self, days: float) -> None:
        moved = self.clock.now + timedelta(days=days)
        self.clock.now = max(datetime(2020, 1, 1, tzinfo=UTC), min(datetime(2040, 1, 1, tzinfo=UTC), moved))

    @rule()
    def index_is_deleted(self) -> None:
        (self.home / ".clawbrain/index.db").unlink(missing_ok=True)

    @precondition(lambda self: self.live)
    @rule()
    def ledger_is_spoilt(self) -> None:
        """Credit may be lost with it; no memory is."""
        (self.home / ".clawbrain/ledger.db").write_bytes(b"garbage" * 100)
        self.brain.close()
        self.brain = self.opened()

    # What always holds

    @invariant()
    def all_is_there(self) -> None:
        if not hasattr(self, "brain"):
            return
        found = {memory.name: memory.content for memory in self.brain.memories()}
        assert found == self.live
        away = [path.read_text() for path in (self.home / "archive").rglob("*.md")]
        assert len(away) == sum(map(len, self.away.values()))
        self.brain.settle()
        assert self.brain.ledger.ids() >= {id_of(name) for name in self.live}
        assert all(0 <= each.score <= 1 for each in self.brain.credits().values())


TestStore = Store.TestCase
TestStore.settings = settings(
    max_examples=times(60, 10_000),
    stateful_step_count=times(20, 40),
    suppress_health_check=list(HealthCheck),
)

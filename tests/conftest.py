"""A brain in a folder of its own, with a clock that stands until a test moves it."""

import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from clawbrain.brain import Brain, open_brain

# A machine may stand still at any moment: that is no fault of what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

# No test asks the model that a developer's environment names.
os.environ.pop("CLAWBRAIN_LLM_URL", None)

# Tests wait for no disk where there is a file system in memory.
if os.access("/dev/shm", os.W_OK):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 2, 25, 10, tzinfo=UTC)
        self.runs = timedelta()  # so much further at each look

    def __call__(self) -> datetime:
        self.now += self.runs
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once and copied: a first opening waits for the disk many times."""
    home = tmp_path_factory.mktemp("new") / "home"
    open_brain(home, clock=Clock()).close()
    return home


@pytest.fixture
def home(new_home: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(new_home, tmp_path / "home"))


@pytest.fixture
def opened(home: Path, clock: Clock) -> Iterator[Callable[..., Brain]]:
    """Opens the home, as often as a test likes; each is another process's brain as far as it can tell."""
    brains: list[Brain] = []

    def again(session: str | None = "session-1", **how: object) -> Brain:
        brains.append(open_brain(home, session=session, clock=clock, **how))  # type: ignore[arg-type]
        return brains[-1]

    yield again
    for brain in brains:
        brain.storage.close()


@pytest.fixture
def brain(opened: Callable[..., Brain]) -> Brain:
    return opened()


@pytest.fixture
def write(home: Path) -> Callable[..., Path]:
    """What a person does: a file below memory/, without asking anybody."""

    def by_hand(path: str, text: str | bytes) -> Path:
        file = home / "memory" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return by_hand


def just_before(part: object, step: str, accident: Callable[[], object]) -> None:
    """Somebody else is quicker: once, as a part of the brain comes to a step of its own."""
    real, happened = getattr(part, step), []

    def slow(*args: object, **kwargs: object) -> object:
        if not happened:
            happened.append(True)
            accident()
        return real(*args, **kwargs)

    setattr(part, step, slow)


def dies_at(number: int, home: Path, clock: Clock, verb: Callable[[Brain], object]) -> bool:
    """Another process opens the home, does the verb, and is gone at its nth step; False when it got through."""
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 9), "the process failed by itself: see the traceback above"
        return status == 9
    left = number

    def at(step: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os._exit(9)

    try:
        with open_brain(home, session="killed", clock=clock, at=at) as brain:
            verb(brain)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def deaths(
    home: Path, clock: Clock, verb: Callable[[Brain], object], most: int = 500, every: int = 1
) -> Iterator[tuple[int, Path]]:
    """A copy of the home for each step of the verb, or each n-th, as a process killed at that step left it."""
    for number in range(0, most, every):
        copy = home.parent / f"{home.name}-{number}"
        shutil.copytree(home, copy)
        if not dies_at(number, copy, clock, verb):
            assert number > 1, "the verb has no steps"
            return
        yield number, copy
        shutil.rmtree(copy)
    raise AssertionError("the verb never got through")


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The command line, in this process."""
    from click.testing import CliRunner

    from clawbrain.cli import command_line

    monkeypatch.delenv("CLAWBRAIN_SESSION_ID", raising=False)
    monkeypatch.setenv("CLAWBRAIN_HOME", str(home))
    return lambda *words, input=None: CliRunner().invoke(command_line, [*map(str, words)], input=input)

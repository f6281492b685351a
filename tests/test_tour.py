"""The tour, run as a newcomer runs it."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clawbrain.cli import tour
from clawbrain.errors import Broken
from docs import recording


@pytest.fixture(scope="module")
def walked() -> tuple[dict[str, list], str, float]:  # type: ignore[type-arg]
    said: list[str] = []
    begun = time.monotonic()
    seen = tour.walk(lambda text, style="": said.append(text))
    return seen, "\n".join(said), time.monotonic() - begun


def test_it_uses_the_tools_as_an_agent_would(walked) -> None:  # type: ignore[no-untyped-def]
    used = {call["tool"] for call in walked[0]["calls"]}
    assert used == {"memory_store", "memory_search", "memory_retrieve", "memory_feedback", "memory_compact"}


def test_it_shows_the_credit_move(walked) -> None:  # type: ignore[no-untyped-def]
    [feedback] = [call["answer"] for call in walked[0]["calls"] if call["tool"] == "memory_feedback"]
    assert feedback["updated"][0]["new_score"] > feedback["updated"][0]["old_score"]
    assert f"{feedback['updated'][0]['new_score']:.2f}" in walked[1]


def test_a_preference_comes_back_in_the_next_session_unasked(walked) -> None:  # type: ignore[no-untyped-def]
    second = walked[1].partition("\n2  ")[2].partition("\n3  ")[0]
    at_start, _, at_prompt = second.partition("when you say")
    assert "Always pnpm, never npm." in at_start and "Always pnpm, never npm." in at_prompt


def test_the_answer_to_a_question_is_shown_whole(walked) -> None:  # type: ignore[no-untyped-def]
    assert "last good copy" in walked[1].partition("\n3  ")[2].partition("\n4  ")[0]
    assert max(map(len, walked[1].splitlines())) <= 90


def test_it_prints_one_memory_whole(walked) -> None:  # type: ignore[no-untyped-def]
    assert '| id: "episode-' in walked[1]
    assert "| - Set the feed client's timeout" in walked[1]


def test_it_names_the_files_that_resulted(walked) -> None:  # type: ignore[no-untyped-def]
    assert "memory/entities/projects/ferry-times.md" in walked[0]["files"]
    assert any(file.startswith("archive/") for file in walked[0]["files"])
    assert all(file in walked[1] for file in walked[0]["files"])


def test_it_says_what_to_do_next(walked) -> None:  # type: ignore[no-untyped-def]
    assert "clawbrain install" in walked[1] and "README" in walked[1]


def test_it_ends_with_the_command_that_runs_from_here(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "clawbrain"
    script.write_text(f"#!{sys.executable}\nfrom clawbrain.__main__ import main\nmain()\n")
    script.chmod(0o700)
    done = subprocess.run([script, "tour"], cwd=tmp_path, capture_output=True, text=True)
    assert "   bin/clawbrain install\n" in done.stdout


def test_it_takes_less_than_a_minute(walked) -> None:  # type: ignore[no-untyped-def]
    assert walked[2] < 60


def test_it_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "clawbrain", "tour"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_without_a_terminal_it_is_plain_text(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "clawbrain", "tour"], capture_output=True, text=True)
    assert "\x1b" not in done.stdout


def test_a_server_that_does_not_answer_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(Broken, match="the tour ended early"):
        tour.walk(lambda *_: None)


def test_a_server_that_answers_something_else_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "python"
    greeting, answer = ({"jsonrpc": "2.0", "id": n, "result": {"structuredContent": {}}} for n in (1, 2))
    program.write_text(
        f"#!/bin/sh\nread a\necho '{json.dumps(greeting)}'\nread b; read c\necho '{json.dumps(answer)}'\n"
    )
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(Broken, match="answered unexpectedly"):
        tour.walk(lambda *_: None)


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_the_picture_in_the_readme_shows_what_the_commands_answer_now() -> None:
    assert texts(recording.PICTURE.read_text("utf-8")) == texts(recording.drawn()), "run `make docs`"


def test_the_picture_asks_the_network_for_nothing() -> None:
    addresses = re.findall(r"https?://[^\"')]+", recording.PICTURE.read_text("utf-8"))
    assert set(addresses) == {"http://www.w3.org/2000/svg"}

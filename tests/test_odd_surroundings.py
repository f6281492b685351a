"""Closed or full outputs, impossible homes and arguments out of bounds end in one sentence and the right status."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
UNPRINTED = "clawbrain: the answer could not be printed, because the system refused: "


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Run a line in which {clawbrain} is the program; return its status, output and errors."""

    def run(line: str, **environ: str) -> tuple[int, str, str]:
        env = {**os.environ, "HOME": str(tmp_path), "CLAWBRAIN_HOME": str(home), **environ}
        env.pop("PYTHONUNBUFFERED", None)  # what a stream holds back is part of what is tried
        command = line.format(clawbrain=f"{sys.executable} -m clawbrain")
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=30
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


@pytest.mark.parametrize("words", ["list", "list --json", "report", "strategy", "--help"])
@pytest.mark.parametrize(
    ("to", "why"), [(">&-", "Bad file descriptor (EBADF)"), (">/dev/full", "No space left on device (ENOSPC)")]
)
def test_a_standard_output_that_takes_nothing_is_said(shell, words: str, to: str, why: str) -> None:
    assert shell(f"{{clawbrain}} {words} {to}") == (3, "", f"{UNPRINTED}{why}.\n")


@pytest.mark.parametrize("to", [">&-", ">/dev/full"])
def test_a_refusal_keeps_its_status_whatever_becomes_of_the_output(shell, to: str) -> None:
    status, _, said = shell(f"{{clawbrain}} show nope --json {to}")
    assert status == 1
    assert said.startswith("clawbrain: 'nope' is not found") and said.count("\n") == 1


@pytest.mark.parametrize("to", ["2>&-", "2>/dev/full"])
def test_a_standard_error_that_takes_nothing_changes_neither_answer_nor_status(shell, write, to: str) -> None:
    write("entities/people/broken.md", "---\nunclosed")
    assert shell(f"echo '{{{{}}}}' | {{clawbrain}} hook prompt {to}") == (0, "{}\n", "")
    assert shell(f"{{clawbrain}} list --json {to}") == (0, '{\n  "memories": []\n}\n', "")
    assert shell(f"{{clawbrain}} show nope {to}") == (1, "", "")


def test_all_streams_may_be_closed(shell, home: Path) -> None:
    assert shell("{clawbrain} store entity a --category b text <&- >&- 2>&-")[0] == 3
    assert (home / "memory/entities/b/a.md").exists()


@pytest.mark.parametrize("verb", ["list", "store entity a --category b c", "install claude --print", "init"])
def test_a_home_of_a_user_that_does_not_exist_is_wrong_usage(shell, verb: str) -> None:
    status, _, said = shell(f"{{clawbrain}} {verb}", CLAWBRAIN_HOME="~no-such-user/x")
    assert (status, said) == (
        2,
        "clawbrain: there is no user for '~no-such-user/x': write out the folder of the home.\n",
    )
    assert shell(f"{{clawbrain}} {verb} --home '~no-such-user/x'")[0] == 2


@pytest.mark.parametrize("verb", ["list", "store entity a --category b c", "install claude --print"])
def test_a_home_whose_name_is_not_utf_8_is_wrong_usage(shell, tmp_path: Path, verb: str) -> None:
    status, _, said = shell(f"CLAWBRAIN_HOME={tmp_path}/$'\\xff' {{clawbrain}} {verb}")
    assert (status, said.count("\n")) == (2, 1)
    assert "is not UTF-8" in said


@pytest.mark.parametrize("name", ["x" * 256, "é" * 128, "/".join(["xx"] * 1_500)])
def test_a_home_whose_name_is_too_long_is_wrong_usage(run: Run, name: str) -> None:
    for words in (["list"], ["store", "entity", "a", "--category", "b", "c"], ["check"]):
        result = run(*words, "--home", name)
        assert (result.exit_code, "is too long" in result.stderr) == (2, True)


def test_serve_and_hook_say_that_a_home_cannot_be(shell) -> None:
    status, _, said = shell("{clawbrain} serve", CLAWBRAIN_HOME="~no-such-user/x")
    assert (status, said.count("\n")) == (2, 1)
    assert shell("echo '{{}}' | {clawbrain} hook prompt", CLAWBRAIN_HOME="~no-such-user/x")[:2] == (0, "{}\n")


@pytest.mark.parametrize("prefix", ["a b", "é", "x/y", "x" * 33])
def test_a_prefix_that_no_tool_may_have_is_wrong_usage(shell, prefix: str) -> None:
    status, _, said = shell(f"{{clawbrain}} serve --tool-prefix '{prefix}'")
    assert (status, said.count("\n")) == (2, 1)
    assert said.startswith("clawbrain serve: --tool-prefix")


HUGE = "9" * 20


@pytest.mark.parametrize("words", [
    ["search", "x", "--limit"], ["report", "--top"], ["messages", "--limit"], ["audit", "--limit"], ["log", "--limit"],
])  # fmt: skip
def test_a_limit_beyond_the_range_is_wrong_usage(run: Run, tmp_path: Path, words: list[str]) -> None:
    run("call", "memory_search", '{"query": "x"}')
    done = run(*words, HUGE)
    assert done.exit_code == 2 and "is not in the range" in done.stderr

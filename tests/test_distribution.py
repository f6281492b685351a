"""The distribution is `clawbrain-mcp`; package and command are `clawbrain`, which on PyPI is another program."""

import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from clawbrain import DISTRIBUTION, version
from clawbrain.agents import programs

REPOSITORY = Path(__file__).parent.parent
PAGES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"), REPOSITORY / "Makefile"])
PRINTED = sorted(
    path for ending in ("py", "json", "js") for path in (REPOSITORY / "clawbrain").rglob(f"*.{ending}")
)  # fmt: skip
PROGRAMS = [
    "antigravity", "claude-code", "claude-desktop", "cline", "codex", "copilot", "cursor", "gemini-cli", "goose",
    "kiro", "opencode", "vscode", "windsurf", "zed",
]  # fmt: skip
SCRIPTS = ["clawbrain", "clawbrain-mcp"]

OPTION = r"(?:\s+-{1,2}[\w-]+(?:=\S+)?)*"
INSTALLER = rf"(?:pip3?|pipx|uv|poetry|conda){OPTION}(?:\s+(?:pip|tool))?\s+(?:install|add|run|inject|upgrade)|uvx"
FROM_AN_INDEX = re.compile(rf"\b(?:{INSTALLER}){OPTION}\s+['\"]?clawbrain(?![\w-]*/)", re.IGNORECASE)


def installs_from_an_index(text: str) -> list[str]:
    """Return the commands in a text that would install something called clawbrain from a package index."""
    return FROM_AN_INDEX.findall(" ".join(text.split()))


@pytest.mark.parametrize(
    "command",
    [
        "pip install clawbrain",
        "python -m pip install --upgrade 'clawbrain[semantic]'",
        "pip\ninstall clawbrain",
        "pipx install clawbrain",
        "pipx run clawbrain serve",
        "uv tool install clawbrain",
        "uv pip install -q clawbrain-mcp",
        "uvx clawbrain-mcp serve",
        "uvx --from clawbrain-mcp clawbrain",
    ],
)
def test_a_command_that_installs_from_an_index_is_recognised(command: str) -> None:
    assert installs_from_an_index(command)


@pytest.mark.parametrize(
    "command", ["pip install . && clawbrain tour", "clawbrain install claude", "uv tool install ."]
)
def test_other_commands_are_not(command: str) -> None:
    assert not installs_from_an_index(command)


LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.*)", re.MULTILINE)


def anchors(page: str) -> set[str]:
    """Return the names by which a link may lead to the headings of a page."""
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in HEADING.findall(page)}


def broken_links(page: Path) -> list[str]:
    """Return the links of a page that lead to no file or no heading of the repository."""
    broken = []
    for link in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if ":" in link or (target.exists() and not anchor):
            continue
        if not target.is_file() or anchor not in anchors(target.read_text("utf-8")):
            broken.append(link)
    return broken


def test_a_link_that_leads_nowhere_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Here it is!\n[a](#here-it-is) [b](page.md#nowhere) [c](none.md) `[d](none.md)` [e](https://e.org)\n"
    )
    assert broken_links(page) == ["page.md#nowhere", "none.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize("page", [*PAGES, *PRINTED], ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_no_page_and_no_printed_text_installs_it_from_an_index(page: Path) -> None:
    assert installs_from_an_index(page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "page", ["README.md", "llms-install.md", "docs/search.md", *(f"docs/agents/{name}.md" for name in PROGRAMS)]
)
def test_a_page_that_says_how_to_install_says_it_for_a_clone(page: str) -> None:
    text = (REPOSITORY / page).read_text("utf-8")
    assert "clone" in text
    for command in ("pipx install", "uv tool install", "pip install"):
        assert re.search(rf"{command} '?\.(?:\[semantic\]')?", text), command


def test_every_page_that_installs_is_among_them() -> None:
    says = re.compile(r"\b(?:pipx|uv tool|pip) install '?[.]")
    installing = {page.stem for page in PAGES if page.suffix == ".md" and says.search(page.read_text("utf-8"))}
    assert installing == {"README", "search", "llms-install", *PROGRAMS}


def test_the_readme_warns_of_the_other_program_once() -> None:
    readme = " ".join((REPOSITORY / "README.md").read_text("utf-8").split())
    assert readme.count("On PyPI, `clawbrain` is another program") == 1


def test_both_commands_are_the_same_program() -> None:
    scripts = {script.name: script.value for script in distribution(DISTRIBUTION).entry_points}
    assert scripts == dict.fromkeys(SCRIPTS, "clawbrain.__main__:main")


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_installed_command_says_its_version(script: str) -> None:
    command = Path(sys.executable).with_name(script)
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"clawbrain, version {version()}\n"
    assert re.fullmatch(r"\d+\.\d+\.\d+", version())


def test_install_writes_the_first_name_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SCRIPTS:
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "clawbrain-mcp"), "install"])
    assert programs.installed_command() == [str(tmp_path / "clawbrain")]

"""Entries that lead programs to a memory elsewhere: their forms, the way there and back, and what is refused."""

import json
import tomllib

import pytest
import yaml
from click.testing import CliRunner

from clawbrain.agents import install as installing
from clawbrain.agents import jsonc, programs
from clawbrain.agents.remote import Address, checked
from clawbrain.cli import command_line
from clawbrain.errors import Invalid

URL, NAME = "https://memory.example.org/mcp", "CLAWBRAIN_TOKEN"
TOKEN = "cbt_" + "Ab3-" * 10 + "Ab3"
BRACES = {"headers": {"Authorization": "Bearer ${CLAWBRAIN_TOKEN}"}}
ENV = {"headers": {"Authorization": "Bearer ${env:CLAWBRAIN_TOKEN}"}}
SHAPES = {
    "opencode": {
        "type": "remote", "enabled": True, "url": URL, "oauth": False,
        "headers": {"Authorization": "Bearer {env:CLAWBRAIN_TOKEN}"},
    },
    "claude": {"type": "http", "url": URL, **BRACES},
    "codex": {"url": URL, "bearer_token_env_var": NAME},
    "gemini": {"httpUrl": URL, "headers": {"Authorization": "Bearer $CLAWBRAIN_TOKEN"}},
    "cursor": {"url": URL, **ENV},
    "vscode": {"type": "http", "url": URL, **ENV},
    "windsurf": {"serverUrl": URL, **ENV},
    "copilot": {"type": "http", "tools": ["*"], "url": URL, **BRACES},
    "goose": {
        "enabled": True, "type": "streamable_http", "name": "clawbrain", "description": "Memory between sessions",
        "timeout": 300, "uri": URL, "env_keys": [NAME], **BRACES,
    },
    "kiro": {"url": URL, **BRACES},
}  # fmt: skip
WITHOUT_TOKEN = {
    "antigravity": {"serverUrl": URL},
    "zed": {"url": URL},
    "cline": {"type": "streamableHttp", "disabled": False, "url": URL},
}
ALL = [*SHAPES, *WITHOUT_TOKEN]
OTHERS = {
    ".json": '{\n  // mine\n  "theme": "dark",\n  "SERVERS": {\n    "other": {"command": "x"},\n  },\n}\n',
    ".toml": 'model = "x" # why\n\n[mcp_servers.other]\ncommand = "x"\n\n[last]\na = 1\n',
    ".yaml": "# mine\nextensions:\n  other:\n    enabled: true # yes\nlast: 1\n",
}


@pytest.fixture
def user(tmp_path):
    home = tmp_path / "user"
    home.mkdir()
    return home


def environ(user):
    return {"HOME": str(user), "PATH": ""}


def address_for(client):
    return Address(URL, NAME if client in SHAPES else "")


def install(client, user, address=None, **options):
    plan = installing.plan_install(client, environ(user), command=["/opt/bin/clawbrain"], address=address, **options)
    installing.apply(plan)
    return plan


def remove(client, user, **options):
    installing.apply(installing.plan_remove(client, environ(user), **options))


def file_of(client, user, project=None):
    return programs.config_file(client, environ(user), project)


def entry(client, file):
    read = {".toml": tomllib.loads, ".yaml": yaml.safe_load}.get(file.suffix, jsonc.read)
    data = read(file.read_text())
    for step in programs.PROGRAMS[client].place:
        data = data[step]
    return data


def files(folder):
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found.pop(".config/clawbrain/made-folders.json", None)  # the note of what install made
    return found


def owned(client, user):
    """Write a configuration of the owner's, with another server in it; return its file."""
    file = file_of(client, user)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(OTHERS[file.suffix].replace("SERVERS", programs.PROGRAMS[client].place[0]))
    return file


def test_every_program_is_told_of(user):
    assert {*ALL, "claude-desktop"} == set(programs.PROGRAMS)


@pytest.mark.parametrize("client", ALL)
def test_each_program_gets_its_own_form(user, client):
    install(client, user, address_for(client))
    assert entry(client, file_of(client, user)) == {**SHAPES, **WITHOUT_TOKEN}[client]
    assert len(files(user)) == 1  # no hooks, no plugin


@pytest.mark.parametrize("client", SHAPES)
def test_without_a_token_no_header_is_written(user, client):
    install(client, user, Address(URL))
    written = file_of(client, user).read_text()
    assert URL in written and not any(word in written for word in ("Bearer", "headers", "env_keys", "bearer", "oauth"))


@pytest.mark.parametrize("client", [each for each in ALL if programs.PROGRAMS[each].project_files])
def test_a_project_gets_the_same_entry(user, tmp_path, client):
    project = tmp_path / "project"
    project.mkdir()
    install(client, user, address_for(client), project=project)
    assert entry(client, file_of(client, user, project)) == {**SHAPES, **WITHOUT_TOKEN}[client]
    remove(client, user, project=project)
    assert not files(tmp_path)


@pytest.mark.parametrize("client", ALL)
def test_the_way_there_and_back_leaves_no_trace(user, client):
    file = owned(client, user)
    before = files(user)
    install(client, user)
    local = files(user)
    install(client, user, address_for(client))
    assert entry(client, file) == {**SHAPES, **WITHOUT_TOKEN}[client]
    assert not any(b"/opt/bin/clawbrain" in data for data in files(user).values())
    install(client, user)
    assert files(user) == local
    install(client, user, address_for(client))
    remove(client, user)
    assert files(user) == before


@pytest.mark.parametrize("client", ALL)
def test_the_way_there_and_back_in_a_file_of_ours_leaves_none(user, client):
    for address in (address_for(client), None, address_for(client)):
        install(client, user, address)
    remove(client, user)
    assert not files(user)


@pytest.mark.parametrize("client", ALL)
def test_it_comes_back_even_when_the_kept_copy_is_gone(user, client):
    file = owned(client, user)
    before = file.read_bytes()
    install(client, user, address_for(client))
    file.with_name(file.name + installing.BACKUP).unlink()
    remove(client, user)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("client", "text"),
    [("codex", ""), ("codex", "\n"), ("goose", "extensions: {}\na: 1\n"), ("goose", '{"GOOSE_MODEL": "x"}\n')],
)
def test_a_sparse_file_comes_back_byte_for_byte(user, client, text):
    file = owned(client, user)
    file.write_text(text)
    install(client, user, address_for(client))
    remove(client, user)
    assert file.read_text() == text


@pytest.mark.parametrize("client", ALL)
def test_installing_twice_changes_nothing_more(user, client):
    owned(client, user)
    install(client, user, address_for(client))
    assert install(client, user, address_for(client)).edits == ()


@pytest.mark.parametrize("client", SHAPES)
def test_another_address_without_a_token_takes_the_header_away(user, client):
    install(client, user, Address(URL, NAME))
    install(client, user, Address("https://other.example.org/mcp"))
    assert NAME not in file_of(client, user).read_text() and URL not in file_of(client, user).read_text()
    remove(client, user)
    assert not files(user)


def test_what_the_owner_added_to_the_entry_stays(user):
    install("gemini", user, Address(URL, NAME))
    file = file_of("gemini", user)
    text = file.read_text().replace('"headers": {', '"trust": true, "headers": {"X-Clawbrain-Session": "mine", ')
    file.write_text(text)
    install("gemini", user, Address("https://other.example.org/mcp", "OTHER"))
    assert entry("gemini", file) == {
        "httpUrl": "https://other.example.org/mcp", "trust": True,
        "headers": {"X-Clawbrain-Session": "mine", "Authorization": "Bearer $OTHER"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "entry", ['{"type": "http", "url": "U", "headers": {"Authorization": "Bearer x"}}', '{"url": 1}']
)
def test_a_foreign_entry_of_our_name_is_kept_beside(user, entry):
    text = f'{{"mcpServers": {{"clawbrain": {entry}}}}}'
    file = file_of("claude", user)
    file.write_text(text)
    install("claude", user, Address(URL, NAME))
    assert file.with_name(file.name + installing.BACKUP).read_text() == text


def test_rules_may_go_with_it(user):
    install("copilot", user, Address(URL, NAME), rules=True)
    assert set(files(user)) == {".copilot/mcp-config.json", ".copilot/instructions/clawbrain.instructions.md"}


@pytest.mark.parametrize("client", WITHOUT_TOKEN)
def test_a_program_that_reads_no_variable_is_refused_and_told_what_to_do(user, client):
    with pytest.raises(Invalid, match=r"takes no token from the environment.*leave out --token-env.*--oauth-issuer"):
        install(client, user, Address(URL, NAME))
    assert not files(user)


def test_claude_desktop_is_refused_and_told_what_to_do(user):
    with pytest.raises(Invalid, match=r"Claude Desktop reads no such server.*Settings, Connectors"):
        install("claude-desktop", user, Address(URL))


@pytest.mark.parametrize("client", ALL)
def test_the_plan_says_what_to_do_next(user, client):
    said = " ".join(install(client, user, address_for(client)).advice)
    assert (NAME in said) == (client in SHAPES)
    assert ("no hooks" in said) == bool(programs.PROGRAMS[client].hooks or client == "opencode")


# addresses


@pytest.mark.parametrize(
    "url", [URL, "http://127.0.0.1:8787/mcp", "http://[::1]:8787/mcp/mama", f"{URL}?being_id=nova"]
)
def test_an_address_is_taken_as_it_is(url):
    assert checked(url, NAME) == Address(url, NAME)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory.example.org/mcp", "address of a server"),
        ("ftp://memory.example.org/mcp", "address of a server"),
        ("https://", "address of a server"),
        ("https://memory.example.org:x/mcp", "address of a server"),
        ("https://memory.example.org/m cp", "address of a server"),
        ("https://memory.example.org/mcp\n", "address of a server"),
        ("https://ada:pw@memory.example.org/mcp", "leave them out"),
        (f"https://memory.example.org/mcp?token={TOKEN}", "--token-env"),
        ("https://memory.example.org", "write https://memory.example.org/mcp"),
        ("https://memory.example.org/mcp#x", "write https://memory.example.org/mcp"),
        ("http://memory.example.org/mcp", "--plain-http"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused(url, said):
    with pytest.raises(Invalid, match=said) as refused:
        checked(url, NAME)
    assert TOKEN not in str(refused.value) and "pw@" not in str(refused.value)


def test_http_to_another_machine_is_taken_when_that_is_said():
    assert checked("http://10.0.0.7:8787/mcp", plain=True).url == "http://10.0.0.7:8787/mcp"


@pytest.mark.parametrize("name", ["1A", "A-B", "A B", "A}", "a" * 101, TOKEN])
def test_a_name_that_is_none_is_refused_without_being_repeated(name):
    with pytest.raises(Invalid, match="--token-env") as refused:
        checked(URL, name)
    assert name not in str(refused.value)


# the command


def run(user, monkeypatch, *words):
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("CLAWBRAIN_HOME", str(user / "memory"))
    monkeypatch.chdir(user)
    return CliRunner().invoke(command_line, ["install", *words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--url", URL], "needs a CLIENT"),
        (["claude", "--token-env", NAME], "belong to --url"),
        (["claude", "--plain-http"], "belong to --url"),
        (["claude", "--url", URL, "--home", "x"], "leave out --home and --layer"),
        (["claude", "--url", URL, "--layer", "x"], "leave out --home and --layer"),
        (["claude", "--url", URL, "--token-env", ""], "needs the name of a variable"),
        (["claude", "--url", URL, "--remove"], "leave out --url"),
        (["claude", "--url", URL, "--existing"], "No such option"),
    ],
)
def test_options_that_do_not_go_together_are_refused(user, monkeypatch, words, said):
    done = run(user, monkeypatch, *words)
    assert done.exit_code == 2 and said in done.output and not files(user)


def test_the_command_writes_the_entry_and_begins_no_memory(user, monkeypatch):
    done = run(user, monkeypatch, "claude", "--url", URL, "--token-env", NAME, "--json")
    assert json.loads(done.output)["installed"][0]["changes"] == ["wrote ~/.claude.json"]
    assert set(files(user)) == {".claude.json"}
    shown = run(user, monkeypatch, "claude", "--url", URL, "--print")
    assert '-        "Authorization": "Bearer ${CLAWBRAIN_TOKEN}"' in shown.output
    assert NAME in (user / ".claude.json").read_text()

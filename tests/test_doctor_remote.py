"""What `clawbrain doctor` finds of entries that lead to a server elsewhere, with real servers and with odd ones."""

import json
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from http_server import HttpServer, make_token

from clawbrain.agents import doctor, doctor_remote
from clawbrain.agents import install as installing
from clawbrain.agents.programs import PROGRAMS
from clawbrain.agents.remote import Address
from clawbrain.brain import open_brain

NAME = "CLAWBRAIN_TOKEN"
STRANGER = "cbt_" + "Ab3-" * 10 + "Ab3"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("served") / "home"
    open_brain(home).close()
    return home


@pytest.fixture(scope="module")
def token(home):
    return make_token(home)


@pytest.fixture(scope="module")
def served(home, token):
    with HttpServer(home) as server:
        yield server


@pytest.fixture
def user(tmp_path):
    (tmp_path / "user").mkdir()
    (tmp_path / "work").mkdir()
    return tmp_path / "user"


def environ(user, **more):
    return {"HOME": str(user), "PATH": "/usr/bin:/bin", **more}


def install(client, user, url, variable=NAME, **options):
    plan = installing.plan_install(client, environ(user), address=Address(url, variable), **options)
    installing.apply(plan)


def examined(user, **more):
    """Return the checks of the one program, by name, and the exit status; no token stands in them."""
    reports = doctor.examine(environ(user, **more), user.parent / "work")
    assert not any(value in json.dumps(reports) for value in more.values())
    [report] = reports
    return {check["check"]: check for check in report["checks"]}, doctor.status(reports)


@contextmanager
def odd_server(answers):
    """Serve `answers`, which are (status, headers, text) by path; yield the address and the requests that came."""
    asked = []

    class Odd(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            asked.append(
                (self.command, self.path, self.headers.get("Authorization"), self.headers.get("Mcp-Session-Id"))
            )
            status, headers, text = answers.get(self.path, (404, {}, ""))
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        do_DELETE = do_GET

    server = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


ALIVE = {"/healthz": (200, {}, '{"status": "ok"}')}


@pytest.mark.parametrize("client", [name for name, each in PROGRAMS.items() if each.remote and each.remote.token])
def test_what_install_wrote_is_well(user, served, token, client):
    install(client, user, f"{served.url}/mcp")
    checks, status = examined(user, **{NAME: token})
    assert list(checks) == ["entry", "server", "token"] and status == 0
    assert checks["token"]["found"] == f"the server accepts the token in {NAME}"


def test_the_greeting_leaves_no_session(user):
    greeted = (200, {"Mcp-Session-Id": "s1"}, '{"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {}}}')
    with odd_server({**ALIVE, "/mcp": greeted}) as (url, asked):
        install("claude", user, f"{url}/mcp")
        assert examined(user, **{NAME: STRANGER})[1] == 0
    assert [(method, session) for method, _, _, session in asked] == [("GET", None), ("POST", None), ("DELETE", "s1")]


def test_a_server_that_several_programs_use_is_asked_once(user):
    with odd_server({"/healthz": (500, {}, "")}) as (url, asked):
        for client in ("claude", "codex", "gemini"):
            install(client, user, f"{url}/mcp")
        assert len(doctor.examine(environ(user), user.parent / "work")) == 3
    assert len(asked) == 1


def test_a_variable_that_is_not_set_is_something_to_do(user, served):
    install("codex", user, f"{served.url}/mcp")
    checks, status = examined(user)
    assert checks["variable"]["found"] == f"{NAME} is not set in this environment"
    assert checks["server"]["state"] == "well" and "token" not in checks and status == 1


def test_a_token_that_is_not_accepted_is_broken(user, served):
    install("claude", user, f"{served.url}/mcp")
    checks, status = examined(user, **{NAME: STRANGER})
    assert checks["token"]["found"] == f"the server does not accept the token in {NAME}" and status == 3


def test_an_entry_without_a_token_for_a_server_that_asks_for_one_is_broken(user, served):
    install("zed", user, f"{served.url}/mcp", "")
    checks, status = examined(user)
    assert checks["token"]["found"] == "the server asks for a token" and status == 3


def test_a_server_for_everybody_on_this_machine_asks_for_none(user, tmp_path):
    open_brain(tmp_path / "open").close()
    with HttpServer(tmp_path / "open", "--insecure-no-auth") as server:
        install("cline", user, f"{server.url}/mcp", "")
        checks, status = examined(user)
    assert checks["token"]["found"] == "the server asks for no token" and status == 0


def test_a_server_that_is_gone_is_broken(user, tmp_path):
    with odd_server({}) as (url, _):
        pass
    install("claude", user, f"{url}/mcp")
    checks, status = examined(user, **{NAME: STRANGER})
    assert "does not answer: Connection refused" in checks["server"]["found"] and status == 3
    assert "token" not in checks


@pytest.mark.parametrize("answer", [(404, {}, ""), (200, {}, "<html>"), (302, {"Location": "/mcp"}, "")])
def test_what_is_no_clawbrain_gets_no_token(user, answer):
    with odd_server({"/healthz": answer, "/mcp": (200, {}, '"status"')}) as (url, asked):
        install("claude", user, f"{url}/mcp")
        checks, status = examined(user, **{NAME: STRANGER})
    assert "is no clawbrain" in checks["server"]["found"] and status == 3
    assert asked == [("GET", "/healthz", None, None)]


def test_a_redirection_does_not_carry_the_token_along(user):
    with odd_server({}) as (other, asked_of_other):
        moved = (302, {"Location": f"{other}/mcp"}, "")
        with odd_server({**ALIVE, "/mcp": moved}) as (url, _):
            install("claude", user, f"{url}/mcp")
            checks, status = examined(user, **{NAME: STRANGER})
    assert "with status 302" in checks["token"]["found"] and status == 3
    assert asked_of_other == []


def test_a_server_that_lets_people_sign_in_is_a_note(user):
    asks = (401, {"WWW-Authenticate": 'Bearer resource_metadata="https://x/.well-known/y"'}, "")
    with odd_server({**ALIVE, "/mcp": asks}) as (url, _):
        install("zed", user, f"{url}/mcp", "")
        checks, status = examined(user)
    assert checks["token"]["state"] == "note" and "sign in" in checks["token"]["found"] and status == 0


def test_a_name_that_the_server_does_not_know_is_broken(user):
    with odd_server({"/healthz": (421, {}, "")}) as (url, _):
        install("claude", user, f"{url}/mcp")
        checks, _ = examined(user, **{NAME: STRANGER})
    assert "--allow-host 127.0.0.1" in checks["server"]["do"]


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_a_certificate_that_nobody_knows_gets_no_token(user, home, token, tmp_path, monkeypatch):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=memory"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(words, check=True, capture_output=True)
    with HttpServer(home, "--tls-cert", str(certificate), "--tls-key", str(key)) as server:
        install("claude", user, f"{server.url}/mcp")
        checks, status = examined(user, **{NAME: token})
        assert "its certificate is not accepted" in checks["server"]["found"] and "token" not in checks and status == 3
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert examined(user, **{NAME: token})[1] == 0


def test_a_server_that_never_answers_is_given_up(user, monkeypatch):
    monkeypatch.setattr(doctor_remote, "PATIENCE", 0.3)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as silent:  # listens, and reads nothing
        install("claude", user, f"http://127.0.0.1:{silent.server_address[1]}/mcp")
        checks, status = examined(user, **{NAME: STRANGER})
    assert "does not answer" in checks["server"]["found"] and status == 3


@pytest.mark.parametrize("value", [f"{STRANGER}\nX-Other: 1", f"{STRANGER}\u2026"])
def test_what_no_header_can_hold_is_no_token(user, served, value):
    install("claude", user, f"{served.url}/mcp")
    checks, status = examined(user, **{NAME: value})
    assert checks["token"]["found"] == f"what is in {NAME} is no token" and status == 3


def test_a_token_in_the_file_is_something_to_do_and_is_not_repeated(user, served, token):
    install("claude", user, f"{served.url}/mcp")
    file = user / ".claude.json"
    file.write_text(file.read_text().replace(f"${{{NAME}}}", token))
    checks, status = examined(user)
    assert "credentials of its own" in checks["token"]["found"] and "revoked" in checks["token"]["do"]
    assert token not in json.dumps(checks) and status == 1


def test_an_address_with_a_password_is_not_repeated(user):
    install("cursor", user, "https://memory.example.org/mcp")
    file = user / ".cursor/mcp.json"
    file.write_text(file.read_text().replace("https://", "https://ada:hush-hush@"))
    checks, status = examined(user)
    assert "hush" not in json.dumps(checks) and checks["entry"]["state"] == "broken" and status == 3


def test_an_entry_that_is_switched_off_is_something_to_do(user, served):
    install("opencode", user, f"{served.url}/mcp")
    file = user / ".config/opencode/opencode.json"
    file.write_text(file.read_text().replace('"enabled": true', '"enabled": false'))
    checks, status = examined(user)
    assert "switched off" in checks["entry"]["found"] and status == 1


def test_nothing_is_asked_for_the_configuration_of_a_folder(user):
    with odd_server(ALIVE) as (url, asked):
        install("claude", user, f"{url}/mcp", project=user.parent / "work")
        checks, status = examined(user, **{NAME: STRANGER})
    assert checks["server"]["state"] == "note" and "was not asked" in checks["server"]["found"] and status == 0
    assert asked == []


def test_the_command_ends_with_the_status(user, served, token):
    install("claude", user, f"{served.url}/mcp")
    words = [sys.executable, "-m", "clawbrain", "doctor"]
    for value, status in ((token, 0), (STRANGER, 3)):
        done = subprocess.run(
            words, cwd=user.parent / "work", env=environ(user, **{NAME: value}), capture_output=True, text=True
        )
        assert done.returncode == status and value not in done.stdout + done.stderr
    assert "does not accept the token" in done.stdout

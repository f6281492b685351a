"""Uploaded files and the server's log over MAMA's HTTP API."""

import pytest
from mama_api_caller import ApiCaller, endpoint
from profile_door import Door

from clawbrain.errors import NotFound
from clawbrain.profiles.mama.media import LARGEST, safe_name
from clawbrain.profiles.shared.endpoints import HttpCall, HttpFault, Upload

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.fixture
def call(brain):
    return ApiCaller(brain)


# --- uploads


@pytest.mark.parametrize(
    ("name", "content", "kind", "how"),
    [
        ("photo.png", PNG, "image/png", "inline"),
        ("notes.txt", b"Plain words", "text/plain", "inline"),
        ("data.json", b'{"a": 1}', "application/json", "inline"),
        ("photo.png", b"<html><script>x</script>", "application/octet-stream", "attachment"),
        ("notes.txt", b" \n<script>x</script>", "application/octet-stream", "attachment"),
        ("page.html", b"<p>x</p>", "text/html", "attachment"),
        ("drawing.svg", b"<svg onload='x'/>", "image/svg+xml", "attachment"),
        ("drawing.SVG", b"<svg/>", "image/svg+xml", "attachment"),
        ("feed.xml", b"<?xml version='1.0'?><a/>", "application/xml", "attachment"),
        ("tool.exe", b"MZ\x90\0", "application/octet-stream", "attachment"),
        ("noname", b"\x00\x01", "application/octet-stream", "attachment"),
        ("report.docx", b"PK\x03\x04rest", None, "attachment"),
    ],
)
def test_a_file_is_known_by_its_content_and_its_name(call, name, content, kind, how):
    kept = call.upload(name, content)
    assert kept["size"] == len(content) and kept["mediaUrl"] == f"/api/media/{kept['filename']}"
    assert call.get(kept["mediaUrl"]) == content
    assert call.answer.media_type.partition(";")[0] == kept["contentType"]
    assert kind in (None, kept["contentType"])
    assert call.answer.headers["Content-Disposition"] == f'{how}; filename="{kept["filename"]}"'
    assert "default-src 'none'" in call.answer.headers["Content-Security-Policy"]
    assert call.get(f"/api/media/download/{kept['filename']}") == content
    assert call.answer.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a\0b.txt", "a_b.txt"),
        ("／etc／passwd", "passwd"),
        ("photo\u202egnp.exe", "photognp.exe"),
        (".htaccess", "file.htaccess"),
        ("..", "file"),
        ("", "file"),
        ("Résumé (1).pdf", "Resume_1.pdf"),
        ("図.png", "file.png"),
        ("x" * 500 + ".png", "x" * 100 + ".png"),
        ("a.tar.gz", "a.tar.gz"),
        ("a\r\nSet-Cookie: x.txt", "a_Set-Cookie_x.txt"),
        ('a".txt', "a.txt"),
    ],
)
def test_a_name_is_made_safe(call, home, name, safe):
    assert safe_name(name) == safe
    kept = call.upload(name, b"x")
    assert kept["filename"] == f"1772013600_{safe}"
    assert [file.name for file in (home / "artifacts/media").iterdir()] == [kept["filename"]]


def test_two_files_of_one_name_are_two(call):
    first, second = (call.upload("a.txt", content)["mediaUrl"] for content in (b"1", b"2"))
    assert (call.get(first), call.get(second)) == (b"1", b"2")


@pytest.mark.parametrize("name", ["none.txt", "1_none.txt", "..", "1_..%2f", "1_a/../b", "1_a\0"])
def test_a_file_that_is_not_there_is_not_found(call, brain, name):
    one, _ = endpoint("GET", "/api/media/x")
    with pytest.raises(NotFound):
        one.answer(HttpCall(brain, None, {"name": name}))


def test_ten_files_a_minute_are_taken(call, clock, opened):
    for number in range(10):
        call.upload("a.txt", b"%d" % number)
        clock.forward(seconds=1)
    with pytest.raises(HttpFault) as raised:
        ApiCaller(opened()).upload("a.txt", b"x")  # another worker on the same home
    assert (raised.value.status, raised.value.code, raised.value.further) == (429, "RATE_LIMITED", {"retry_after": 50})
    clock.forward(seconds=50)
    assert call.upload("a.txt", b"x")["success"]


def test_a_large_file_is_taken_and_a_larger_one_refused(call):
    url = call.upload("big.zip", b"PK\x03\x04" + b"\xff" * (LARGEST - 4))["mediaUrl"]
    assert len(call.get(url)) == LARGEST
    assert call.refused("POST", "/api/upload", files=[Upload("file", "a", b"\xff" * (LARGEST + 1))])[0] == 413
    assert endpoint("POST", "/api/upload")[0].largest_body > LARGEST


@pytest.mark.parametrize("files", [[], [Upload("other", "a", b"x")], [Upload("file", "a", b"x")] * 2])
def test_an_upload_has_one_file_in_its_field(call, files):
    status, code, sentence = call.refused("POST", "/api/upload", files=files)
    assert (status, code) == (400, "MISSING_FILE") and "'file'" in sentence


def test_an_empty_file_is_refused(call):
    assert call.refused("POST", "/api/upload", files=[Upload("file", "a", b"")])[0] == 400


def test_a_secret_in_an_uploaded_text_is_treated_as_in_a_memory(call, home):
    (home / "STRATEGY.md").write_text("```yaml settings\nsafety: {secrets: redact}\n```\n")
    url = call.upload("password: Tr0ub4dor$3.txt", b"key: AKIAIOSFODNN7EXAMPLQ")["mediaUrl"]
    assert b"AKIAIOSFODNN7EXAMPLQ" not in call.get(url) and "Tr0ub4dor" not in url


def test_uploads_of_mama_are_artifacts_of_penfield(call, brain):
    name = call.upload("a.txt", b"Words")["filename"]
    assert Door(brain, "penfield")("retrieve_artifact", path=f"/media/{name}")["content"] == "Words"


def test_a_folder_is_no_file(call, brain, home):
    (home / "artifacts/media/1_folder").mkdir(parents=True)
    assert call.refused("GET", "/api/media/1_folder")[0] == 404
    assert Door(brain, "penfield").fault("retrieve_artifact", path="/media")["error_code"] == "NOT_FOUND"


# --- logs


def test_the_end_of_the_log_is_shown(call, tmp_path):
    file = tmp_path / "log"
    file.write_text("".join(f"line {number}\n" for number in range(300)) + f"home {call.brain.home} opened")
    shown = call("GET", "/api/logs/daemon", log_file=str(file))
    assert len(shown["lines"]) == 200 and shown["lines"][-1] == "home HOME opened"
    assert shown["total"] == 301 and shown["truncated"] is True and shown["totalBytes"] == file.stat().st_size
    assert shown["mtime"] == file.stat().st_mtime_ns // 1_000_000
    whole = call("GET", "/api/logs/daemon", log_file=str(file), query={"tail": 9999})
    assert len(whole["lines"]) == 301 and whole["truncated"] is False
    assert call("GET", "/api/logs/daemon", log_file=str(file), query={"tail": 1})["lines"] == ["home HOME opened"]


def test_a_log_that_did_not_change_is_not_sent_again(call, tmp_path):
    file = tmp_path / "log"
    file.write_text("one\n")
    changed = call("GET", "/api/logs/daemon", log_file=str(file))["mtime"]
    call("GET", "/api/logs/daemon", log_file=str(file), query={"since": changed})
    assert (call.answer.status, call.answer.body) == (304, None)
    assert call("GET", "/api/logs/daemon", log_file=str(file), query={"since": changed - 1})["lines"] == ["one"]


@pytest.mark.parametrize("words", [{}, {"log_file": "/nowhere/log"}, {"log_file": "/etc/hosts", "workspace": "w"}])
def test_without_a_log_of_ones_own_there_is_none(call, words):
    status, code, sentence = call.refused("GET", "/api/logs/daemon", **words)
    assert (status, code) == (404, "NO_LOG") and sentence.endswith((".",)) and "/nowhere" not in sentence


def test_logs_need_an_admin_and_the_dashboard_does_not():
    assert endpoint("GET", "/api/logs/daemon")[0].scope == "admin"
    assert endpoint("GET", "/api/dashboard/status")[0].scope == "read"

"""The settings of STRATEGY.md over MAMA's HTTP API."""

from pathlib import Path

import pytest
from mama_api_caller import ApiCaller, endpoint

from clawbrain.strategy import DEFAULT_TEXT, settings


@pytest.fixture
def call(brain):
    return ApiCaller(brain)


def page(home: Path) -> str:
    return (home / "STRATEGY.md").read_text()


def test_the_settings_in_force_are_shown(call):
    shown = call.get("/api/config")
    assert {f"{section}.{key}" for section, values in shown.items() for key in values} == set(settings())
    assert shown["duplicates"]["threshold"] == 88 and shown["pruning"]["protect_categories"] == ["people"]


def test_setting_one_adds_one_line_to_the_block(call, home, brain):
    before = page(home)
    assert call("PUT", "/api/config", {"duplicates": {"threshold": 93}})["duplicates"]["threshold"] == 93
    assert page(home).replace("duplicates: {threshold: 93}\n", "", 1) == before
    assert call("PUT", "/api/config", {"duplicates": {"threshold": 95}})["duplicates"]["threshold"] == 95
    assert page(home).replace("duplicates: {threshold: 95}\n", "", 1) == before
    assert brain.strategy().complaints == ()


def test_what_is_in_force_is_not_written(call, home):
    before = page(home)
    call("PUT", "/api/config", call.get("/api/config"))
    call("PUT", "/api/config", {})
    assert page(home) == before


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"layers": ["/elsewhere"]}, "layers"),
        ({"layers": {}}, "layers"),
        ({"": []}, "'' should hold settings"),
        ({"duplicates": {"threshold": {}}}, "duplicates.threshold: it should be a whole number"),
        ({"duplicates": {"": {"a": [[1]]}}}, "'' is no setting of 'duplicates'"),
        ({"duplicate": {"threshold": 90}}, "'duplicate' is no section; the nearest is 'duplicates'"),
        ({"duplicates": {"treshold": 90}}, "'treshold' is no setting of 'duplicates'; the nearest is 'threshold'"),
        ({"duplicates": {"threshold": "93"}}, "duplicates.threshold: it should be a whole number from 50 to 100"),
        ({"duplicates": {"threshold": 200}}, "duplicates.threshold: '200' is outside 50 to 100"),
        ({"pruning": {"min_age_days": 1}}, "no file can lower the floor of 14 days"),
        ({"pruning": {"max_score": 0.5}}, "pruning.max_score is told two things: line "),
        ({"duplicates": {"threshold": 90}, "decay": {"credit_floor": 7}}, "decay.credit_floor"),
    ],
)
def test_what_the_page_would_complain_of_is_refused_and_changes_nothing(call, home, body, named):
    before = page(home)
    status, code, sentence = call.refused("PUT", "/api/config", body)
    assert (status, code) == (400, "INVALID_REQUEST") and named in sentence
    assert page(home) == before


BLOCK = "# Mine\r\n\r\n```yaml settings\r\n{}```\r\nWords \r\n"


@pytest.mark.parametrize(
    ("lines", "wanted", "then"),
    [
        ("", {"duplicates": {"threshold": 93}}, "duplicates: {threshold: 93}\n"),
        ("# only this\n", {"duplicates": {"threshold": 93}}, "# only this\nduplicates: {threshold: 93}\n"),
        (
            "duplicates: # why\n  threshold: 90  # so\n",
            {"duplicates": {"threshold": 93}},
            "duplicates: # why\n  threshold: 93  # so\n",
        ),
        (
            "duplicates: {threshold: 90, enabled: true}\n",
            {"duplicates": {"threshold": 93}},
            "duplicates: {threshold: 93, enabled: true}\n",
        ),
        (
            "pruning:\n  protect_tags:\n    - a\n    - b\n  enabled: true\n",
            {"pruning": {"protect_tags": ["x y"]}},
            'pruning:\n  protect_tags: ["x y"]\n  enabled: true\n',
        ),
        (
            "pruning:\n  enabled: true\n",
            {"pruning": {"protect_tags": ["adr"]}},
            "pruning:\n  protect_tags: [adr]\n  enabled: true\n",
        ),
        ("{pruning: {}}\n", {"pruning": {"enabled": False}}, "{pruning: {enabled: false}}\n"),
        ("pruning:\n", {"pruning": {"enabled": False}}, "pruning: {enabled: false}\n"),
        ("layers: [x]\n", {"decay": {"credit_floor": 0.25}}, "layers: [x]\ndecay: {credit_floor: 0.25}\n"),
    ],
)
def test_a_block_is_changed_at_its_own_lines_only(call, home, lines, wanted, then):
    (home / "STRATEGY.md").write_bytes(BLOCK.replace("{}", lines.replace("\n", "\r\n")).encode())
    complaints = call.brain.strategy().complaints
    call("PUT", "/api/config", wanted)
    assert (home / "STRATEGY.md").read_bytes() == BLOCK.replace("{}", then.replace("\n", "\r\n")).encode()
    assert call.brain.strategy().complaints == complaints


def test_bytes_that_are_no_text_stay_as_they_are(call, home):
    (home / "STRATEGY.md").write_bytes(b"Caf\xe9\n```yaml settings\n```\n\xff")
    call("PUT", "/api/config", {"duplicates": {"threshold": 93}})
    written = b"Caf\xe9\n```yaml settings\nduplicates: {threshold: 93}\n```\n\xff"
    assert (home / "STRATEGY.md").read_bytes() == written


def test_a_page_without_a_block_gets_one_at_its_end(call, home):
    (home / "STRATEGY.md").write_text("# Mine\n")
    call("PUT", "/api/config", {"duplicates": {"threshold": 93}})
    assert page(home) == "# Mine\n\n```yaml settings\nduplicates: {threshold: 93}\n```\n"


@pytest.mark.parametrize("text", ["```yaml settings\na: [b\n```\n", "```yaml settings\ndecay:\n```\n" * 2])
def test_a_block_that_cannot_be_read_is_left_to_a_person(call, home, text):
    (home / "STRATEGY.md").write_text(text)
    status, code, _ = call.refused("PUT", "/api/config", {"duplicates": {"threshold": 93}})
    assert (status, code) == (409, "CONFLICT")
    assert page(home) == text


def test_settings_need_an_admin():
    assert {endpoint(method, "/api/config")[0].scope for method in ("GET", "PUT")} == {"admin"}


def test_a_home_that_is_only_read_keeps_its_settings(opened, home):
    caller = ApiCaller(opened(read_only=True))
    assert caller.refused("PUT", "/api/config", {"duplicates": {"threshold": 93}})[0] == 403
    assert page(home) == DEFAULT_TEXT

"""STRATEGY.md: sentences and settings steer, mistakes are named, floors hold."""

import dataclasses
import random
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as run
from hypothesis import strategies as some
from measure import times

from clawbrain.strategy import DEFAULT_TEXT, Strategy, parse, sections, settings
from clawbrain.strategy.sentences import _patterns, sentence

ROOT = Path(__file__).parent.parent
LABEL = "```yaml settings\n"


def said(*bullets, section="Pruning"):
    return parse(f"# Ours\n\n## {section}\n\n" + "".join(f"- {bullet}\n" for bullet in bullets))


def block(text):
    return parse(f"{LABEL}{text}\n```\n")


def value(parsed, name):
    section, key = name.split(".")
    return getattr(getattr(parsed.strategy, section), key)


def changed(parsed):
    return {name: value(parsed, name) for name, row in settings().items() if value(parsed, name) != row.default}


def errors(parsed):
    return [complaint for complaint in parsed.complaints if complaint.severity == "error"]


def warnings(parsed):
    return [complaint for complaint in parsed.complaints if complaint.severity == "warning"]


# The default page


def test_the_default_page_is_exactly_the_defaults():
    parsed = parse(DEFAULT_TEXT)
    assert parsed.strategy == Strategy() and not parsed.complaints


def test_the_default_page_stands_at_the_top_of_the_repository():
    assert (ROOT / "STRATEGY.md").read_text() == DEFAULT_TEXT


def test_every_sentence_of_the_default_page_steers():
    bullets = [n for n, line in enumerate(DEFAULT_TEXT.splitlines(), 1) if line.startswith("- ")]
    pinned = next(n for n, line in enumerate(DEFAULT_TEXT.splitlines(), 1) if "pinned entries" in line)
    assert set(parse(DEFAULT_TEXT).origins.values()) == set(bullets) - {pinned}


def test_a_changed_number_on_the_default_page_changes_that_setting_alone():
    parsed = parse(DEFAULT_TEXT.replace("> 0.7", "> 0.85"))
    assert changed(parsed) == {"promotion.min_score": 0.85} and not parsed.complaints


def test_the_reference_is_what_the_rows_say():
    page = runpy.run_path(str(ROOT / "docs" / "strategy_reference.py"))["page"]()
    assert (ROOT / "docs" / "strategy.md").read_text() == page


def test_importing_it_reads_no_yaml():
    code = "import sys, clawbrain.strategy as s; s.DEFAULT_TEXT; assert not {'yaml', 'rapidfuzz'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# Sentences

SENTENCES = {
    "Merge same-day episodes with >60% tag overlap": {"consolidation.min_tag_overlap": 0.6},
    "Merge episodes within 3 days with >60% tag overlap": {
        "consolidation.window_days": 3,
        "consolidation.min_tag_overlap": 0.6,
    },
    "Merge at least 3 episodes": {"consolidation.min_episodes": 3},
    "Do not merge": {"consolidation.enabled": False},
    "Combined credit score = sum": {"consolidation.credit": "sum"},
    "Combined credit score = mean": {"consolidation.credit": "mean"},
    "Combined credit score = max of the individual scores": {"consolidation.credit": "max"},
    "Promote facts from episodes to entities when credit score > 0.8": {"promotion.min_score": 0.8},
    "Promote facts after at least 4 signals": {"promotion.min_signals": 4},
    "Never promote": {"promotion.enabled": False},
    "Transfer 25% of the earned credit": {"promotion.transfer": 0.25},
    "Only promote facts that are durable": {},
    "Archive entries with credit score < 0.1 and age > 60 days": {
        "pruning.max_score": 0.1,
        "pruning.min_age_days": 60,
    },
    "Archive entries idle for more than 21 days": {"pruning.min_idle_days": 21},
    "Never prune people entities": {},
    "Never prune projects entities": {"pruning.protect_categories": ("people", "projects")},
    "Never prune pinned entries": {},
    "Never prune entries younger than 20 days": {"pruning.protect_days": 20},
    "Never prune anything tagged adr, release": {"pruning.protect_tags": ("adr", "release")},
    "Archive at most 10 entries per run": {"pruning.max_per_run": 10},
    "Do not prune": {"pruning.enabled": False},
    "Entities lose 0.4% per day": {"decay.entity_per_day": 0.004},
    "Episodes lose 2% per day": {"decay.episode_per_day": 0.02},
    "Maximum tokens for MEMORY.md: 8,000": {"context.max_tokens": 8000},
    "Prioritize entities (60%)": {"context.entities_share": 0.6},
    "Prioritize: entities (60%), recent episodes (40%)": {"context.entities_share": 0.6},
    "Allocation: entities (60%), recent episodes (40%)": {"context.entities_share": 0.6},
    "Only promote facts that are durable (not time-bound observations)": {},
    "Entities lose 0.4% per day (slowly)": {"decay.entity_per_day": 0.004},
}


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_sets_what_it_says(text):
    parsed = said(text)
    assert changed(parsed) == SENTENCES[text] and not parsed.complaints


@pytest.mark.parametrize("dress", [str.upper, str.lower, "**{}**".format, "{}.".format, " {}  ".format, "`{}`".format])
def test_dress_does_not_matter(dress):
    for text, expected in SENTENCES.items():
        assert changed(said(dress(text))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Archive entries with a credit score below 0.1 and an age over 60 days",
        "Archive entries with credit score less than 0.1 and age more than 60 days",
        "Archive memories with score &lt; 0.1 and age &gt; 60 days",
        "Archive entries with credit score\n  < 0.1 and age > 60 days",
    ],
)
def test_a_comparison_may_be_spelled_out(text):
    assert changed(said(text)) == {"pruning.max_score": 0.1, "pruning.min_age_days": 60}


@pytest.mark.parametrize("bullet", ["- ", "* ", "+ ", "3. ", "12) ", "    - ", "• "])
def test_any_bullet_will_do(bullet):
    assert changed(parse(f"## Merging\n{bullet}Do not merge")) == {"consolidation.enabled": False}


@pytest.mark.parametrize(
    "heading",
    [
        "# Forgetting",
        "# Pruning",
        "## 3. Pruning rules",
        "Pruning\n-------",
        "PRUNING\n===",
        "## How we prune\n### In short",
    ],
)
def test_a_heading_may_be_dressed_up(heading):
    assert changed(parse(f"{heading}\n\n- Do not prune\n")) == {"pruning.enabled": False}


def test_a_line_is_remembered_for_each_value():
    origins = said("Do not prune", "Archive entries with credit score < 0.2 and age > 30 days").origins
    assert origins == {"pruning.enabled": 5, "pruning.max_score": 6, "pruning.min_age_days": 6}


def test_sentences_that_protect_add_up():
    parsed = said("Never prune anything tagged adr", "Never prune anything tagged release and 'v1.2'")
    assert parsed.strategy.pruning.protect_tags == ("adr", "release", "v1.2")


def test_the_same_sentence_twice_is_no_contradiction():
    assert not said("Merge at least 3 episodes", "Merge at least 3 episodes").complaints


def test_prose_is_left_alone():
    text = "# Us\n\nWe prune 3 roses a day, always.\n\n## Pruning\n\n- Roses want light\n\n> never\n\n| 1 | 2 |\n"
    assert parse(text) == parse("")


def test_what_stands_in_a_comment_does_not_steer():
    assert parse("## Pruning\n<!-- later:\n- Do not prune\n-->\n- <!-- Do not prune -->x\n") == parse("")


def test_what_stands_in_a_code_fence_does_not_steer():
    assert parse("## Pruning\n```\n- Do not prune\n```\n~~~text\n- Do not prune\n~~~\n") == parse("")


# Refused sentences


@pytest.mark.parametrize(
    "text",
    [
        "Archive entries with credit score < 0.1 and age > 9 weeks",
        "Archive entries with credit score < 0.1 and age > 60",
        "Archive entries with credit score < 0.1 and age > sixty days",
        "Archive entries with credit score < 10% and age > 60 days",
        "Archive entries with credit score < 0,1 and age > 60 days",
        "Archive entries with credit score < 1.1 and age > 60 days",
        "Archive entries with credit score < -0.1 and age > 60 days",
        "Archive entries with credit score < low and age > 60 days",
        "Archive entries with credit score > 0.1 and age > 60 days",
        "Archive entries with credit score < 0.1 and age < 60 days",
        "Archive entries with credit score < 0.1 and age > 60.5 days",
        "Archive entries with credit score < 0.1 and age > 99999 days",
        "Archive entries with credit score < 0.1 and age > 60 days, or so",
        "Archive entries idle for more than 2 months",
        "Archive at most 1e3 entries per run",
        "Archive at most ten entries per run",
        "Never prune entries younger than 3 weeks",
        "Never prune anything tagged #adr",
        "Never prune anything about billing",
        "Do not purne",
        "No pruning",
        "Merge episodes within 2 weeks with >60% tag overlap",
        "Merge episodes within 2 days with >0.6 tag overlap",
        "Merge same-day episodes with >60 tag overlap",
        "Merge same-day episodes with >= 60% tag overlap",
        "Merge same-day episodes with > 600% tag overlap",
        "Merge at least 1 episodes",
        "Merge at least 3% episodes",
        "Merge at least 40 episodes",
        "Combined credit score = product",
        "Promote facts when credit score > 80%",
        "Promote facts when credit score > 0.8 or they are nice",
        "Promote facts after at least some signals",
        "Transfer 0.25 of the earned credit",
        "Transfer 250% of the earned credit",
        "Entities lose 0.4% per week",
        "Entities lose 0.4 per day",
        "Episodes lose 80% per day",
        "Maximum tokens for MEMORY.md: 8k",
        "Maximum tokens for MEMORY.md: 8.000",
        "Maximum tokens for MEMORY.md: 20000 characters",
        "Maximum tokens for MEMORY.md: 0",
        "Prioritize entities (60%) over recent episodes (60%)",
        "Prioritize entities (0.6)",
    ],
)
def test_a_sentence_with_a_wrong_value_is_named_and_changes_nothing(text):
    parsed = said(text)
    assert [complaint.line for complaint in errors(parsed)] == [5]
    assert set(changed(parsed)) <= {"pruning.enabled"}


def test_a_complaint_quotes_the_line_and_shows_how_to_write_it():
    (complaint,) = said("Archive entries idle for more than 2 weeks").complaints
    assert str(complaint).startswith("STRATEGY.md line 5: 'Archive entries idle for more than 2 weeks': '2 weeks'")
    assert "'14 days'" in complaint.text and "pruning.min_idle_days 14 stays" in complaint.text


@pytest.mark.parametrize("text", ["Archive 3 apples", "Always be kind", "You must not shout", "Never on a Sunday"])
def test_a_bullet_that_was_meant_to_steer_is_warned_of(text):
    (complaint,) = said(text).complaints
    assert complaint.severity == "warning" and text in complaint.text and not changed(said(text))


def test_a_near_miss_is_answered_with_the_sentence():
    (complaint,) = said("Archive at most 20 entries per week").complaints
    assert "'Archive at most 50 entries per run'" in complaint.text


def test_a_slip_without_a_number_is_still_seen():
    (complaint,) = said("Nevr promote", section="Promotion").complaints
    assert complaint.severity == "warning" and "'Never promote'" in complaint.text


@pytest.mark.parametrize(
    "remark", ["not decisions", "except releases", "only if unused", "about 40 of them", "a (b) c"]
)
def test_a_remark_that_may_mean_more_is_not_left_out(remark):
    parsed = said(f"Archive entries with credit score < 0.1 and age > 60 days ({remark})")
    assert changed(parsed) == {"pruning.enabled": False} and errors(parsed)


def test_words_of_ones_own_hide_no_number_and_no_negation():
    for text in ("Promote 3 facts when credit score > 0.8", "Promote nothing when credit score > 0.8"):
        assert not changed(said(text, section="Promotion")) and said(text, section="Promotion").complaints


def test_a_sentence_outside_a_paragraph_of_ours_is_named():
    (complaint,) = errors(parse("## Notes\n\n- Merge at least 3 episodes\n"))
    assert complaint.line == 3 and "## Consolidation" in complaint.text


def test_a_sentence_that_is_no_bullet_is_warned_of():
    (complaint,) = parse("## Merging\n\nDo not merge\n").complaints
    assert complaint.line == 3 and "bullet" in complaint.text


def test_two_sentences_that_disagree_leave_the_default_and_name_both_lines():
    (complaint,) = errors(parsed := said("Merge at least 3 episodes", "Merge at least 4 episodes", section="Merging"))
    assert not changed(parsed)
    assert "line 5 says 3" in complaint.text and "line 6 says 4" in complaint.text


def test_control_characters_do_not_travel_with_a_complaint():
    (complaint,) = said("never \x1b[31m\u202e red").complaints
    assert complaint.text.isprintable()


# The settings block

VALUES = {
    "bool": ("false", False),
    "int": ("60", 60),
    "float": ("0.45", 0.45),
    "word": ("notes", "notes"),
    "words": ("[people, adr]", ("people", "adr")),
}


@pytest.mark.parametrize("name", settings())
def test_every_setting_can_be_set_by_name(name):
    row = settings()[name]
    text, expected = VALUES.get(row.kind, (row.choices[-1:] * 2) or ("", ""))
    if name == "consolidation.min_episodes":
        text, expected = "5", 5
    if name in ("consolidation.window_days", "consolidation.max_episodes"):
        text, expected = "7", 7
    if name in ("context.max_tokens", "context.briefing_bytes"):
        text, expected = "900", 900
    if name == "conversations.ingest":
        text, expected = "true", True
    parsed = block(f"{row.section}:\n  {row.key}: {text}")
    assert changed(parsed) == {name: expected} and not parsed.complaints
    assert parsed.origins == {name: 3}


@pytest.mark.parametrize("name", settings())
@pytest.mark.parametrize(
    "text", ["", "~", "{}", "[[x]]", "{a: b}", "two weeks", "-1", "1e99", ".inf", "99999999", "Ünï x"]
)
def test_no_setting_takes_what_it_should_not(name, text):
    row = settings()[name]
    if row.kind == "word" and text in ("1e99", "99999999"):
        return
    parsed = block(f"{row.section}:\n  {row.key}: {text}")
    assert [complaint.line for complaint in errors(parsed)] == [3] and set(changed(parsed)) <= {"pruning.enabled"}


@pytest.mark.parametrize("name", [name for name, row in settings().items() if row.kind in ("int", "float")])
def test_a_range_holds_at_both_ends(name):
    row = settings()[name]
    for number in (row.low, row.high):
        other = "\n  max_episodes: 50" if row.key == "min_episodes" else ""
        assert not block(f"{row.section}:\n  {row.key}: {number:g}{other}").complaints
    for number in (row.low - 1, row.high + 1):
        assert errors(block(f"{row.section}:\n  {row.key}: {number:g}"))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("pruning:\n  max_scor: 0.1", 3, "'max_score'"),
        ("prunning:\n  max_score: 0.1", 2, "'pruning'"),
        ("max_score: 0.1", 2, "'pruning:'"),
        ("decay:\n  max_score: 0.1", 3, "'pruning:'"),
        ("pruning: {max_score: 0.1,\n  max_score: 0.1}", 3, "line 2"),
        ("decay: {credit_per_day: .1}\ndecay: {credit_floor: .3}", 3, "line 2"),
        ("pruning: off", 2, "{enabled: true}"),
        ("pruning:\n  enabled: 'false'", 3, "true or false"),
        ("decay:\n  x: &a 1\n  y: *a", 3, "anchors"),
        ("decay: !!map {}", 2, "tag"),
        ("decay:\n  credit_floor: [[[1]]]", 3, "deep"),
        ("decay: {}\n---\ndecay: {}", 3, "second document"),
        ("decay:\n\tcredit_floor: 1", 3, "not YAML"),
        ("decay: {", 2, "not YAML"),
        ("decay: {}\n\x07", 3, "control character"),
        ("- decay", 2, "sections"),
        ("nothing but words", 2, "sections"),
        ("? [a]\n: 1", 2, "no section"),
        ("consolidation: {min_episodes: 9, max_episodes: 8}", 2, "max_episodes 8"),
    ],
)
def test_a_mistake_in_the_block_is_named_by_its_line(text, line, words):
    parsed = block(text)
    assert [complaint.line for complaint in errors(parsed)] in ([line], [line, line])
    assert words in errors(parsed)[0].text and set(changed(parsed)) <= {"pruning.enabled", "decay.credit_per_day"}


def test_an_empty_block_is_no_mistake():
    for text in ("", "# decay: {credit_floor: 0.3}", "decay:", "decay: {}"):
        assert block(text) == parse("")


def test_a_wrong_line_in_the_block_leaves_the_right_ones_in_force():
    parsed = block("decay:\n  credit_floor: 0.3\n  credit_per_day: much\nsafety: {secrets: redact}")
    assert changed(parsed) == {"decay.credit_floor": 0.3, "safety.secrets": "redact"}


def test_a_sentence_and_the_block_that_disagree_are_named_and_leave_the_default():
    parsed = parse(f"## Merging\n- Merge at least 3 episodes\n{LABEL}consolidation: {{min_episodes: 4}}\n```\n")
    (complaint,) = errors(parsed)
    assert "line 2 says 3" in complaint.text and "line 4 says 4" in complaint.text and not changed(parsed)


def test_a_sentence_and_the_block_that_agree_are_fine():
    parsed = parse(f"## Merging\n- Merge at least 3 episodes\n{LABEL}consolidation: {{min_episodes: 3}}\n```\n")
    assert not parsed.complaints and parsed.origins["consolidation.min_episodes"] == 4


def test_a_list_in_the_block_may_hold_more_than_the_sentences_but_not_less():
    page = f"## Pruning\n- Never prune anything tagged adr\n{LABEL}pruning: {{protect_tags: [%s]}}\n```\n"
    assert parse(page % "adr, release").strategy.pruning.protect_tags == ("adr", "release")
    assert errors(parse(page % "release"))


def test_a_refused_value_silences_every_other_word_on_that_setting():
    parsed = parse(f"## Merging\n- Merge at least 3 episodes\n{LABEL}consolidation: {{min_episodes: many}}\n```\n")
    assert not changed(parsed) and "stays as by default" in errors(parsed)[0].text


def test_a_block_of_comments_alone_stands_in_no_other_ones_way():
    parsed = parse(f"{DEFAULT_TEXT}\n{LABEL}safety: {{secrets: refuse}}\n```\n")
    assert changed(parsed) == {"safety.secrets": "refuse"} and not parsed.complaints and not parsed.doubt


def test_two_blocks_cancel_each_other():
    parsed = parse(f"{LABEL}decay: {{credit_floor: .3}}\n```\n{LABEL}decay: {{credit_floor: .3}}\n```\n")
    assert [complaint.line for complaint in errors(parsed)] == [1, 4] and set(changed(parsed)) == {"pruning.enabled"}


@pytest.mark.parametrize(
    ("page", "holds", "line"),
    [
        (f"{LABEL}decay: {{}}\n```\n\n{LABEL}safety: {{secrets: refuse}}\n```\n", "refuse", 1),  # which is read?
        (f"{LABEL}decay: {{\nsafety: {{secrets: redact}}\n```\n", "redact", 3),  # no YAML
        (f"{LABEL}decay: {{}}\nsafety:\n  secrets: refuse", "refuse", 1),  # never closed
        ("Ours\n\nsafety: {secrets: refuse}\n", "refuse", 3),
        ("```yaml\nsafety: {secrets: refuse}\n```\n", "refuse", 1),
        (f"{LABEL}safety: refuse\n```\n", "refuse", 2),
        (f"{LABEL}secrets: refuse\n```\n", "refuse", 2),
        (f"{LABEL}safety: {{secrets: redacted}}\n```\n", "redact", 2),
        (f"{LABEL}safety: {{secrets: redact, secrets: refuse}}\n```\n", "refuse", 2),
        ("## Secrets\n\n- Refuse them\n", "refuse", 3),
        (f"{LABEL}decay: {{\n# safety: {{secrets: refuse}}\n```\n", "warn", 3),  # a comment asks for nothing
        (f"{LABEL}safety: {{secrets: never}}\n```\n", "warn", 2),
    ],
)
def test_a_slip_makes_no_home_less_safe_than_its_page_says(page, holds, line):
    parsed = parse(page)
    assert value(parsed, "safety.secrets") == holds and errors(parsed)
    assert f"line {line} " in parsed.doubt and "`clawbrain strategy`" in parsed.doubt and holds in parsed.doubt


def test_what_the_block_says_of_secrets_holds_whatever_the_prose_says():
    for page in (f"We once did refuse secrets.\n{LABEL}safety: {{secrets: warn}}\n```\n", DEFAULT_TEXT, "A secret."):
        parsed = parse(page)
        assert value(parsed, "safety.secrets") == "warn" and not parsed.complaints and not parsed.doubt


def test_a_block_under_another_label_is_named():
    (complaint,) = errors(parse("```yaml\ndecay: {credit_floor: .3}\n```\n"))
    assert complaint.line == 1 and "yaml settings" in complaint.text


def test_a_fence_of_something_else_is_left_alone():
    assert parse("```yaml\nname: x\n```\n```sh\npruning: 3\n```\n") == parse("")


def test_an_unclosed_fence_is_named_and_not_read():
    for text in (f"{LABEL}decay: {{credit_floor: .3}}\n", "```\n- Do not merge\n", "<!--\n- Do not merge\n"):
        parsed = parse(text)
        assert [complaint.line for complaint in errors(parsed)] == [1] and set(changed(parsed)) == {"pruning.enabled"}


# Safety

FLOOR_ATTEMPTS = [
    "Never prune entries younger than 13 days",
    "Never prune entries younger than 0 days",
    "Archive entries with credit score < 0.2 and age > 13 days",
    "Archive entries with credit score < 0.2 and age > 0 days",
    "Archive pinned entries",
    "Archive people entities too",
    "Prune people",
    "Also delete pinned memories",
    "Pinned entries may be archived",
    "Do not protect people",
    "Archive everything newer than last week",
]


@pytest.mark.parametrize("text", FLOOR_ATTEMPTS)
def test_no_sentence_lowers_a_floor(text):
    parsed = said(text)
    assert [complaint.line for complaint in errors(parsed)] == [5]
    assert "floor" in errors(parsed)[0].text and changed(parsed) == {"pruning.enabled": False}


@pytest.mark.parametrize(
    "text",
    [
        "protect_days: 13",
        "protect_days: -1",
        "min_age_days: 1",
        "protect_categories: []",
        "protect_categories: [projects]",
    ],
)
def test_no_setting_lowers_a_floor(text):
    parsed = block(f"pruning:\n  {text}")
    assert [complaint.line for complaint in errors(parsed)] == [3] and changed(parsed) == {"pruning.enabled": False}


def test_an_error_in_pruning_switches_pruning_off_and_says_so():
    for parsed in (said("Archive at most few entries per run"), block("pruning: {max_score: low}")):
        assert parsed.strategy.pruning.enabled is False
        assert "Nothing is pruned" in errors(parsed)[0].text
        assert parsed.origins["pruning.enabled"] == errors(parsed)[0].line


def test_an_error_elsewhere_leaves_pruning_on():
    for parsed in (said("Merge at least x episodes", section="Merging"), block("decay: {credit_floor: low}")):
        assert errors(parsed) and parsed.strategy.pruning.enabled


@pytest.mark.parametrize(
    "limit",
    [
        "Archive entries with credit score < 0.2 and older than two years",
        "Archive entries with a score under 0.2 when they are older than 30 days",
        "Archive entries which are idle for more than 30 days",
        "Archive up to 20 entries in each run",
    ],
)
def test_a_limit_that_is_not_understood_lets_nothing_go(limit):
    parsed = said(limit)
    assert not parsed.strategy.pruning.enabled and limit in errors(parsed)[0].text


def test_a_warning_in_pruning_leaves_pruning_on():
    assert said("We always prune on Mondays").strategy.pruning.enabled


# Odd files


def test_crlf_and_a_byte_order_mark_change_nothing():
    plain = parse(DEFAULT_TEXT.replace("5000", "9000"))
    odd = parse(b"\xef\xbb\xbf" + DEFAULT_TEXT.replace("5000", "9000").replace("\n", "\r\n").encode())
    assert odd == plain and changed(odd)


def test_a_line_that_is_not_utf8_is_named_and_the_others_are_read():
    parsed = parse(b"## Merging\n- caf\xe9\n- Do not merge\n")
    assert [complaint.line for complaint in errors(parsed)] == [2]
    assert changed(parsed) == {"consolidation.enabled": False, "pruning.enabled": False}


def test_a_binary_file_is_refused_as_a_whole():
    parsed = parse(b"## Merging\n- Do not merge\n\x00\n- Never promote\n")
    assert [complaint.line for complaint in errors(parsed)] == [3] and set(changed(parsed)) == {"pruning.enabled"}


def test_a_lone_surrogate_is_named():
    parsed = parse("## Merging\n- Do not merge \ud800\n")
    assert [complaint.line for complaint in errors(parsed)] == [2]


def test_a_file_beyond_all_measure_is_refused():
    (complaint,) = parse("- Do not merge\n" * 400_000).complaints
    assert "larger than" in complaint.text


@pytest.mark.parametrize(
    "unit",
    [
        "- Archive entries if under 5\n",
        "- x\n",
        "y z\n",
        "- ",
        "never ",
        "<!--",
        "-->",
        "`",
        "#",
        "\n",
        " ",
        "(",
        "[{",
        "a: *a\n",
    ],
)
def test_a_very_long_page_of_anything_is_read(unit):
    text = "## Pruning\n" + unit * (times(200_000, 1_000_000) // len(unit))
    assert parse(text).strategy.promotion == Strategy().promotion
    assert parse(f"{LABEL}{text}\n```\n").strategy.promotion == Strategy().promotion


def test_the_same_page_gives_the_same_answer():
    assert parse(DEFAULT_TEXT * 3) == parse(DEFAULT_TEXT * 3)


# Made-up pages


def check_sound(parsed, lines):
    """What must hold for any page whatsoever."""
    pruning = parsed.strategy.pruning
    assert pruning.protect_days >= 14 and pruning.min_age_days >= 14 and "people" in pruning.protect_categories
    for name, row in settings().items():
        got = value(parsed, name)
        assert type(got) is type(row.default)
        if row.kind in ("int", "float"):
            assert row.low <= got <= row.high
        if row.kind == "choice":
            assert got in row.choices
        assert got == row.default or name in parsed.origins
    assert all(1 <= line <= lines for line in parsed.origins.values())
    assert all(1 <= complaint.line <= lines and complaint.text.isprintable() for complaint in parsed.complaints)
    if any("Nothing is pruned" in complaint.text for complaint in parsed.complaints):
        assert not pruning.enabled


@run(max_examples=150)
@given(some.binary() | some.text())
def test_no_bytes_and_no_text_break_it(text):
    check_sound(parse(text), len(text) + 1)


FRAGMENTS = [
    *SENTENCES,
    *FLOOR_ATTEMPTS,
    *(f"## {name}" for name in sections()),
    "```yaml settings",
    "```",
    "~~~",
    "<!--",
    "-->",
    "pruning:",
    "  protect_days: 3",
    "  enabled: yes",
    "decay: {credit_floor: 9}",
    "---",
    "&a *a !!x",
    "- ",
    "\t",
    "9",
    "%",
    "never",
    "\ufeff",
    "\x85",
    "\u2028",
]


@run(max_examples=300)
@given(some.lists(some.sampled_from(FRAGMENTS), max_size=30), some.sampled_from(["\n", "\n- ", " ", "\r\n", ""]))
def test_no_heap_of_fragments_breaks_it(fragments, between):
    text = between.join(fragments)
    check_sound(parse(text), len(text) + 1)


def spoiled_pages():
    """Sentences as they should be, each with one word put wrong."""
    rng = random.Random(42)
    wrong = ["2 weeks", "-3", "1e9", "0x10", "NaN", "a lot", "½", "99999999", "five", "3 h", "∞", "1,5", "%", "$(rm)"]
    for pattern in _patterns():
        for spoiler in wrong:
            slots = list(re.finditer(r"[\d.]*\d%?( days?)?", pattern.shown))
            if slots:
                slot = rng.choice(slots)
                yield pattern.section, pattern.shown[: slot.start()] + spoiler + pattern.shown[slot.end() :]


def test_of_two_hundred_spoiled_sentences_each_is_named_and_none_takes_effect():
    pages = [(section, text.replace("…", "facts")) for section, text in spoiled_pages()]
    for section, text in pages:
        parsed = said(text, section=section.title())
        check_sound(parsed, 6)
        assert [complaint.line for complaint in parsed.complaints] == [5], text
        assert set(changed(parsed)) <= {"pruning.enabled"}, text
    assert len(pages) > 200


def test_every_sentence_in_the_reference_is_understood():
    for row in settings().values():
        for template in row.sentences:
            assert not said(sentence(row, template).replace("…", "facts")).complaints


def test_each_section_is_frozen():
    for row in settings().values():
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(getattr(Strategy(), row.section), row.key, row.default)

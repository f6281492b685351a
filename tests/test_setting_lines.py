"""Settings set on a page by a program: the page says them afterwards, and everything else as before."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.errors import Invalid, Refused
from clawbrain.strategy import DEFAULT_TEXT, parse, settings
from clawbrain.strategy.setting_lines import with_settings

OF_NO_SENTENCE = {
    "duplicates.threshold": st.integers(50, 100),
    "decay.credit_floor": st.decimals("0.05", "0.95", places=4).map(float),
    "decay.credit_per_day": st.floats(0, 0.5, allow_subnormal=False),
    "consolidation.max_episodes": st.integers(10, 50),
    "promotion.default_category": st.sampled_from(["notes", "on", "no-where", "null"]),
    "pruning.protect_tags": st.lists(st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=9), max_size=3),
    "safety.secrets": st.sampled_from(["warn", "redact", "refuse"]),
    "contradictions.enabled": st.booleans(),
}


def nested(chosen: dict[str, object]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for name, value in chosen.items():
        section, key = name.split(".")
        found.setdefault(section, {})[key] = value
    return found


some_settings = st.lists(st.sampled_from([*OF_NO_SENTENCE]), unique=True, max_size=5).flatmap(
    lambda names: st.fixed_dictionaries({name: OF_NO_SENTENCE[name] for name in names})
)


def written(values: dict[str, object], style: bool | None, indent: int, ending: str) -> str:
    """A page whose block has these values, in one of the ways in which people write YAML."""
    body = yaml.dump(nested(values), default_flow_style=style, indent=indent, allow_unicode=True, width=1000)
    commented = re.sub(r"(?m)^(\w+:)$", r"\1  # mine", body if values else "# nothing\n")
    return f"# Page\n\n```yaml settings\n{commented}```\n\nWords\n".replace("\n", ending)


@given(
    some_settings,
    some_settings,
    st.sampled_from([True, False, None]),
    st.sampled_from([2, 4]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_the_page_says_what_was_set_and_all_else_as_before(before, wanted, style, indent, ending):
    page = written(before, style, indent, ending)
    said = parse(page)
    if any(each.severity == "error" for each in said.complaints):
        return  # the words of a list may break a rule
    try:
        new = with_settings(page.encode(), nested(wanted))
    except Invalid as fault:
        assert "protect_tags" in str(fault)
        return
    now = parse(new)
    assert now.complaints == said.complaints
    for name in settings():
        section, key = name.split(".")
        old = getattr(getattr(said.strategy, section), key)
        expected = wanted.get(name, old)
        expected = tuple(dict.fromkeys(expected)) if isinstance(expected, list) else expected
        expected = round(expected, 12) if isinstance(expected, float) else expected
        assert getattr(getattr(now.strategy, section), key) == expected
    assert new.decode().startswith(f"# Page{ending}{ending}```yaml settings{ending}")
    assert new.decode().endswith(f"```{ending}{ending}Words{ending}")
    assert with_settings(new, nested(wanted)) == new


PAGES = [DEFAULT_TEXT.encode(), b"", b"```yaml settings\n{a: [\n", b"\xff\0", b"```yaml settings\n- x\n```"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from([name.split(".")[0] for name in settings()]) | st.text(max_size=9)
keys = st.sampled_from([name.split(".")[1] for name in settings()]) | st.text(max_size=9)


@given(
    st.dictionaries(names, st.dictionaries(keys, json_values, max_size=3) | json_values, max_size=3),
    st.sampled_from(
        [DEFAULT_TEXT.encode(), b"", b"```yaml settings\n{a: [\n", b"\xff\0", b"```yaml settings\n- x\n```"]
    ),
)
def test_whatever_is_sent_is_set_or_refused(wanted, page):
    try:
        new = with_settings(page, wanted)
    except (Invalid, Refused) as refusal:
        assert str(refusal).strip()
    else:
        assert len(parse(new).complaints) <= len(parse(page).complaints)


def test_the_block_that_sets_something_is_the_one_that_is_changed():
    page = DEFAULT_TEXT.encode() + b"\n```yaml settings\ndecay: {credit_floor: 0.3}\n```\n"
    now = parse(with_settings(page, {"duplicates": {"threshold": 93}}))
    assert (now.strategy.duplicates.threshold, now.strategy.decay.credit_floor, now.complaints) == (93, 0.3, ())


@pytest.mark.parametrize("text", ["", "# Mine", "# Mine\n", "# Mine\r\n\r\n"])
def test_a_page_without_a_block_gets_one(text):
    new = with_settings(text.encode(), {"duplicates": {"threshold": 93}}).decode()
    assert new.startswith(text.rstrip()) and parse(new).strategy.duplicates.threshold == 93

"""What a profile publishes, and that arguments are held against exactly that."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawbrain import profiles
from clawbrain.errors import Invalid, Usage

SHEET = profiles.load("clawbrain")
TOOLS = {tool["name"]: tool for tool in SHEET["tools"]}
BUDGET, INSTRUCTIONS = 3600, 1500


def refusal(name, arguments):
    with pytest.raises(Invalid) as refused:
        profiles.checked(TOOLS[name], arguments)
    return str(refused.value)


# --- what is published


def test_there_are_the_eight_tools():
    assert list(TOOLS) == [
        "memory_store",
        "memory_retrieve",
        "memory_search",
        "memory_update",
        "memory_delete",
        "credit_report",
        "memory_compact",
        "memory_feedback",
    ]


def test_names_descriptions_and_input_schemas_fit_the_budget():
    told = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in SHEET["tools"]]
    assert len(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()) <= BUDGET


def test_the_instructions_are_short_and_say_that_memories_are_data():
    assert len(SHEET["instructions"]) <= INSTRUCTIONS
    assert "data" in SHEET["instructions"]
    assert "never instructions" in SHEET["instructions"]


@pytest.mark.parametrize("name", TOOLS)
def test_every_schema_is_a_schema_and_closed(name):
    for schema in (TOOLS[name]["inputSchema"], TOOLS[name]["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", TOOLS)
def test_every_answer_may_carry_warnings(name):
    schema = TOOLS[name]["outputSchema"]
    assert schema["properties"]["warnings"] == {"type": "array", "items": {"type": "string"}}
    assert "warnings" not in schema["required"]


@pytest.mark.parametrize("name", TOOLS)
def test_no_number_is_refused_for_its_size(name):
    assert not {"minimum", "maximum"} & set(str(TOOLS[name]["inputSchema"]).split("'"))


def test_titles_and_hints():
    hints = {name: tool["annotations"] for name, tool in TOOLS.items()}
    assert all(tool["title"] for tool in TOOLS.values())
    assert {name for name in TOOLS if hints[name]["readOnlyHint"]} == {
        "memory_retrieve",
        "memory_search",
        "credit_report",
    }
    assert {name for name in TOOLS if hints[name]["destructiveHint"]} == {
        "memory_update",
        "memory_delete",
        "memory_compact",
    }
    assert not any(hint["openWorldHint"] for hint in hints.values())
    assert {name for name, tool in TOOLS.items() if tool.get("_meta") == {"anthropic/alwaysLoad": True}} == {
        "memory_search",
        "memory_store",
        "memory_feedback",
    }


def test_the_arguments_are_the_contracts():
    defaults = {
        name: {
            word: part.get("default", "-") if word not in tool["inputSchema"].get("required", ()) else "required"
            for word, part in tool["inputSchema"]["properties"].items()
        }
        for name, tool in TOOLS.items()
    }
    assert defaults == {
        "memory_store": {
            "type": "required",
            "category": "-",
            "name": "required",
            "content": "required",
            "tags": [],
            "pinned": False,
        },
        "memory_retrieve": {"id": "required"},
        "memory_search": {"query": "required", "type": None, "limit": 5},
        "memory_update": {"id": "required", "content": "required"},
        "memory_delete": {"id": "required"},
        "credit_report": {"top_n": 10},
        "memory_compact": {},
        "memory_feedback": {"signal": "required", "used_ids": "-"},
    }


@pytest.mark.parametrize("profile", profiles.names())
def test_every_tool_has_its_method_and_every_method_its_tool(profile):
    module = __import__(f"clawbrain.profiles.{profile}.tools", fromlist=["Profile"])
    methods = {name for name, value in vars(module.Profile).items() if callable(value) and not name.startswith("_")}
    assert methods == profiles.known(profiles.load(profile, extras=profiles.extras(profile))).keys()


# --- what is on offer


def test_tools_are_offered_in_the_order_of_the_profile():
    assert profiles.offered(SHEET, ["memory_search", "memory_store"]) == ["memory_store", "memory_search"]


def test_read_only_offers_what_changes_no_memory():
    assert profiles.offered(SHEET, read_only=True) == ["memory_retrieve", "memory_search", "credit_report"]
    assert profiles.offered(SHEET, ["memory_store", "memory_search"], read_only=True) == ["memory_search"]


@pytest.mark.parametrize("name", ["nope", "../clawbrain", "", "clawbrain.snapshot", "__init__"])
def test_only_a_known_profile_is_loaded(name):
    with pytest.raises(Usage, match="there is no profile"):
        profiles.load(name)


def test_a_snapshot_lies_beside_every_profile():
    for name in profiles.names():
        assert Path(profiles.FOLDER, name, profiles.SNAPSHOT).is_file()


# --- arguments


def test_defaults_are_filled_in():
    assert profiles.checked(TOOLS["memory_search"], {"query": "x"}) == {"query": "x", "type": None, "limit": 5}
    assert profiles.checked(TOOLS["credit_report"], {}) == {"top_n": 10}
    assert profiles.checked(TOOLS["memory_compact"], {}) == {}


def test_extras_are_published_after_the_tools_of_the_profile():
    extended = profiles.load("palace", "p_", extras=["platform"])
    names = [tool["name"] for tool in extended["tools"]]
    assert names[:19] == [tool["name"] for tool in profiles.load("palace", "p_")["tools"]]
    assert len(names) == len(set(names)) == 26


def test_a_tool_that_says_so_takes_any_argument_even_in_a_strict_profile():
    open_tool = {"name": "t", "inputSchema": {"type": "object", "additionalProperties": True}}
    assert profiles.checked(open_tool, {"whatever": 1}) == {}


def test_a_default_is_not_handed_out_twice():
    words = {"type": "episode", "name": "n", "content": "c"}
    profiles.checked(TOOLS["memory_store"], words)["tags"].append("x")
    assert profiles.checked(TOOLS["memory_store"], words)["tags"] == []


def test_a_type_that_may_be_null_may_be_named_null():
    assert profiles.checked(TOOLS["memory_search"], {"query": "x", "type": None})["type"] is None


def test_a_whole_number_may_be_written_with_a_point():
    limit = profiles.checked(TOOLS["memory_search"], {"query": "x", "limit": 3.0})["limit"]
    assert (limit, type(limit)) == (3, int)


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("memory_retrieve", {}, "memory_retrieve: 'id' is missing."),
        ("memory_retrieve", {"id": None}, "memory_retrieve: 'id' must be a string, not null."),
        ("memory_retrieve", {"id": ["a"]}, "memory_retrieve: 'id' must be a string, not a list."),
        ("memory_retrieve", {"ids": "a"}, "memory_retrieve takes no argument \"ids\"; did you mean 'id'?"),
        ("memory_retrieve", {"id": "a", "zzz": 1}, 'memory_retrieve takes no argument "zzz"; there is id.'),
        ("memory_compact", {"dry": True}, 'memory_compact takes no argument "dry"; it takes none at all.'),
        (
            "memory_search",
            {"query": "x", "limit": True},
            "memory_search: 'limit' must be a whole number, not true.",
        ),
        ("memory_search", {"query": "x", "limit": "5"}, "memory_search: 'limit' must be a whole number, not a string."),
        ("memory_search", {"query": "x", "limit": 2.5}, "memory_search: 'limit' must be a whole number, not a number."),
        (
            "memory_search",
            {"query": "x", "type": 7},
            "memory_search: 'type' must be a string, not a whole number.",
        ),
        (
            "memory_search",
            {"query": "x", "type": "fact"},
            'memory_search: \'type\' must be one of "entity", "episode", not "fact".',
        ),
        (
            "memory_store",
            {"type": "episode", "name": "n", "content": "c", "tags": "a, b"},
            "memory_store: 'tags' must be a list, not a string.",
        ),
        (
            "memory_store",
            {"type": "episode", "name": "n", "content": "c", "tags": ["a", None]},
            "memory_store: item 2 of 'tags' must be a string, not null.",
        ),
        (
            "memory_store",
            {"type": "episode", "name": "n", "content": "c", "pinned": 1},
            "memory_store: 'pinned' must be true or false, not a whole number.",
        ),
        (
            "memory_feedback",
            {"signal": "x" * 500},
            'memory_feedback: \'signal\' must be one of "task_completed", "positive_feedback", "tool_success", '
            f'"user_correction", "session_abandoned", not "{"x" * 59}….',
        ),
    ],
)
def test_a_wrong_argument_is_named_in_one_sentence(name, arguments, sentence):
    assert refusal(name, arguments) == sentence


@pytest.mark.parametrize("number", [0, -1, 99, 2**70, 1e300])
def test_any_whole_number_passes(number):
    assert profiles.checked(TOOLS["memory_search"], {"query": "x", "limit": number})["limit"] == number


def test_what_a_lenient_profile_does_not_know_it_ignores():
    arguments = {"id": "a", "colour": "blue"}
    assert profiles.checked(TOOLS["memory_retrieve"], arguments, unknown="ignored") == {"id": "a"}


def test_objects_inside_lists_are_looked_into():
    row = {"type": "object", "properties": {"from": {"type": "string"}}, "required": ["from"]}
    schema = {"type": "object", "properties": {"links": {"type": "array", "items": row}}}
    tool = {"name": "link", "inputSchema": schema}
    assert profiles.checked(tool, {"links": [{"from": "a"}]})
    with pytest.raises(Invalid, match="link: 'from' is missing in item 2 of 'links'"):
        profiles.checked(tool, {"links": [{"from": "a"}, {}]})
    with pytest.raises(Invalid, match="link: 'from' must be a string, not null"):
        profiles.checked(tool, {"links": [{"from": None}]})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def calls(draw):
    name = draw(st.sampled_from(list(TOOLS)))
    words = [*TOOLS[name]["inputSchema"]["properties"], "other"]
    fitting = (
        st.sampled_from(["entity", "episode", "positive_feedback"]) | st.lists(st.text(max_size=3)) | st.integers()
    )
    return name, draw(st.dictionaries(st.sampled_from(words), json_values | fitting, max_size=5))


@settings(max_examples=300)
@given(calls())
def test_the_checker_and_a_real_validator_agree(call):
    name, arguments = call
    valid = jsonschema.Draft202012Validator(TOOLS[name]["inputSchema"]).is_valid(arguments)
    try:
        words = profiles.checked(TOOLS[name], arguments)
    except Invalid:
        assert not valid
    else:
        assert valid
        assert arguments.items() <= words.items()

"""Any document, in any spelling, gets our entry and gives it back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from clawbrain.agents import jsonc, toml


def spelt(data, draw, depth=0):
    room = draw(st.sampled_from(["", " ", "\n", "\n  ", "\n\t", " // c\n", "/* c */", "\r\n "]))
    if not isinstance(data, dict | list):
        return room + json.dumps(data)
    pairs = [(json.dumps(k) + ": ", v) for k, v in data.items()] if isinstance(data, dict) else [("", v) for v in data]
    inner = ",".join(spelt_member(label, value, draw, depth) for label, value in pairs)
    inner += "," if pairs and draw(st.booleans()) else ""
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    return f"{opening}{inner}{room}{closing}"


def spelt_member(label, value, draw, depth):
    room = draw(st.sampled_from(["", " ", "\n", "\n    ", "\n// c\n  ", "/* c */ ", "\r\n\t"]))
    return room + label + spelt(value, draw, depth + 1)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
servers = st.dictionaries(st.sampled_from(["a", "b", "c"]), values, min_size=1, max_size=3)
documents = st.dictionaries(st.text(max_size=4), values, min_size=1, max_size=3)


@given(st.data(), documents, st.none() | servers)
def test_any_document_in_any_spelling_gets_our_entry_and_gives_it_back(data, document, present):
    if present:
        document = {**document, "mcpServers": present}
    text = spelt(document, data.draw)
    assert jsonc.read(text) == document
    with_ours = jsonc.put(text, ("mcpServers", "clawbrain"), {"command": "x", "args": ["serve"]})
    added = jsonc.read(with_ours)
    assert added["mcpServers"].pop("clawbrain") == {"command": "x", "args": ["serve"]}
    assert added == {**document, "mcpServers": document.get("mcpServers", {})}
    place = ("mcpServers", "clawbrain") if present else ("mcpServers",)
    assert jsonc.cut(with_ours, place) == text


tables = st.lists(
    st.sampled_from(
        [
            "[a{n}]\nb = 1",
            'k{n} = "#"',
            "[[l]]\nx = [1,\n 2]",
            "# note",
            "",
            't{n} = """\n[x]\n"""',
            "[mcp_servers.s{n}]",
        ]
    ),
    max_size=6,
)


@given(tables, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_toml_gets_our_table_and_gives_it_back(parts, newline, ended):
    text = "\n".join(part.replace("{n}", str(n)) for n, part in enumerate(parts)) + ("\n" if ended else "")
    text = text.replace("\n", newline)
    place = ("mcp_servers", "clawbrain")
    assert toml.cut(toml.put(text, place, {"command": "x", "args": ["serve"]}), place) == text

"""The profiles: sets of tools over the brain, each published by NAME/tools.json and implemented by NAME/tools.py.

The modules that only one profile needs lie beside its tools; those that several need lie in `shared`. This module loads
the published specs and checks arguments against their schemas. It imports only modules that load at once, because a
server answers its first questions from here.

The keys of a tools.json, of which only the first four are needed:

    name, version        what the server calls itself
    tools                the published tools, each with its schema and annotations
    unknownArguments     "refused" or "ignored"
    instructions         a text for the agent's model
    resources, resourceTemplates, prompts
                         as the protocol has them
    subscriptions        whether clients are told of changes to a resource
    hidden               tools that are answered and not listed, for prompts written for older versions
    extras               sets of further tools by name, for `--extras NAME`
    allow                what is done only with `--allow WORD`
    takes                by tool, the wider schemas of arguments of which clients send more than is published
    answersUnknownTools  whether a call of an unknown tool is a refused call, and no error of the protocol
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy

from ..errors import Invalid, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

    Tool = dict[str, Any]
    ProfileSpec = dict[str, Any]
    Work = Callable[[], Any]
    Steps = Generator[Work, Any, "dict[str, Any] | Reply"]
    """The steps of a tool that waits for something other than the store: it yields work that is done where no other
    caller waits for it, gets back what that returned (None where nobody waits for the answer), and returns its answer.
    """

FOLDER = os.path.dirname(__file__)
SPEC, SNAPSHOT = "tools.json", "snapshot.json"


def names() -> list[str]:
    """Return the names of all profiles, sorted."""
    return sorted(name for name in os.listdir(FOLDER) if os.path.isfile(os.path.join(FOLDER, name, SPEC)))


def load(
    name: str,
    prefix: str = "",
    allow: Collection[str] = (),
    extras: Collection[str] = (),
    layers: Sequence[str] = (),
) -> ProfileSpec:
    """Return a profile's spec, with `prefix` put before the names of its tools.

    `allow` names what the profile does only when it is permitted to, `extras` the sets of further tools it offers only
    on request; `layers` are the names of the homes that are served as one, where there are several. Raise Usage for a
    profile, a permission or an extra that does not exist, and for a prefix that the name of a tool may not have.
    """
    if prefix and not (prefix.isascii() and prefix.replace("_", "x").replace("-", "x").isalnum()):
        raise Usage(f"--tool-prefix {prefix!r} is not one that tools may have: use letters, digits, _ and - alone")
    if name not in names():
        raise Usage(f"there is no profile {name!r}; {_perhaps(name, names()) or _all(names())}")
    spec = read(name, SPEC)
    for word in allow:
        if word not in spec.get("allow", ()):
            raise Usage(f"{word!r} is nothing that profile {name!r} can be allowed; {_all(spec.get('allow', ()))}")
    further = spec.get("extras", {})
    for word in extras:
        if word not in further:
            raise Usage(f"{word!r} is no extra of profile {name!r}; {_all(further)}")
    tools = [*spec["tools"], *(tool for word, set_of in further.items() if word in extras for tool in set_of)]
    tools = with_layers(tools, spec, layers)
    named = {"tools": prefixed(tools, prefix), "hidden": prefixed(spec.get("hidden", ()), prefix)}
    return {**spec, **named, "profile": name, "prefix": prefix, "allowed": list(allow), "layers": list(layers)}


def takes_layers(name: str) -> bool:
    """Tell whether a profile can serve several homes as one."""
    return name in names() and "layered" in read(name, SPEC)


def with_layers(tools: Iterable[Tool], spec: ProfileSpec, layers: Sequence[str]) -> list[Tool]:
    """Return the tools with what their schemas have only where layers are served: all of them as they are without."""
    if not layers:
        return list(tools)
    further = spec["layered"]
    scope = further["memory_store"]["inputSchema"]["properties"]["scope"]
    scope["enum"] = list(layers)
    return [_with(tool, further.get(tool["name"], {})) for tool in tools]


def _with(schema: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with further parts, which may stand deep inside it."""
    deep = {word: _with(schema[word], part) for word, part in further.items() if isinstance(schema.get(word), dict)}
    return {**schema, **further, **deep}


def extras(name: str) -> list[str]:
    """Return the names of the sets of further tools that a profile has."""
    return list(read(name, SPEC).get("extras", ()))


def prefixed(tools: Iterable[Tool], prefix: str) -> list[Tool]:
    """Return the tools with the prefix before their names."""
    return [{**tool, "name": prefix + tool["name"]} for tool in tools]


def known(spec: ProfileSpec) -> dict[str, Tool]:
    """Return every tool that can be called by its name, including those of older versions that are no longer listed."""
    return {tool["name"]: tool for tool in (*spec["tools"], *spec["hidden"])}


def read(name: str, file: str) -> ProfileSpec:
    """Return the content of one of a profile's JSON files."""
    with open(os.path.join(FOLDER, name, file), encoding="utf-8") as stream:
        spec: ProfileSpec = json.load(stream)
    return spec


def offered(spec: ProfileSpec, only: Collection[str] = (), read_only: bool = False) -> list[str]:
    """Return the names of the tools on offer, in the profile's order; raise Usage when `only` names an unknown tool."""
    tools = known(spec)
    for name in only:
        if name not in tools:
            raise Usage(f"there is no tool {name!r}; {_perhaps(name, tools) or _all(tools)}")
    return [
        name
        for name, tool in tools.items()
        if (not only or name in only) and (not read_only or tool["annotations"]["readOnlyHint"])
    ]


class Reply:
    """An answer whose text is not simply its JSON, or a refusal in a profile's own form."""

    def __init__(
        self, text: str, structured: dict[str, Any] | None = None, fault: bool = False, aside: str = ""
    ) -> None:
        """`aside` is a sentence that stands beside the answer as a text of its own, because its shape has no room."""
        self.text, self.structured, self.fault, self.aside = text, structured, fault, aside


def call(profile: object, spec: ProfileSpec, name: str, arguments: Mapping[str, Any]) -> dict[str, Any] | Reply | Steps:
    """Check the arguments against the tool's schema, call the tool's method and return its answer."""
    method = name.removeprefix(spec["prefix"])
    tool = _taking(known(spec)[name], spec.get("takes", {}).get(method, {}))
    words = checked(tool, arguments, unknown=spec["unknownArguments"])
    answer: dict[str, Any] | Reply | Steps = getattr(profile, method)(**words)
    return answer


def _taking(tool: Tool, wider: Mapping[str, Any]) -> Tool:
    """Return a tool that takes more in some arguments than its published schema says, because clients send more."""
    if not wider:
        return tool
    schema = tool["inputSchema"]
    return {**tool, "inputSchema": {**schema, "properties": {**schema["properties"], **wider}}}


def checked(tool: Tool, arguments: Mapping[str, Any], unknown: str = "refused") -> dict[str, Any]:
    """Return the arguments with defaults filled in; raise Invalid with one sentence where they break the schema.

    A tool's own `defaults` stand for words that its published schema requires and that may be left out all the same.
    """
    schema, name = tool["inputSchema"], tool["name"]
    known: dict[str, Any] = schema.get("properties", {})
    if unknown == "refused" and not schema.get("additionalProperties"):
        for word in arguments:
            if word not in known:
                raise Invalid(f"{name} takes no argument {_shown(word)}; {_perhaps(word, known) or _all(known)}")
    given = tool.get("defaults", {}) | {word: value for word, value in arguments.items() if word in known}
    if fault := _fault(given, schema, ""):
        raise Invalid(f"{name}: {fault}.")
    defaults = {word: copy(part["default"]) for word, part in known.items() if "default" in part}
    return {word: _whole(value, known[word]) for word, value in {**defaults, **given}.items()}


def first_fault(value: Any, schema: Mapping[str, Any]) -> str:
    """Describe what is wrong with a value, by the words of its members, or return ''."""
    return _fault(value, schema, "") or ""


def _fault(value: Any, schema: Mapping[str, Any], where: str) -> str:
    """Describe what is wrong with a value, or return ''. Bounds are not checked, because the tools clamp."""
    if "anyOf" in schema:
        faults = [_fault(value, each, where) for each in schema["anyOf"]]
        return "" if "" in faults else faults[0]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        return f"{where} must be {' or '.join(_KINDS[kind] for kind in kinds)}, not {_kind(value)}"
    if "enum" in schema and value not in schema["enum"]:
        words = ", ".join(json.dumps(word) for word in schema["enum"])
        return f"{where} must be one of {words}, not {_shown(value)}"
    if isinstance(value, dict):
        return _fault_inside(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        inner = (_fault(item, schema["items"], f"item {n} of {where}") for n, item in enumerate(value, 1))
        return next(filter(None, inner), "")
    return ""


def _fault_inside(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str:
    """Describe the first missing or wrong part of an object, or return ''."""
    for word in schema.get("required", ()):
        if word not in value:
            return f"'{word}' is missing{f' in {where}' if where else ''}"
    parts = schema.get("properties", {})
    faults = (_fault(value[word], parts[word], f"'{word}'") for word in value if word in parts)
    return next(filter(None, faults), "")


_KINDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return _is(value, "number") and value == value // 1
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return value is None


def _kind(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else next(_KINDS[kind] for kind in _KINDS if _is(value, kind))


def _whole(value: Any, schema: Mapping[str, Any]) -> Any:
    """Turn a float into an int where the schema wants an integer: to JSON 3.0 is one, to Python it is not."""
    return int(value) if schema.get("type") == "integer" and isinstance(value, float) else value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _all(known: Collection[str]) -> str:
    return f"there is {', '.join(known)}." if known else "it takes none at all."


def _perhaps(word: str, known: Collection[str]) -> str:
    """Suggest the known word nearest to a mistaken one, or return ''."""
    from difflib import get_close_matches  # imported here because only mistakes need it

    close = get_close_matches(word[:100], known, 1)
    return f"did you mean '{close[0]}'?" if close else ""

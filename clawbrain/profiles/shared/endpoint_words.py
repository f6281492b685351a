"""The words of a query string as values of the types that an endpoint's schema says."""

from collections.abc import Mapping
from typing import Any

from ...errors import Invalid
from ...memory.model import shown

_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_LONGEST = 18  # digits of a number


def query_values(query: Mapping[str, str], schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the words of a query that have a schema, as text, whole number, number or flag; raise Invalid for one
    that is none."""
    return {name: _value(name, query[name], schemas[name].get("type", "string")) for name in schemas if name in query}


def _value(name: str, word: str, kind: str) -> Any:
    try:
        if kind == "integer":
            return int(_short(word))
        if kind == "number":
            return float(_short(word))
        return _FLAGS[word.lower()] if kind == "boolean" else word
    except (KeyError, ValueError):
        wanted = {"integer": "a whole number", "number": "a number"}.get(kind, "true or false")
        raise Invalid(f"'{name}' must be {wanted}, not {shown(word)}.") from None


def _short(word: str) -> str:
    if len(word) > _LONGEST:
        raise ValueError("too long for a number")
    return word

"""The words of a query string as values of the types that an endpoint's schemas say."""

from collections.abc import Mapping
from typing import Any

from ...errors import Invalid
from ...memory.model import shown

_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def query_values(query: Mapping[str, str], schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the words of a query that have a schema, as whole number, flag or text; raise Invalid for one that is
    none."""
    return {name: _value(name, query[name], schemas[name].get("type", "string")) for name in schemas if name in query}


def _value(name: str, word: str, kind: str) -> Any:
    try:
        if kind == "integer":
            return int(word)
        return _FLAGS[word.lower()] if kind == "boolean" else word
    except (KeyError, ValueError):
        wanted = "a whole number" if kind == "integer" else "true or false"
        raise Invalid(f"'{name}' must be {wanted}, not {shown(word)}.") from None

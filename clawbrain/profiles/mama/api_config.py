"""The settings of STRATEGY.md over HTTP: read as they are in force, and set in the page's settings block."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...strategy import sections, settings
from ..shared.endpoints import Endpoint, HttpAnswer
from . import api_schemas as schemas

if TYPE_CHECKING:
    from ...strategy import Strategy
    from ..shared.endpoints import HttpCall, Schema

    Row = dict[str, Any]


def _read(call: HttpCall) -> HttpAnswer:
    return HttpAnswer(_nested(call.brain.strategy().strategy))


def _set(call: HttpCall) -> HttpAnswer:
    return HttpAnswer(_nested(call.brain.owner.change_settings(call.body)))


def _nested(strategy: Strategy) -> Row:
    """Return the settings by section and key, lists as JSON has them."""
    return {
        section: {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
        for section, values in asdict(strategy).items()
    }


_TYPES: dict[str, Schema] = {
    "int": schemas.WHOLE, "float": {"type": "number"}, "bool": schemas.FLAG, "choice": schemas.TEXT,
    "word": schemas.TEXT, "words": schemas.TEXTS,
}  # fmt: skip


def _section(name: str) -> Schema:
    own = [setting for setting in settings().values() if setting.section == name]
    return schemas.record({setting.key: {**_TYPES[setting.kind], "description": setting.meaning} for setting in own})


_IN_FORCE = schemas.record({name: _section(name) for name in sections()})
# What is wrong inside a section is said by the reader of the page, in the words that `clawbrain strategy` has for it.
_WANTED: Schema = {
    "type": "object",
    "properties": {name: {"type": "object"} for name in sections()},
    "description": 'sections of settings as in docs/strategy.md: {"duplicates": {"threshold": 93}}',
}

ENDPOINTS = (
    Endpoint(
        "GET", "/api/config", "mama_config", "Return the settings in force", _read, "admin", answers={200: _IN_FORCE}
    ),
    Endpoint(
        "PUT", "/api/config", "mama_set_config", "Set settings in the settings block of STRATEGY.md, all or none",
        _set, "admin", body=_WANTED, answers={200: _IN_FORCE},
    ),
)  # fmt: skip

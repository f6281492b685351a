"""Place rows of two servers whose tools are served here, too, as these tools place what they store themselves.

A row of Penfield has one of its memory types, a row of the Memory Palace a drawer's id or a wing. The kind, by which
every program knows what may be done with a memory, and the folder come from there.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..memory.model import kebab
from ..profiles.palace.drawers import DRAWER
from ..profiles.palace.rooms import WING
from ..profiles.penfield.contexts import CONTEXT
from ..profiles.penfield.types import CHECKPOINT, EPISODES, TYPES, category

_DRAWER_ID, _TYPE = "drawer_id", "memory_type"
_GIVEN_BY_NOBODY = ("identity_core", "personality_trait")  # Penfield's own types, which no caller may give
_DRAWERS = "drawers"  # the folder of those whose wing cannot name one


class Placed(NamedTuple):
    """The type, category and kind of a row; each is '' where another server's row says nothing of it."""

    type: str = ""
    category: str = ""
    kind: str = ""


def placed(values: Mapping[str, Any]) -> Placed:
    """Return the place and the kind of a row, by its columns in lower case."""
    wing, type = (str(values.get(key) or "").strip() for key in (WING, _TYPE))
    if wing or values.get(_DRAWER_ID):
        return Placed("entity", kebab(wing) or _DRAWERS, DRAWER)
    if type == CHECKPOINT:  # a context, which is listed as a memory of this type
        return Placed("episode", kind=CONTEXT)
    if type in EPISODES:
        return Placed("episode", kind=type)
    return Placed("entity", category(type)) if type in (*TYPES, *_GIVEN_BY_NOBODY) else Placed()

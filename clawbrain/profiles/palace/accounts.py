"""The user and the workspace: elsewhere accounts describe them, here the identity and the home do."""

from typing import TYPE_CHECKING, Any

from ...memory.model import Memory, slug
from ..shared.persona import IDENTITY
from ..shared.store import store_uid
from ..shared.titles import title, uid

if TYPE_CHECKING:
    from ...brain import Brain

PREFERENCES = "preferences"
_UNKNOWN = "No identity is set; memory_set_identity writes it."


def user_profile(brain: "Brain", *, preferences: bool) -> dict[str, Any]:
    """Return who the user is: the identity, a name where a heading begins it, and the preferences if they are wanted.

    What only an account knows is empty.
    """
    brain.sync()
    identity = brain.listed.at(IDENTITY)
    text = identity.content if identity else ""
    first = text.partition("\n")[0]
    told: dict[str, Any] = {
        "id": uid(identity) if identity else "",
        "email": "",
        "nickname": "",
        "name": first.removeprefix("# ").strip() if first.startswith("# ") else "",
        "surname": "",
        "created_at": identity.created if identity else "",
        "identity": text,
    }
    if preferences:
        liked = [memory for memory in brain.listed.memories("entity") if memory.category == PREFERENCES]
        told["preferences"] = {title(memory): memory.content for memory in liked}
    return told if identity else told | {"info": _UNKNOWN}


def workspace(brain: "Brain", *, agents: bool) -> dict[str, Any]:
    """Return the home as a workspace: its uid, its folder's name, its day, and the agents that wrote into it."""
    found = brain.having("agent") if agents else []
    names = sorted({name for memory in found if (name := _agent(memory))})
    return {
        "id": store_uid(brain),
        "name": brain.home.name,
        "created_at": brain.kept_note("furnished") or "",
        "agents": [{"id": slug(name), "name": name, "role": "", "slug": slug(name)} for name in names],
    }


def _agent(memory: Memory) -> str:
    name = memory.extra["agent"]
    return name.strip() if isinstance(name, str) else ""

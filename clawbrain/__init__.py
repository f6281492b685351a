"""A memory for coding agents: markdown files their owner reads, and a ledger that learns which of them help."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .brain import Brain as Brain
    from .brain import open_brain as open_brain
    from .brain.results import Hit as Hit
    from .memory.model import Memory as Memory
    from .memory.strict_handler import StrictHandler as StrictHandler

# Loaded when asked for: a server that is being started needs none of them yet.
_HOMES = {
    "Brain": "brain",
    "open_brain": "brain",
    "Memory": "memory.model",
    "Hit": "brain.results",
    "StrictHandler": "memory.strict_handler",
}

__all__ = ["DISTRIBUTION", "Brain", "Hit", "Memory", "StrictHandler", "open_brain", "version"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


DISTRIBUTION = "clawbrain-mcp"  # its name for pip and importlib.metadata; on PyPI `clawbrain` is another program


def version() -> str:
    """Return the installed version, or "unknown" where the source is run without being installed."""
    from importlib.metadata import PackageNotFoundError, version  # takes time that a starting server does not have

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"

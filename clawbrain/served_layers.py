"""The layers that are served with a home, found quickly where there are none.

Every server, hook and command asks, and a person or a program waits for it, so what reads layers is imported only where
a home may have some.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .layer_homes import ServedLayers

STRATEGY = "STRATEGY.md"


def served_layers(home: str | os.PathLike[str], words: Sequence[str] = (), started_in: str = "") -> ServedLayers | None:
    """Return the layers of a home, which --layer names in `words` or its STRATEGY.md does, or None where none does.

    See `layer_homes.find`. Raises Usage or Invalid for a word that names no layer and for two layers of one name.
    """
    if not words and not may_name_layers(home):
        return None
    from pathlib import Path

    from .layer_homes import find

    return find(Path(home), words, started_in)


def may_name_layers(home: str | os.PathLike[str]) -> bool:
    """Tell whether the STRATEGY.md of a home may name layers."""
    try:
        with open(os.path.join(home, STRATEGY), "rb") as page:
            return b"layers" in page.read()
    except OSError:
        return False

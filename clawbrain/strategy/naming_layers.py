"""Name further layers on a page, in the one list of its settings block that is no setting."""

import json
from collections.abc import Sequence

from ..errors import Refused
from ..layers import READ_ONLY, GivenLayer
from . import parse
from .block import LABEL, settings_blocks
from .layer_list import KEY
from .page import parts


def with_layers(text: str, layers: Sequence[GivenLayer]) -> str:
    """Return a page whose settings block names these layers too; all other lines stay as they are.

    A page without a block gets one at its end. Raises Refused where the block names layers already.
    """
    if not layers:
        return text
    if parse(text).layers:
        raise Refused(f"STRATEGY.md has a list '{KEY}:' already: add {_written(layers[0])} to it by hand.")
    named = [f"{KEY}:", *(f"  - {_written(layer)}" for layer in layers)]
    ending = "\r\n" if "\r\n" in text else "\n"
    fence = next((block.line for block in settings_blocks(parts(text))), 0)
    if not fence:
        block = [f"```{LABEL}", *named, "```", ""]
        return text.rstrip("\r\n") + ending * (2 if text.strip() else 0) + ending.join(block)
    lines = text.split("\n")
    lines[fence:fence] = [line + ending.removesuffix("\n") for line in named]
    return "\n".join(lines)


def _written(layer: GivenLayer) -> str:
    """Return a layer in plain YAML."""
    if not layer.name and not layer.read_only:
        return json.dumps(layer.path, ensure_ascii=False)
    words = [f"name: {layer.name}"] if layer.name else []
    words.append(f"path: {json.dumps(layer.path, ensure_ascii=False)}")
    return f"{{{', '.join(words + [f'{READ_ONLY}: true'] * layer.read_only)}}}"

"""The list `layers:` in the settings block: the homes that this one stands on."""

from ..errors import ClawbrainError
from ..layers import READ_ONLY, GivenLayer, checked_name, given
from ..memory.model import shown
from .page import YamlNode
from .reading import Reading

KEY = "layers"
_EXAMPLE = "layers: [{name: team, path: ../team-memory, read-only: true}]"


def read(key: YamlNode, content: YamlNode, reading: Reading) -> None:
    """Read the layers of a settings block; one that cannot be read is left out, with a complaint."""
    if content.kind == "text" and not content.value:
        return
    for node in content.value if content.kind == "list" else [content]:
        try:
            reading.layers.append(_layer(node))
        except ClawbrainError as error:
            reading.refuse(node.line, f"{str(error).rstrip('.')}; this layer is left out.")


def _layer(node: YamlNode) -> GivenLayer:
    if node.kind == "text":
        return given(node.value)
    if node.kind != "map":
        raise _wrong()
    words = {key.value: value.value for key, value in node.value if key.kind == value.kind == "text"}
    unknown = [key for key in words if key not in ("name", "path", READ_ONLY)]
    if len(words) != len(node.value) or unknown or not words.get("path"):
        raise _wrong()
    read_only = words.get(READ_ONLY, "false").lower()
    if read_only not in ("true", "false"):
        raise _wrong()
    name = checked_name(words["name"]) if "name" in words else ""
    return GivenLayer(words["path"], name, read_only == "true")


def _wrong() -> ClawbrainError:
    return ClawbrainError(f"a layer is a folder, or name, path and {READ_ONLY}, as in {shown(_EXAMPLE)}")

"""The settings block: the one fence labelled `yaml settings`, holding settings by name."""

import re
from collections.abc import Iterable
from typing import Any

from ..memory.model import shown
from . import layer_list
from .page import Misread, PagePart, YamlNode, yaml_nodes
from .reading import EVERYTHING, Reading, nearest, stays
from .settings import Setting, Wrong, checked, sections, settings

LABEL = "yaml settings"
_LONGEST = 16_384
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


def read(fences: list[PagePart], reading: Reading) -> None:
    """Read the settings block among the fences of a page. There may be one: of several none is read."""
    blocks = settings_blocks(fences)
    for fence in fences:
        if fence.text != LABEL and fence.text.partition(" ")[0] in ("", "yaml", "yml", "settings"):
            _name_unread(fence, reading)
    if len(blocks) == 1:
        _read_block(blocks[0], reading)
    for number, block in enumerate(blocks, 1):
        if len(blocks) > 1:
            text = f"settings block {number} of {len(blocks)}: there may be one, so none is read."
            reading.refuse(block.line, text, EVERYTHING)


def settings_blocks(among: Iterable[PagePart]) -> list[PagePart]:
    """Return the settings blocks among some parts of a page. Beside others, one of comments alone does not count."""
    blocks = [part for part in among if part.kind == "fence" and part.text == LABEL]
    return [block for block in blocks if not _is_blank(block)] or blocks[:1]


def _is_blank(block: PagePart) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in block.body)


def _name_unread(fence: PagePart, reading: Reading) -> None:
    """Complain about a fence that looks like settings under another label."""
    found = {line.partition(":")[0].strip() for line in fence.body if ":" in line} & {*sections(), layer_list.KEY}
    if found:
        text = f"this fence is left unread: a settings block opens with ```{LABEL}."
        reading.refuse(fence.line, text, *found)


def _read_block(block: PagePart, reading: Reading) -> None:
    body = "\n".join(block.body)
    if len(body) > _LONGEST:
        text = f"the settings block is over {_LONGEST >> 10} KB; it is left unread."
        reading.refuse(block.line, text, EVERYTHING)
        return
    if _is_blank(block):
        return  # nothing is set: YAML need not be loaded
    try:
        root = yaml_nodes(body, block.line + 1)
    except Misread as misread:
        text = f"{misread}; the settings block from line {block.line} on is left unread."
        reading.refuse(misread.line, text, EVERYTHING)
        return
    if root.kind == "map":
        _read_sections(root, reading)
    elif root.value:
        text = "the settings block should hold sections, as in 'pruning: {enabled: false}'; it is left unread."
        reading.refuse(root.line, text, EVERYTHING)


def _read_sections(root: YamlNode, reading: Reading) -> None:
    seen: dict[str, int] = {}
    for key, content in root.value:
        section = _word(key)
        if section == layer_list.KEY:
            layer_list.read(key, content, reading)
            continue
        if section not in sections():
            _name_stray(key, reading)
            continue
        if section in seen:
            text = f"'{section}' stands on line {seen[section]} already; this one is left unread."
            reading.refuse(key.line, text, section)
            continue
        seen[section] = key.line
        if content.kind == "map":
            _read_settings(section, content, reading)
        elif content.value or content.kind == "list" or content.quoted:
            text = f"'{section}' should hold settings, as in '{section}: {{{_an_example(section)}}}'."
            reading.refuse(key.line, text, section)


def _word(key: YamlNode) -> str:
    return key.value if key.kind == "text" else ""


def _an_example(section: str) -> str:
    first = next(setting for setting in settings().values() if setting.section == section)
    return f"{first.key}: {first.written(first.default)}"


def _name_stray(key: YamlNode, reading: Reading) -> None:
    """Complain about a name at the block's outermost level that is no section."""
    word = _word(key)
    owners = [setting.section for setting in settings().values() if word in (setting.key, setting.name)]
    if owners:
        text = f"{shown(word)} belongs below '{owners[0]}:'; it is left unread."
        reading.refuse(key.line, text, *owners)
        return
    near = nearest(word, sections())
    text = f"{shown(word)} is no section; the nearest is '{near}'. All below it is left unread."
    reading.refuse(key.line, text, near)


def _read_settings(section: str, content: YamlNode, reading: Reading) -> None:
    seen: dict[str, int] = {}
    for key, value in content.value:
        setting = settings().get(f"{section}.{_word(key)}")
        if setting is None:
            _name_unknown(section, key, reading)
        elif setting.key in seen:
            text = f"'{setting.key}' stands here and on line {seen[setting.key]}; {stays([setting])}."
            reading.refuse(key.line, text, barring=[setting])
        else:
            seen[setting.key] = key.line
            _read_setting(setting, key.line, value, reading)


def _read_setting(setting: Setting, line: int, node: YamlNode, reading: Reading) -> None:
    try:
        reading.claim(setting, _written(setting, node), line, "block")
    except Wrong as wrong:
        reading.refuse(line, f"{setting.name}: {wrong}; {stays([setting])}.", barring=[setting])


def _name_unknown(section: str, key: YamlNode, reading: Reading) -> None:
    word = _word(key)
    own = [setting.key for setting in settings().values() if setting.section == section]
    owners = [setting.section for setting in settings().values() if setting.key == word]
    where = f"it belongs below '{owners[0]}:'" if owners else f"the nearest is '{nearest(word, own)}'"
    reading.refuse(key.line, f"{shown(word)} is no setting of '{section}'; {where}.", section, *owners)


# Values


def _written(setting: Setting, node: YamlNode) -> Any:
    if setting.kind == "words":
        return checked(setting, _word_list(setting, node))
    if node.kind != "text" or (node.quoted and setting.kind in ("bool", "int", "float")):
        raise Wrong(_wanted(setting))
    if setting.kind == "bool":
        return _truth(setting, node.value)
    if setting.kind in ("int", "float"):
        return checked(setting, _number(setting, node.value))
    return checked(setting, node.value)


def _truth(setting: Setting, text: str) -> bool:
    if text.lower() not in _TRUE + _FALSE:
        raise Wrong(f"{shown(text)}: {_wanted(setting)}")
    return text.lower() in _TRUE


def _number(setting: Setting, text: str) -> int | float:
    whole = r"[-+]?[0-9]{1,9}"
    digits = whole if setting.kind == "int" else rf"{whole}(?:\.[0-9]{{0,12}})?|[-+]?\.[0-9]{{1,12}}"
    if not re.fullmatch(digits, text):
        raise Wrong(f"{shown(text)}: {_wanted(setting)}")
    return int(text) if setting.kind == "int" else float(text)


def _wanted(setting: Setting) -> str:
    return f"it should be {setting.range}, as in '{setting.key}: {setting.written(setting.example)}'"


def _word_list(setting: Setting, node: YamlNode) -> tuple[str, ...]:
    if node.kind != "list" or any(item.kind != "text" for item in node.value):
        raise Wrong(_wanted(setting))
    words = tuple(dict.fromkeys(item.value for item in node.value))
    if setting.floor and not set(setting.default) <= set(words):
        raise Wrong(setting.floor)
    return words

"""A scene: what happened, who was there, when, where, and how it felt; and the text it is written as.

A scene is an episode of the kind `scene`. Its header holds who, when, where and how it felt; its text is what happened,
followed by a line that repeats the rest for people. Its tags are its themes.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

from ...errors import Invalid
from ...memory.markdown import one_line
from ...memory.model import Memory, check_content, check_free_tags, shown
from ..shared.importance import importance
from ..shared.titles import title

SCENE = "scene"
FIELDS = ("action", "feeling", "themes", "when", "actors", "setting")
_ABOUT = re.compile(r"(?:\A|\n\n)\*(?:Who|When|Where|How): [^\n]*\*\Z")
_SENTENCE = re.compile(r".*?(?:[.!?…](?=\s|$)|[。！？]|$)", re.MULTILINE)
_MOST_ABOUT = 8_000  # bytes of a header
_LONGEST_SAID = 200


class Scene(NamedTuple):
    """A scene as the tools give it: what happened, who was there, when, where, and how it felt."""

    action: str
    actors: Sequence[str] = ()
    when: Sequence[str] = ()
    setting: str = ""
    feeling: str = ""
    themes: Sequence[str] = ()
    importance: float = 0.5


def written(scene: Scene) -> str:
    """Return the text of a scene: the action, and a last line whose labels are words that no search looks for."""
    said = {
        "Who": ", ".join(scene.actors),
        "When": ", ".join(scene.when),
        "Where": scene.setting,
        "How": scene.feeling,
    }
    about = " · ".join(f"{word}: {one_line(text)}" for word, text in said.items() if text.strip())
    return f"{scene.action}\n\n*{about}*" if about else scene.action


def read(memory: Memory) -> Scene:
    """Return a memory as a scene; fields that a memory of another kind lacks are empty."""
    return Scene(
        action=_ABOUT.sub("", memory.content).strip("\n"),
        actors=words_in(memory.extra.get("actors")),
        when=words_in(memory.extra.get("when")) or [memory.created[:10]],
        setting=_word(memory.extra.get("setting")),
        feeling=_word(memory.extra.get("feeling")),
        themes=list(memory.tags),
        importance=importance(memory),
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def words_in(value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) and value else value
    return [word for word in listed if isinstance(word, str)] if isinstance(listed, list) else []


def first_line(text: str) -> str:
    """Return the first line that holds more than `#` and spaces, without them."""
    return next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), "")


def first_sentence(text: str) -> str:
    """Return the first sentence of the first line, shortened to one line."""
    found = _SENTENCE.match(first_line(text))
    return short(one_line(found[0] if found else ""), _LONGEST_SAID)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line and shortened."""
    for line in text.splitlines():
        for found in _SENTENCE.finditer(line.strip("# \t")):
            if found[0].strip():
                yield short(one_line(found[0]).strip(), _LONGEST_SAID)


def short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def checked(scene: Scene) -> Scene:
    """Return the scene with its fields cleaned; raise Invalid where it is empty, too large, or a day is no date."""
    if not scene.action.strip():
        raise Invalid("a scene's action is empty; say what happened.")
    scene = scene._replace(
        action=scene.action.strip("\r\n"),
        actors=distinct(map(one_line, scene.actors)),
        when=sorted(set(map(_day, scene.when))),
        setting=one_line(scene.setting),
        feeling=one_line(scene.feeling),
        themes=distinct(map(one_line, scene.themes)),
        importance=max(0.0, min(1.0, float(scene.importance))),
    )
    check_content(written(scene))
    check_free_tags(scene.themes)
    if (size := len(json.dumps(scene[1:]))) > _MOST_ABOUT:
        raise Invalid(f"who, when, where, themes and feeling make {size} bytes; {_MOST_ABOUT} is the most.")
    return scene


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        raise Invalid(f"'when' must be days like 2026-02-25, not {shown(text)}.") from None


def distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, words)))


def parts(memory: Memory) -> dict[str, str]:
    scene = read(memory)
    said = {field: getattr(scene, field) for field in FIELDS}
    said["action"] = f"{title(memory)}\n{scene.action}"
    return {field: text if isinstance(text, str) else "\n".join(text) for field, text in said.items()}

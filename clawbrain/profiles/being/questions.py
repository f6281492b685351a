"""The questions that a patrol asks a model, and what it takes of the answers.

An answer is data of unknown quality: whatever has another shape than was asked for, or is too long, is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import Invalid
from ...memory.markdown import one_line
from .scene import Scene, checked, distinct, short

LONGEST_QUESTION = 24_000  # characters of texts in one question
FEWEST_LINES = 3
LINES_OF_A_CROWD, LINES_OF_A_DAY = 10, 5  # at most
_LONGEST_PART = 6_000  # characters of one exchange or scene in a question
_LONGEST_ACTION, _LONGEST_LINE, _LONGEST_NAME, _LONGEST_THEME = 2_000, 500, 80, 64
_MOST_ACTORS, _MOST_THEMES = 12, 3
_FEWEST_TOGETHER = 2  # scenes of a finer theme, and finer themes of a split


class ModelQuestion(NamedTuple):
    """A task for a model, and the texts that it is about."""

    task: str
    texts: str


def batches(texts: Sequence[str]) -> list[list[int]]:
    """Return the places of texts in groups, each of which fits into one question."""
    found: list[list[int]] = []
    room = 0
    for place, text in enumerate(texts):
        size = min(len(text), _LONGEST_PART)
        if not found or size > room:
            found.append([])
            room = LONGEST_QUESTION
        found[-1].append(place)
        room -= size
    return found


def _numbered(texts: Iterable[str]) -> str:
    return "\n\n".join(f"[{number}]\n{short(text, _LONGEST_PART)}" for number, text in enumerate(texts, 1))


# Scenes of what was said


def about_scenes(exchanges: Sequence[str], known: Sequence[str]) -> ModelQuestion:
    """Ask for the scenes of numbered exchanges; `known` are themes that the store has."""
    task = (
        "You keep the memories of an assistant. For each numbered exchange of a conversation tell what happened as one "
        "scene: what was asked, done, decided or learned, with the names, numbers and reasons that a later reader "
        'needs. Answer {"scenes": [{"number": 1, "action": "two or three sentences", "actors": ["who took part"], '
        '"themes": ["one to three short themes"], "feeling": "how it felt, or empty", "importance": 0.5}]}. '
        "importance is from 0 (small talk) to 1 (never forget it). Take a theme that is known where one fits."
    )
    listed = f"Known themes: {', '.join(known)}\n\n" if known else ""
    return ModelQuestion(task, listed + _numbered(exchanges))


def scenes_in(answer: Mapping[str, Any], told: Sequence[Scene]) -> dict[int, Scene]:
    """Return the scenes of an answer by their place, each with what it lacks from the one told without a model."""
    found: dict[int, Scene] = {}
    for row in _rows(answer.get("scenes")):
        number = row.get("number")
        if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(told):
            scene = _scene(row, told[number - 1])
            if scene:
                found.setdefault(number - 1, scene)
    return found


def _scene(row: Mapping[str, Any], told: Scene) -> Scene | None:
    action, feeling = _plain(row.get("action")), _plain(row.get("feeling"))
    if not 0 < len(action) <= _LONGEST_ACTION:
        return None
    try:
        return checked(
            told._replace(
                action=action,
                actors=_names(row.get("actors"), _LONGEST_NAME)[:_MOST_ACTORS] or told.actors,
                themes=_names(row.get("themes"), _LONGEST_THEME)[:_MOST_THEMES] or told.themes,
                feeling=short(feeling, _LONGEST_LINE),
                importance=_weight(row.get("importance"), told.importance),
            )
        )
    except Invalid:
        return None


def _weight(value: Any, otherwise: float) -> float:
    is_weight = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if is_weight else otherwise


# Lines in the place of many scenes, and of a day


def about_a_crowd(day: str, theme: str, told: Sequence[str]) -> ModelQuestion:
    """Ask for a few lines in the place of many scenes of one day and theme."""
    task = (
        f"You keep the memories of an assistant. These are its scenes of {one_line(day)} on one theme. Tell them again "
        "in three to ten lines that keep every fact, name, number and decision, and leave out what is said twice. "
        'Answer {"lines": ["one sentence or two"]}.'
    )
    return ModelQuestion(task, short(f"Theme: {one_line(theme)}\n\n" + "\n".join(told), LONGEST_QUESTION))


def about_a_day(day: str, scenes: Sequence[str], before: str) -> ModelQuestion:
    """Ask for the diary's lines on scenes; `before` is what the diary says of that day already."""
    task = (
        f"You write the diary of an assistant in the first person. These are its newest scenes of {one_line(day)}, and "
        "what its diary says already. Write three to five lines on what is new: what happened, what you made of it, "
        'what is left to do. Answer {"lines": ["one sentence"]}.'
    )
    said = f"The diary already says:\n{short(before, _LONGEST_PART)}\n\n" if before else ""
    return ModelQuestion(
        task, short(said + "\n".join(f"- {one_line(each)[:600]}" for each in scenes), LONGEST_QUESTION)
    )


def lines_in(answer: Mapping[str, Any], most: int) -> list[str]:
    """Return the first lines of an answer, or none at all where it has too few."""
    found = [line.lstrip("-*• ") for line in _words(answer.get("lines"), _LONGEST_LINE)]
    return found[:most] if len(found) >= FEWEST_LINES else []


# Finer themes


def about_a_split(theme: str, scenes: Sequence[str]) -> ModelQuestion:
    """Ask which finer themes the numbered scenes of a theme fall into."""
    task = (
        "You keep the memories of an assistant. These numbered scenes share a theme that has grown too broad. Put them "
        "under two to six finer themes of one to three words, each with at least two scenes; leave out a scene that "
        'fits none. Answer {"groups": [{"theme": "finer theme", "scenes": [1, 2]}]}, or {"groups": []} where they '
        "belong together."
    )
    return ModelQuestion(task, short(f"Theme: {one_line(theme)}\n\n{_numbered(scenes)}", LONGEST_QUESTION))


def groups_in(answer: Mapping[str, Any], theme: str, count: int) -> dict[int, str] | None:
    """Return the finer theme of scenes by their place, none where they belong together; None for no such answer."""
    groups = answer.get("groups")
    if not isinstance(groups, list):
        return None
    found: dict[int, str] = {}
    for group in _rows(groups):
        named = _names([group.get("theme")], _LONGEST_THEME)
        places = [place for place in _places(group.get("scenes"), count) if place not in found]
        if named and named[0].casefold() != theme.casefold() and len(places) >= _FEWEST_TOGETHER:
            found |= dict.fromkeys(places, named[0])
    if len(set(found.values())) >= _FEWEST_TOGETHER:
        return found
    return None if groups else {}


# The parts of an answer


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _plain(value: Any) -> str:
    """Return a text on one line without characters that cannot be printed; '' for anything else."""
    return "".join(filter(str.isprintable, one_line(value))) if isinstance(value, str) else ""


def _words(value: Any, longest: int) -> list[str]:
    """Return the texts of a list that are not too long, each on one line and once."""
    texts = map(_plain, value) if isinstance(value, list) else ()
    return distinct(text for text in texts if len(text) <= longest)


def _names(value: Any, longest: int) -> list[str]:
    """Return the texts of a list that may be names or themes: no secret is one."""
    return [word for word in _words(value, longest) if "[redacted" not in word]


def _places(value: Any, count: int) -> list[int]:
    numbers = [each for each in value if isinstance(each, int)] if isinstance(value, list) else []
    return [number - 1 for number in dict.fromkeys(numbers) if not isinstance(number, bool) and 1 <= number <= count]

"""Whether a prompt asks for something to be kept in mind: "remember that …", "from now on …", by closed lists."""

import re
from functools import cache

from .outcome import comparable
from .phrases import LANGUAGES

LONGEST_READ = 2_000  # characters; a wish stands in what somebody typed, not in a pasted log
_SENTENCE = re.compile(r"[^.!?。\n]+[.!?。\n]?")
_BEFORE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|and|also|please|so|hey|btw|by the way|one more thing|thanks|und|bitte|also|ach ja|et|aussi|"
    r"s'il te plait|y|por favor|e|per favore|en|alsjeblieft|prosze|и|пожалуйста|请|那)(?!\w)\W*){0,3}"
)


def asks_to_keep(prompt: str) -> bool:
    """Tell whether a sentence of a prompt asks for something to be kept in mind. A question does not."""
    said = comparable(prompt[:LONGEST_READ])
    return any(_asks(sentence[0]) for sentence in _SENTENCE.finditer(said))


def _asks(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    begun, anywhere = _patterns()
    before = _BEFORE.match(sentence)
    return bool(begun.match(sentence, before.end() if before else 0) or anywhere.search(sentence))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of phrases that begin a sentence, and of those that stand anywhere in one."""
    listed = [" ".join(each.split()) for words in LANGUAGES for each in comparable(words.keep).split(";")]
    begun = [each for each in listed if each and not each.startswith("...")]
    anywhere = [each.removeprefix("...") for each in listed if each.startswith("...")]
    return re.compile(_any(begun)), re.compile(_any(anywhere))


def _any(phrases: list[str]) -> str:
    """Return a pattern for any of some phrases; where a script has spaces, they are whole words."""
    longest_first = sorted(phrases, key=len, reverse=True)
    return "|".join(_whole(each) for each in longest_first)


def _whole(phrase: str) -> str:
    if phrase[0] >= "\u2e80":
        return re.escape(phrase)
    return rf"(?<!\w){re.escape(phrase)}" + (r"(?!\w)" if phrase[-1].isalnum() else "")

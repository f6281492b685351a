"""Tell whether a prompt asks for something to be kept in mind: "remember that …", "from now on …", by closed lists."""

import re
from collections.abc import Iterator
from functools import cache

from .outcome import comparable, split, within_word
from .phrases import LANGUAGES

LONGEST_READ = 2_000  # characters; a wish stands in what somebody typed, not in a pasted log
_SENTENCE = re.compile(r"[^.!?。\n]+[.!?。\n]?")
# Words that may stand before such a phrase.
_BEFORE = """
ok okay and also please so hey btw thanks und bitte et aussi y por favor e per favore en alsjeblieft prosze и пожалуйста
"""
_MOST_BEFORE = 3
_WORD = re.compile(r"\W*(\w+)")
_WHOLE_WORD = re.compile(r"[\w'’-]+")


def asks_to_keep(prompt: str) -> bool:
    """Tell whether a sentence of a prompt asks for something to be kept in mind. A question does not."""
    said = comparable(prompt[:LONGEST_READ])
    return any(_asks(sentence[0]) for sentence in _SENTENCE.finditer(said))


def without_wish(sentence: str) -> str:
    """Return a sentence without the words that only ask for it to be kept: "from now on", "remember that"."""
    words = [*_WHOLE_WORD.finditer(sentence)]
    said = [comparable(word[0]) for word in words]
    begun, anywhere = _phrases_by_word()
    start = next((at for at, word in enumerate(said) if word not in _BEFORE.split()), 0)
    rest, end, at = "", 0, 0
    while at < len(words):
        phrases = [
            phrase for phrase in (*anywhere, *(begun if at == start else ())) if said[at : at + len(phrase)] == phrase
        ]
        if phrases:
            rest += sentence[end : words[at].start()]
            at += max(map(len, phrases))
            end = words[at - 1].end()
        else:
            at += 1
    return (rest + sentence[end:]).strip(" ,.:;") if end else sentence


def _asks(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    begun, anywhere = _phrases()
    starts = [*_starts(sentence)]
    return any(_begins(sentence, at, phrase) for phrase in begun for at in starts) or any(
        _begins(sentence, sentence.find(phrase), phrase) for phrase in anywhere if phrase in sentence
    )


def _starts(sentence: str) -> Iterator[int]:
    """Yield the places where a wish may begin: at the first word, and behind words like "please" at the beginning."""
    at = 0
    for _ in range(_MOST_BEFORE + 1):
        word = _WORD.match(sentence, at)
        if not word:
            return
        yield word.start(1)
        if word[1] not in _BEFORE.split():
            return
        at = word.end()


def _begins(sentence: str, at: int, phrase: str) -> bool:
    """Tell whether a phrase stands at a place, as whole words where its script has spaces."""
    end = at + len(phrase)
    return sentence.startswith(phrase, at) and not within_word(sentence, at) and not within_word(sentence, end)


@cache
def _phrases() -> tuple[list[str], list[str]]:
    """Return the phrases that begin a sentence, and those that stand anywhere in one."""
    listed = [phrase for words in LANGUAGES for phrase in split(words.keep)]
    anywhere = [phrase.removeprefix("...") for phrase in listed if phrase.startswith("...")]
    return [phrase for phrase in listed if not phrase.startswith("...")], anywhere


@cache
def _phrases_by_word() -> tuple[list[list[str]], list[list[str]]]:
    begun, anywhere = ([_WHOLE_WORD.findall(phrase) for phrase in phrases] for phrases in _phrases())
    return begun, anywhere

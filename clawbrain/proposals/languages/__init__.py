"""The words of each rule, by language. The lists are closed.

Patterns are regular expressions whose lines are put together. They make no difference between capitals and small
letters, except where a name must begin with a capital. The pattern of a rule must match where a clause begins.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Language(NamedTuple):
    """The words of one language."""

    words: tuple[str, ...]  # a sentence without any of these parts of words is not looked at
    lead: str  # what may stand before a statement, such as "ok, btw"
    joint: str  # what ends a clause, so that another may begin behind it
    task: str  # the beginning of a sentence that orders one task, or asks
    passing: str  # what, anywhere in a sentence, makes it hold for a while only, or doubtful
    then: str  # the order of a task at the end of a sentence, which is then about that task alone
    rules: Mapping[str, str]  # the pattern of each rule, by its key
    telling: Mapping[str, str] = MappingProxyType({})
    """For the patterns that take long to compile: the parts of words, one of which a sentence must have, with bars
    between them. A rule that is not here is tried on every sentence that has one of `words`."""


# At the end, since each language's module needs Language.
from .in_chinese_and_japanese import CHINESE, JAPANESE  # noqa: E402
from .in_dutch import DUTCH  # noqa: E402
from .in_english import ENGLISH  # noqa: E402
from .in_french import FRENCH  # noqa: E402
from .in_german import GERMAN  # noqa: E402
from .in_italian import ITALIAN  # noqa: E402
from .in_polish_and_russian import POLISH, RUSSIAN  # noqa: E402
from .in_spanish_and_portuguese import PORTUGUESE, SPANISH  # noqa: E402

LANGUAGES = (
    ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, POLISH, RUSSIAN, CHINESE, JAPANESE,
)  # fmt: skip

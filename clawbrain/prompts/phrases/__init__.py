"""The phrases by which a prompt praises, corrects, or asks to keep something, by language. The lists are closed.

Apostrophes, accents, capitals and the width of signs make no difference. A phrase must end where a word ends, and be
followed by a mark, by the end, or by words that may stand there; one with "..." at its end may go on in any way, and
one with "..." inside has its last words later in the sentence.
"""

from typing import NamedTuple


class Phrases(NamedTuple):
    """The phrases of one language, each list in one text, separated by semicolons."""

    praise: str  # of the last answer
    blame: str  # of the last answer
    before: str  # words that may stand before such a phrase
    after: str  # words that may stand behind it
    unless: str  # a praise whose sentence holds one of these is none, or irony
    then: str  # words with which a wish begins that follows a praise without a mark
    keep: str  # of a wish that something be kept in mind: at the beginning of a sentence, after "..." anywhere in it


# At the end, since each language's module needs Phrases.
from .chinese import CHINESE  # noqa: E402
from .dutch import DUTCH  # noqa: E402
from .english import ENGLISH  # noqa: E402
from .french import FRENCH  # noqa: E402
from .german import GERMAN  # noqa: E402
from .italian import ITALIAN  # noqa: E402
from .japanese import JAPANESE  # noqa: E402
from .polish import POLISH  # noqa: E402
from .portuguese import PORTUGUESE  # noqa: E402
from .russian import RUSSIAN  # noqa: E402
from .spanish import SPANISH  # noqa: E402

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, DUTCH, POLISH, RUSSIAN, CHINESE, JAPANESE)

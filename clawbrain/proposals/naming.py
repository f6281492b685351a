"""The name, the category and the tags that a statement has as a memory, until the person gives others."""

import re

from ..contradictions import claim_hash
from ..memory.model import kebab
from ..prompts.keeping import without_wish
from ..prompts.known_words import is_product
from ..search.stop_words import stop_words_for
from ..words import terms
from .proposal_rules import DECISION, FIX, PERSON, PREFERENCE

CATEGORIES = {PREFERENCE: "preferences", DECISION: "decisions", PERSON: "people", FIX: "knowledge"}
_WORDS, _TAGS = 5, 3
_LONGEST_NAME = 48


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORD = re.compile(r"[^\W_][\w./'’+#-]*[^\W_]|[^\W_]")
_REDACTED = re.compile(r"\[redacted[^]]*]")
_PERSON = re.compile(r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?((?:[A-ZÀ-ÞŁŚŻČŠŽА-ЯЁ][\w'’-]*[^\W\d_A-Z](?: |$|(?=[,.]))){1,3})")
_NOT_A_PERSON = _set(
    """ansprechpartner ask chef de el frau herr il la le ma mein meine meu mi mijn minha mon mr mrs ms dr prof my nasz
    nasza nossa nosso notre nuestra nuestro o onze our product the unser unsere наш наша"""
)
# Words of the rules themselves and of what leads to a statement: they do not say what it is about.
_SAYS_NOTHING = _set(
    """all always any agreed because but cause caused chose chosen convention culprit decided decision did do does don't
    every everywhere ever fixed forward found future going had has hate have here it's issue keep like likes mind must
    need needs note policy prefer preference prefers please problem project projects reason reference remember repo
    repository root rule settled should solved stay team that's there turned turns use used uses using want wants went
    abbiamo altijd avons besloten bitte deciso decidido décidé entschieden gebruiken haben hebben hemos immer nous
    nutzen benutzen verwenden on problem sempre siempre toujours uns ursache usamos usiamo utilise utilisons używamy wir
    zawsze всегда используем решили"""
)
_OF_ONESELF = re.compile(r"(?:i'm|i|ich|je|soy|yo|eu|sou|io|sono|ik|jestem|я)\b|我是|私は", re.IGNORECASE)
_DENIALS = _set("never not no against nie niemals kein keine jamais nunca mai nooit nigdy никогда")


def name_of(sentence: str, kind: str) -> str:
    """Return a name in kebab-case: the person's, or the words that say something and the denials among them."""
    sentence = without_wish(sentence)
    named = _person(sentence) if kind == PERSON else ""
    words = [named] if named else _telling(sentence, denials=True)[:_WORDS]
    name = kebab(" ".join(words).replace("'", ""), _LONGEST_NAME)
    return name if len(name) > 1 else f"{kind}-{claim_hash(sentence)[:6]}"


def tags_of(sentence: str, kind: str) -> tuple[str, ...]:
    """Return a few tags: the products that a statement names, else its longest words; for a person the role's words."""
    sentence = without_wish(sentence)
    named = set(_person(sentence).lower().split()) if kind == PERSON else set()
    words = [word for word in _telling(sentence, denials=False) if word.lower() not in named]
    products = [word for word in words if any(map(is_product, terms(word)))]
    longest = sorted(words, key=len, reverse=True)
    tags = (kebab(word) for word in dict.fromkeys([*products, *longest]))
    return tuple([tag for tag in dict.fromkeys(tags) if len(tag) > 1][:_TAGS])


def _telling(sentence: str, *, denials: bool) -> list[str]:
    """Return the words of a sentence that say what it is about, in order; denials only where they are wanted."""
    words = _WORD.findall(_REDACTED.sub("", sentence))
    lowered = [word.lower().replace("’", "'") for word in words]
    empty = stop_words_for(lowered) | _SAYS_NOTHING
    found: list[str] = []
    for word, low in zip(words, lowered, strict=True):
        if low in _DENIALS:
            if denials:
                found.append(word)
        elif low not in empty and low.partition("'")[0] not in empty:
            found.append(word)
    while found and found[-1].lower() in _DENIALS:
        found.pop()
    return found


def _person(sentence: str) -> str:
    """Return the person that a sentence names first, "me" for the one who says it, or ''."""
    if _OF_ONESELF.match(sentence):
        return "me"
    for found in _PERSON.finditer(sentence):
        words = [word for word in found[1].split() if word.lower().strip(",.") not in _NOT_A_PERSON]
        if words:
            return " ".join(words).strip(",.")
    return ""

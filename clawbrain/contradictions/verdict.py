"""Tell why two claims cannot both be true.

They are laid beside each other and the differences are counted. Exactly one difference of a kind that cannot both
be true is a contradiction: a value, an opposite, a negation, an order, or a word of change ("switched from", "no
longer"). Two differences are another scope, more words only say more. What is left undecided counts as no
contradiction: a false alarm costs more trust than a miss. Reasons are given as text, and "" is none.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product, takewhile

from rapidfuzz.distance import Indel

from .claim import Claim, read
from .line import Subject, line_of
from .preference import exchange, preference, same_preference
from .spelling import (
    EMPTY,
    IMPERATIVES,
    KINDS,
    LEADERS,
    MANY,
    OF_ONE_PERSON,
    ONE_HOLDER,
    ONE_OBJECT,
    PEERS,
    VERBS,
    kind,
    mistyped,
    opposed,
    rivals,
    stem,
)
from .vocabulary import (
    ADJECTIVE_END,
    ADJECTIVES,
    ATTRIBUTES,
    FORMATS,
    JOINS,
    LOOSE,
    MUTUAL,
    NUMBERED,
    ONE_PLACE,
    OWNERS,
    PAST,
    PREPOSITIONS,
    REASONS,
    SCOPES,
)

# The differences between two claims


@dataclass(frozen=True, slots=True)
class _Span:
    start: int  # in the first claim
    other: int  # in the second
    x: tuple[str, ...]
    y: tuple[str, ...]


_MOST_SLIPS = 3  # where more words differ, none of them is a typing error


def _spans(a: Claim, b: Claim) -> list[_Span]:
    """Return where the two part, with neighbouring cuts joined and mistyped words forgiven.

    Before the verb a word that is nearly the same is another subject.
    """
    missing, others = {*b.tokens[b.verb :]} - {*a.tokens}, {*a.tokens[a.verb :]} - {*b.tokens}
    few = len(missing) <= _MOST_SLIPS and len(others) <= _MOST_SLIPS
    slips = {y: x for y in missing for x in others if mistyped(x, y)} if few else {}
    ys = [slips.get(t, t) for t in b.tokens]
    spans: list[list[int]] = []
    for op in Indel.opcodes(list(a.tokens), ys):
        if op.tag == "equal":
            continue
        if spans and spans[-1][1] == op.src_start and spans[-1][3] == op.dest_start:
            spans[-1][1], spans[-1][3] = op.src_end, op.dest_end
        else:
            spans.append([op.src_start, op.src_end, op.dest_start, op.dest_end])
    made = (_Span(i, k, a.tokens[i:j], tuple(ys[k:m])) for i, j, k, m in spans)
    return [s for s in made if not EMPTY.issuperset(s.x + s.y) or _turned(s)]


def _turned(span: _Span) -> bool:
    """Tell whether a word of the one part and a word of the other are opposites, and little else is said."""
    if all(SCOPES & set(words[1:]) for words in (span.x, span.y)):
        return False
    return len(span.x) <= 3 and len(span.y) <= 3 and any(opposed(x, y) for x, y in product(span.x, span.y))


_AROUND = ".,;:!?()[]\"'`*“”"
_REMARK = re.compile(r"\s\([^()]*\Z")  # in brackets, at the end, which is without marks here


def _said(claim: Claim, stems: Collection[str]) -> str:
    """Return the words of a claim that have these stems, as they were written."""
    written = (word.strip(_AROUND) for word in claim.text.split())
    return " ".join(word for word in written if stem(word.lower()) in stems)


def _apart(a: Claim, b: Claim, span: _Span) -> tuple[str, str]:
    """Return the differing parts of two claims: all between the same beginning and the same end."""
    x, y = (_REMARK.sub("", claim.text.strip(_AROUND)).split() for claim in (a, b))
    for end in (0, -1):
        while x and y and x[end].lower() == y[end].lower():
            x.pop(end), y.pop(end)
    if 0 < len(x) <= 5 and 0 < len(y) <= 5:
        return " ".join(x), " ".join(y)
    return _said(a, span.x), _said(b, span.y)


_MOST_APART = 8  # words on either side that the other claim has not: more differ in no contradiction


def contradicts(a: str, b: str) -> str:
    """Return why two claims cannot both be true, or "" when they can; whichever comes first, both can or cannot."""
    opposite = _preferred(a, b)
    if opposite is not None:
        return opposite or _of_preferences(a, b)
    if len(_clauses(a)) == len(_clauses(b)) == 1:
        x, y = {*read(a).solid}, {*read(b).solid}
        if len(x - y) > _MOST_APART and len(y - x) > _MOST_APART:
            return ""
    why = _of_clauses(*sorted((a, b)))
    return why and (_of_clauses(a, b) or why)  # a reason names the first claim first


def _preferred(a: str, b: str) -> str | None:
    """Return why two preferences exclude each other, or "" when they do not; None where that is left to other rules."""
    if same_preference(a, b):
        return ""
    swap = exchange(a, b)
    if not swap:
        return None
    if not swap.alike:
        return ""  # each speaks of a case of its own
    first, second = _quoted(swap.first, a, b), _quoted(swap.second, b, a)
    if not (first and second):
        return f"one is for “{first or second}”, the other against it"
    return f"“{first}” and not “{second}” in one, “{second}” and not “{first}” in the other"


def _of_preferences(a: str, b: str) -> str:
    """Return the reason among those clauses of two claims that are preferences by themselves."""
    pairs = product(*([clause for clause in _clauses(claim) if preference(clause)] for claim in (a, b)))
    return next(filter(None, (_preferred(x, y) for x, y in pairs)), "")


def _quoted(phrase: tuple[str, ...], *claims: str) -> str:
    """Return the words of a phrase as one of the claims writes them."""
    for words in ([word.strip(_AROUND) for word in claim.split()] for claim in claims):
        for at in range(len(words)):
            if tuple(stem(word.lower()) for word in words[at : at + len(phrase)]) == phrase:
                return " ".join(words[at : at + len(phrase)])
    return " ".join(phrase)


def _of_clauses(a: str, b: str) -> str:
    reasons = (_why(read(x), read(y)) for x, y in product(_clauses(a), _clauses(b)))
    return next(filter(None, reasons), "")


@lru_cache(maxsize=8192)
def _clauses(claim: str) -> tuple[str, ...]:
    parts = re.split(r";\s+|\.\s+(?=[A-Z])|,? but (?=\w+ (?:is|are|no|now|uses?)\b)|,\s+(?:so|while|whereas)\s+", claim)
    if len(parts) == 1:
        return (claim,)
    return tuple(part for part in parts if line_of(part).whose is not Subject.NONE) or (claim,)


def _why(a: Claim, b: Claim) -> str:
    """Return why two single clauses cannot both be true, or "": what is gone and denied first, then what differs."""
    if (opposite := _preferred(a.text, b.text)) is not None:
        return opposite
    shared = set(a.solid) & set(b.solid)
    for one, other in ((a, b), (b, a)):
        if one.gone and (why := _changed(one, other)):
            return why
    if not shared and not _of_one_person(a, b):
        return ""
    if a.now or b.now:
        a, b = _used(a), _used(b)
    if a.negative != b.negative or {a.level, b.level} == {"required", "optional"}:
        return _denied(a, b)
    if {a.whose, b.whose} == {"only", "any"} and len(shared) >= max(2, min(len(a.solid), len(b.solid)) - 1):
        return "one says only some may or do, the other that all do"
    if a.told_change and b.told_change and a.gone == b.taken and a.taken == b.gone:
        return f"“{_said(a, a.taken)}” and “{_said(a, a.gone)}” have changed places"
    spans = _spans(a, b)
    if spans and sorted(a.tokens) == sorted(b.tokens):
        return _turned_round(a, b)
    if said := _two_answers(a, b):
        return f"“{said[0]}” in one, “{said[1]}” in the other"
    swaps, inserts = [s for s in spans if s.x and s.y], [s for s in spans if not (s.x and s.y)]
    if len(swaps) != 1 or a.adds or b.adds or _narrowed(a, b, inserts, _turned(swaps[0])):
        return ""  # they differ in more than one place: another scope
    if _of_a_part(swaps[0]) or not _excludes(a, b, swaps[0]):
        return ""
    x, y = _apart(a, b, swaps[0])
    return f"“{x}” in one, “{y}” in the other"


def _of_one_person(a: Claim, b: Claim) -> bool:
    """Tell whether both tell what a person has one of: 'Lives in Porto', 'I work at Acme', 'Uses zsh'."""
    if a.tokens[:1] == b.tokens[:1] == ("at_",):
        return True
    if a.tokens[:2] == b.tokens[:2] == ("work", "at"):
        return _is_name(a, a.tokens[2:]) and _is_name(b, b.tokens[2:])
    tools = a.tokens[1:] + b.tokens[1:]
    return a.tokens[:1] == b.tokens[:1] == ("use",) and len(tools) == 2 and OF_ONE_PERSON.issuperset(tools)


def _used(claim: Claim) -> Claim:
    """Return a claim in which being at a place counts as using it: beside "now" both are the same."""
    return replace(claim, tokens=tuple("use" if t == "at_" else t for t in claim.tokens))


def _changed(a: Claim, b: Claim) -> str:
    """Return the reason where the first says that something is gone which the second still holds."""
    said = frozenset(b.solid)
    if b.negative or b.gone or not a.gone <= said or (a.taken and a.taken - a.gone <= said):
        return ""
    place = min(b.tokens.index(t) for t in a.gone)
    if (a.negative and not _past(b) and place <= b.verb) or not _about_the_same(a, b, place):
        return ""
    went = f"“{_said(a, a.gone)}” gave way to “{_said(a, a.taken)}”" if a.taken else f"“{_said(a, a.gone)}” is gone"
    return f"one says {went}, the other still holds it"


def _about_the_same(a: Claim, b: Claim, place: int) -> bool:
    """Tell whether what gave way in the first claim is what the second speaks of.

    They share another word; or the second says nothing else; or the first tells a change of the whole team's, without
    a subject of its own, and the second holds the old thing after its verb.
    """
    around, rest = frozenset(a.solid) - a.gone, frozenset(b.solid) - a.gone
    if rest & around or not rest:
        return True
    everybody = not [t for t in a.tokens[: a.verb] if t in around and t not in OWNERS]
    advice = a.verb == b.verb == 0 and a.tokens[0] == b.tokens[0]  # 'Use this instead of that', 'Use that'
    named = any(("name", t) in a.marks or t in PEERS for t in a.gone)
    return a.told_change and everybody and (advice or (named and (place > b.verb or b.verb == 0)))


def _denied(a: Claim, b: Claim) -> str:
    """Return the reason where one claim denies the other, unless they also speak of different cases."""
    yes, no = (a, b) if b.negative or (b.level == "optional" and not a.negative) else (b, a)
    more, less = _left(yes, no), _left(no, yes)
    if not (more and less):
        more, less = [t for t in more if t not in OWNERS], [t for t in less if t not in OWNERS]
    shared = len(set(yes.solid) & set(no.solid))
    if any(opposed(x, y) for x, y in product(yes.tokens, no.tokens) if x not in no.tokens and y not in yes.tokens):
        return ""  # a denied opposite says the same
    if no.gone and _past(yes):
        return ""  # what is gone may have been
    times = all(kind(t) in ("often", "day", "month") for t in [*more, *less])
    if (times and not (more and less)) or not (more or less):
        return "one denies what the other says"
    if not more and _only_reasons(no, less):
        return "one denies what the other says, and gives a reason"
    if not less and 2 * shared >= len(more) and not _scoped(yes, more):
        return "one denies altogether what the other says"
    return ""  # one denies it for another case


def _left(a: Claim, b: Claim) -> list[str]:
    return [t for t in a.solid if t not in b.tokens and not any(mistyped(t, u) for u in b.tokens)]


def _scoped(claim: Claim, words: list[str]) -> bool:
    """Tell whether more words narrow a claim: a modified subject, or 'in', 'when', 'unless' before them."""
    first = min(claim.tokens.index(t) for t in words)
    narrow = SCOPES - {"for"}
    if all(("every", word) in claim.marks for word in words):
        return False
    return first < claim.verb or bool(narrow & set(claim.tokens[max(0, first - 1) : first + 1]))


def _only_reasons(claim: Claim, words: list[str]) -> bool:
    first = min(claim.tokens.index(t) for t in words)
    return first > 0 and claim.tokens[first - 1] in REASONS


_IN_ORDER = re.compile(r"\bthen\b|\bfollowed by\b|->|→")
_PIVOTS = ("over", "to", "than", "before", "after", "from", "into", "above", "below", "at_", "by")


def _turned_round(a: Claim, b: Claim) -> str:
    """Return the reason where the same words stand in another order that means something else."""
    for pivot in _PIVOTS:
        if pivot in a.tokens and pivot in b.tokens:
            left, right = a.tokens[: a.tokens.index(pivot)], b.tokens[b.tokens.index(pivot) + 1 :]
            if moved := set(left) & set(right) - EMPTY:
                return f"“{_said(a, moved)}” has changed sides"
    if _crossed(a.tokens, b.tokens):
        return "each says the other way round what does it and what it is done to"
    return "the order is another" if all(_IN_ORDER.search(claim.text) for claim in (a, b)) else ""


def _crossed(x: tuple[str, ...], y: tuple[str, ...]) -> bool:
    """Tell whether two parts exchange places: 'Variables override the file', 'the file overrides variables'."""
    for i in range(1, len(x) - 1):
        for j in range(i + 1, len(x)):
            if x[j:] + x[i:j] + x[:i] == y:
                return MUTUAL.isdisjoint(x[i:j]) and PREPOSITIONS.isdisjoint(x[i:j])
    return False


def _two_answers(a: Claim, b: Claim) -> tuple[str, str] | None:
    """Return the names that two claims give as the answer to one question: 'The director of X is Ann', 'is Bo'."""
    if "be" not in a.tokens or a.negative or b.negative or a.adds or b.adds:
        return None
    at = len(a.tokens) - a.tokens[::-1].index("be")
    x, y = a.tokens[at:], b.tokens[at:]
    asked = a.tokens[: at - 1]
    if a.tokens[:at] != b.tokens[:at] or not ({"of", "where"} & {*asked} or _attribute(a)) or not x or not y:
        return None
    if {*x} <= {*y} or {*y} <= {*x} or not (_is_name(a, x) and _is_name(b, y)):
        return None
    return _apart(a, b, _Span(at, at, x, y))


def _is_name(claim: Claim, words: Collection[str]) -> bool:
    return all(("name", word) in claim.marks or word in PREPOSITIONS for word in words)


def _narrowed(a: Claim, b: Claim, inserts: list[_Span], turned: bool) -> bool:
    """Tell whether an insertion speaks of a part: words before the verb, or 'in', 'for', 'when' and what follows."""
    for span in inserts:
        claim, at, words = (a, span.start, span.x) if span.x else (b, span.other, span.y)
        before = claim.tokens[at - 1] if at else ""
        if turned and all(t in PREPOSITIONS or kind(t) in ("month", "day") for t in words):
            continue
        inside = at + len(words) < len(claim.tokens) and not turned
        if inside or at < claim.verb or (claim.verb == 0 and at == 0) or words[0] in SCOPES or before in SCOPES:
            return True
    return False


def _of_a_part(span: _Span) -> bool:
    """Tell whether one of two differing parts goes on to say where or when it holds: '9090 in staging', '8080'."""

    def goes_on(words: tuple[str, ...]) -> bool:
        return any(word in SCOPES and value not in VERBS | EMPTY for value, word in pairwise(words))

    return goes_on(span.x) != goes_on(span.y)


def _excludes(a: Claim, b: Claim, span: _Span) -> bool:
    """Tell whether the two replaced parts cannot both be true."""
    if a.negative:
        return len(span.x) == len(span.y) == 1 and "than" in a.tokens and kind(span.x[0]) == "number"
    if len(span.x) == len(span.y) == 1 and {span.x[0], span.y[0]} <= PREPOSITIONS and _turned(span):
        return True
    if span.start < a.verb or span.other < b.verb:
        return _one_holder(a, b, span)
    if _turned(span):
        return True
    x, y = (tuple(t for t in words if t not in EMPTY) for words in (span.x, span.y))
    if not x or not y or max(len(x), len(y)) > (7 if _is_name(a, x) and _is_name(b, y) else 5):
        return False
    verb = a.tokens[a.verb]
    if (x, y) == ((verb,), (b.tokens[b.verb],)):
        return rivals(*x, *y)
    where = {"be", "at_", "use"} if a.now or b.now else {"be", "at_"}
    if verb != b.tokens[b.verb] and not {verb, b.tokens[b.verb]} <= where and (a.verb or b.verb):
        return False
    if _values(x, y):
        which = span.start > 0 and a.tokens[span.start - 1] in NUMBERED
        return not (verb in MANY and _past(a)) or (kind(x[0]) == "number" and not which)
    if any(kind(p) in ("day", "month", "often") for p in x + y):
        return False
    if a.level == b.level == "allowed":
        return False
    together = a.tokens[max(0, span.start - 2) : span.start] == ("work", "with")  # says nothing about others
    if verb not in MANY and not together and any(rivals(p, q) for p, q in product(x, y)):
        return True
    return _one_of(a, b, span, verb)


def _values(x: tuple[str, ...], y: tuple[str, ...]) -> bool:
    """Tell whether both parts are a number, a date, a path, a weekday …, with the same words around it."""
    kinds = [{kind(t) for t in words} - {""} for words in (x, y)]
    plain = [{t for t in words if not kind(t)} for words in (x, y)]
    return bool(kinds[0] & kinds[1]) and (plain[0] == plain[1] or len(x) == len(y) == 1 or not (plain[0] and plain[1]))


def _past(claim: Claim) -> bool:
    return claim.raw[claim.verb].endswith("ed") or claim.raw[claim.verb] in PAST


def _one_holder(a: Claim, b: Claim, span: _Span) -> bool:
    """Tell whether two claims name different holders of one place: 'Alice is the tech lead', 'Bob is the tech lead'.

    So do two numbers of one thing before the verb ('two approvals'), if they say how many, and not which.
    """
    if _turned(span) and a.tokens[a.verb : a.verb + 2] == ("be", "use"):
        return a.tokens[a.verb + 2 : a.verb + 3] in ((), ("for",), ("to",), ("as",))
    if span.start or span.other or len(span.x) != a.verb or len(span.y) != b.verb or a.verb == len(a.tokens):
        numbers = len(span.x) == len(span.y) == 1 and kind(span.x[0]) == kind(span.y[0]) == "number"
        if numbers and a.tokens[a.verb : a.verb + 1] == ("be",) and span.start == a.verb - 1 > 0:
            return any(("the", word) in a.marks & b.marks for word in a.tokens[a.verb + 1 : a.verb + 2])
        # 'two approvals' says how many, 'server 2' says which
        counted = span.start == 0 or a.tokens[span.start - 1] in ("least", "most", "maximum", "minimum")
        return numbers and counted and (a.level == "required" or "need" in a.tokens)
    rest = a.tokens[a.verb + 1 :]
    if a.tokens[a.verb] != "be":
        return a.tokens[a.verb] in ONE_HOLDER
    if not rest:
        return False
    role = tuple(takewhile(lambda token: token not in PREPOSITIONS, rest))
    ours = ("our", rest[0]) in a.marks & b.marks and not LEADERS.isdisjoint(role[-1:])
    return ours or ("the", rest[0]) in a.marks & b.marks or rest[0] in ONE_HOLDER


def _one_of(a: Claim, b: Claim, span: _Span, verb: str) -> bool:
    """Tell whether the word that governs the replaced part takes one thing at a time."""
    ruling = next((t for t in reversed(a.tokens[: span.start]) if t in PREPOSITIONS or t in VERBS), "")
    after = a.tokens[span.start + len(span.x) :]
    if span.x[0] in PREPOSITIONS and span.y[0] in PREPOSITIONS and span.x[0] != span.y[0]:
        return False
    if ruling == "of" and span.start > 1 and a.tokens[span.start - 2] in KINDS:
        return True
    if span.x[0] in ONE_PLACE and span.x[0] == span.y[0]:
        ruling = span.x[0]
    if ruling in ONE_PLACE:
        return _one_place(a, b, verb)
    if ruling == "be":
        return _one_being(a, b, span)
    if ruling == "use":
        if a.verb and a.tokens[a.verb - 1] in FORMATS and b.tokens[b.verb - 1] in FORMATS:
            return True
        purpose = bool(after) and (after[0] in ("for", "as", "to") or after[0] not in PREPOSITIONS | JOINS)
        return a.now or b.now or purpose
    if ruling == "prefer":
        return len(span.x) == len(span.y) == 1
    return ruling in ONE_OBJECT


def _one_place(a: Claim, b: Claim, verb: str) -> bool:
    following = a.raw[a.verb + 1] if a.verb + 1 < len(a.raw) else ""
    order = "before" in a.tokens or "after" in a.tokens
    advice = a.verb == 0 and a.raw[0] in IMPERATIVES and not order  # 'Write docs in …' names the one way to do it
    if (verb in MANY and not advice) or following in LOOSE or (verb != "be" and _past(a)):
        return False
    return (verb, following) not in {("work", "on"), ("work", "with"), ("depend", "on"), ("use", "in"), ("run", "in")}


def _attribute(claim: Claim) -> bool:
    """Tell whether the subject is an attribute, which has one value: 'The default theme is …'."""
    return not ATTRIBUTES.isdisjoint(claim.tokens[: claim.verb])


def _one_being(a: Claim, b: Claim, span: _Span) -> bool:
    """Tell whether two parts exclude each other after "is": 'The license is MIT' names one thing.

    'Is slow' and 'is flaky', or 'is a vegetarian' and 'is a pilot', can both be true.
    """
    raw = a.raw[span.start : span.start + len(span.x)] + b.raw[span.other : span.other + len(span.y)]
    if _attribute(a) and _attribute(b) and not any(t in ADJECTIVES for t in raw):
        return True
    names = {word for mark, word in a.marks | b.marks if mark == "name"}
    raw = tuple(t for t in raw if stem(t) not in names)
    if any(t in ADJECTIVES or t in PREPOSITIONS or (t.isalpha() and ADJECTIVE_END.search(t)) for t in raw):
        return False
    proper = not any(mark in ("the", "a", "every") and word in a.tokens[: a.verb] for mark, word in a.marks)
    if proper and (("a", span.x[0]) in a.marks or ("a", span.y[0]) in b.marks):
        return False
    return not (proper and ("the", span.x[0]) in a.marks and ("the", span.y[0]) in b.marks)

"""The rules by which a sentence counts as lasting, each in one sentence, with its kind and its strength."""

from typing import NamedTuple

PREFERENCE, DECISION, PERSON, FIX = "preference", "decision", "person", "fix"
KINDS = (PREFERENCE, DECISION, PERSON, FIX)


class Rule(NamedTuple):
    """A rule: its key in the lists of each language, the kind of what it finds, how sure it is, and its sentence."""

    key: str
    kind: str
    strength: float
    sentence: str


WISH = Rule("wish", PREFERENCE, 1.0, 'The person asks for it to be kept: "remember that …", "from now on …".')

ORDER = Rule("order", PREFERENCE, 0.9, 'An agent is ordered to do something always or never: "never push to main".')
CHARGE = Rule("charge", PERSON, 0.7, "A name that is no product owns, leads or takes care of something.")

RULES = (
    ORDER,
    Rule("habit", PREFERENCE, 0.8, 'It says what "we" do or use always, never, only, here or in all projects.'),
    Rule("convention", PREFERENCE, 0.8, 'It is called a convention, a rule or a policy, or said of "this repository".'),
    Rule("things", PREFERENCE, 0.7, "It says what all commits, tests, endpoints or other work products must be."),
    Rule("taste", PREFERENCE, 0.7, 'It says what "I" like, prefer, want always or never want, about no single thing.'),
    Rule("decided", DECISION, 0.9, 'Something "was decided", "agreed" or "chosen", and it says what.'),
    Rule(
        "changed", DECISION, 0.7, '"We" have moved, or are moving, from one thing to another, or replace or drop one.'
    ),
    Rule(
        "role", PERSON, 0.9, 'A name, "I" or "our contact" is given a role from a list: "Dana is our release manager".'
    ),
    CHARGE,
    Rule(
        "cause", FIX, 0.8, 'The cause of a fault that is over is told: "was caused by", "the cause was", "turned out".'
    ),
)

NEVER = (
    "Questions, quotations, code, logs and pasted lines are never read.",
    'What holds "for now", "today" or for "this file" is left out, and so is what "maybe" or "probably" is so.',
    "A sentence that begins with an order for one task (add, fix, write, show …) says nothing lasting.",
)

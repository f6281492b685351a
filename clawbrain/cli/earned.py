"""Tell a person which questions the credit of a search's results comes from, and how a memory got its score."""

from typing import Any

from ..brain import Brain
from ..brain.results import Ranked
from ..credit import Credit, Earned, explained
from ..credit_evidence import ARCHIVE, EVIDENCE_ONLY, FORGET, INHERIT, PURGE, RENAME, UNNAME, from_text
from . import output
from .line import Answer

# What events that change no score are called in a history
_WORDS = {
    ARCHIVE: "archive",
    FORGET: "undo: what was earned by questions begins anew",
    INHERIT: "earned by a merged memory, or had before a merge",
    PURGE: "purge",
    RENAME: "questions name it otherwise",
    UNNAME: "questions name it again",
}


def explanations(brain: Brain, ranked: Ranked) -> dict[str, dict[str, Any]]:
    """Return for each hit its overall score, and the earlier questions its credit comes from, by what they found."""
    ids = [hit.id for hit in ranked.hits]
    earned, credits = brain.earned(ids), brain.credits(ids)
    return {
        id: {
            "overall_score": credits.get(id, Credit()).score,
            "earned": [
                {"question": dict(kind), "alike": likeness, "adds": adds}
                for kind, likeness, adds in explained(earned.get(id, Earned()), ranked.kind)
            ],
        }
        for id in ids
    }


def rounded(value: Any) -> Any:
    """Return a value of an answer with all its numbers rounded as scores are published."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value


def say_explanations(hits: list[Answer]) -> None:
    """Print a line for each earlier question that gave a hit its credit, and the overall score beside it."""
    for hit in hits:
        for part in hit["earned"]:
            found = f"a question that found {_names(part['question'])}" if part["question"] else "no question"
            alike = f", {part['alike']:.0%} alike" if part["question"] else ""
            output.say(f"{hit['id']}: {part['adds']:+.3f} learnt on {found}{alike}")
    for hit in hits:
        if hit["earned"]:
            output.say(f"{hit['id']}: overall score {hit['overall_score']:.3f}")


def _names(question: dict[str, float]) -> str:
    ranked = sorted(question.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{_name(id)} ({weight:.2f})" for id, weight in ranked)


def _name(id: str) -> str:
    return "one that is gone" if id.startswith("~") else id


def history_of(brain: Brain, id: str) -> list[dict[str, Any]]:
    """Return each change of a memory's score and evidence, with what it was computed from."""
    steps = [{"at": at, **event._asdict()} for event, at in brain.credit_history(id)]
    return [_told(step) for step in steps]


def _told(step: dict[str, Any]) -> dict[str, Any]:
    kind = from_text(step.pop("kind"))
    told = {name: value for name, value in step.items() if value is not None}
    return told if kind is None else told | {"question": dict(kind)}


def say_history(steps: list[dict[str, Any]]) -> None:
    """Print a row for each step."""
    rows = [
        [step["at"][:10], _WORDS.get(step["event_type"], step["event_type"].replace("_", " ")), *_scores(step),
         _learnt_on(step)]
        for step in steps
    ]  # fmt: skip
    output.table(["when", "what", "before", "change", "after", "", "question"], rows, right="before change after")


def _scores(step: dict[str, Any]) -> tuple[str, str, str, str]:
    if step["event_type"] in EVIDENCE_ONLY - {ARCHIVE}:
        return "", "", "", ""
    old, new = step["old_score"], step["new_score"]
    change = f"{new - old:+.3f}" if round(new - old, 3) else ""
    return f"{old:.3f}", change, f"{new:.3f}", output.bar(new, 20)


def _learnt_on(step: dict[str, Any]) -> str:
    """Return the names of what the question found, where a step was learnt on one."""
    return _names(step.get("question") or {})

"""The verbs on single memories: write, read, find, change, put away and bring back."""

from collections.abc import Sequence
from typing import Any, BinaryIO

import click

from ..brain import Brain, sessions
from ..brain.results import Ranked
from ..credit import Credit
from ..layers import PROJECT
from ..memory.links import Edge
from ..memory.model import Memory
from ..profiles.clawbrain.tools import Profile, search_results
from ..profiles.shared.links import Links
from . import output
from .earned import explanations, history_of, rounded, say_explanations, say_history
from .line import Answer, Caller, Verb
from .words import TYPE, filters, fits, happened, takes_filters, takes_id, takes_session, takes_text, text_of


@click.command(cls=Verb)
@click.argument("type", type=TYPE)
@click.argument("name")
@click.option("--category", metavar="WORD", help="For an entity: people, projects, preferences or another word.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="May be given several times.")
@click.option("--date", "day", metavar="DAY", help="The day an episode happened, where that is not today.")
@click.option("--pinned", is_flag=True, help="Never merged, pruned or archived.")
@click.option("--scope", default=PROJECT, metavar="NAME", help="The layer to write to: project, user or its name.")
@takes_text
@click.pass_obj
def store(caller: Caller, /, text: str | None, file: BinaryIO | None, day: str | None, **words: Any) -> None:
    """Write a new memory.

    TYPE is entity (a person, a project, a preference: what stays true) or episode (what happened). NAME is
    kebab-case, like alice-chen.
    """
    content = text_of(text, file)
    if day is not None and words["type"] != "episode":
        raise click.UsageError("--date is for episodes; an entity is what stays true.")
    with caller.brain(making=True, in_first=words["scope"] == PROJECT) as brain:
        created = happened(day, brain.clock())
        answer = Profile(brain).memory_store(content=content, created=created, **words)
    caller.answer(answer, lambda answer: _say_stored(answer, caller.project_home))


def _say_stored(answer: Answer, project_home: str) -> None:
    folder = f"{project_home}/" if project_home and "layer" not in answer else ""
    output.say(output.line(f"Stored {answer['id']} as {folder}memory/{answer['path']}{of_layer(answer)}"))
    for near in answer.get("similar", ()):
        output.say(f"  says nearly the same as {near['id']} ({near['score']:.2f})", "yellow")
    say_contradictions(answer)


def of_layer(answer: Answer) -> str:
    """Return what names the layer of a memory in a sentence; '' for the home that is served first."""
    return f" (layer {answer['layer']})" if "layer" in answer else ""


def say_contradictions(answer: Answer) -> None:
    """Print the contradictions that an answer reports."""
    for found in answer.get("contradictions", ()):
        output.say(f"  contradicts {found['id']}: {output.line(found['description'])}", "yellow")
    if answer.get("contradictions"):
        output.advise("  `clawbrain conflicts` shows both sides.")


@click.command(cls=Verb)
@takes_id
@takes_session
@click.option("--history", is_flag=True, help="How it came to its score.")
@click.pass_obj
def show(caller: Caller, id: str, session: str | None, history: bool) -> None:
    """Show one memory.

    ID may also be a path (entities/people/alice-chen.md) or a slash form (people/alice-chen). Exit status 1
    when there is none.
    """
    with caller.brain(session, looking=True) as brain:
        answer = Profile(brain).memory_retrieve(id)
        path = brain.find(answer["id"]).path
        around = Links(brain).around(answer["id"])
        if history:
            answer["history"] = history_of(brain, answer["id"])
    caller.answer(answer, lambda answer: _say_memory(answer, path, around))


def _say_memory(answer: Answer, path: str, around: Sequence[Edge]) -> None:
    output.say(answer["name"], "bold")
    marks = [f"#{tag}" for tag in answer["tags"]] + ["pinned"] * answer["pinned"]
    output.say(f"{answer['id']}{of_layer(answer)} · memory/{path}", "dim")
    last, times = answer["last_accessed"], answer["access_count"]  # one that was restored has the first alone
    opened = f"last opened {last}" if last else f"opened {output.count(times, 'time')}"
    read = opened if times else "never opened by an agent"
    facts = [f"credit {answer['credit_score']:.2f}", f"stored {answer['created_at'][:10]}", read]
    output.say(" · ".join([*facts, *marks]), "dim")
    output.say()
    if "history" in answer:
        say_history(answer["history"])
    else:
        output.say(answer["content"])
        _say_links(answer["id"], around)


def _say_links(id: str, around: Sequence[Edge]) -> None:
    """Print where the links of a memory lead, and which memories link to it."""
    leading = [f"-> {edge.target} ({edge.link.relation})" for edge in around if edge.source == id]
    coming = [f"<- {edge.source} ({edge.link.relation})" for edge in around if edge.source != id]
    if around:
        output.say()
    for line in dict.fromkeys([*leading, *coming]):
        output.say(output.line(line), "dim")


@click.command(cls=Verb)
@click.argument("query", nargs=-1, required=True)
@takes_filters
@click.option("--limit", type=click.IntRange(1, 20), default=5, show_default=True, help="How many at most.")
@click.option("--explain", is_flag=True, help="Why each was found, and why in this order.")
@takes_session
@click.pass_obj
def search(
    caller: Caller, /, query: tuple[str, ...], limit: int, explain: bool, session: str | None, **words: Any
) -> None:
    """Find memories by words.

    An empty query ("") lists the newest. Days are those a memory was made on, in UTC.
    """
    session = sessions.of_search(session, sessions.terminal())
    with caller.brain(session, looking=True, faults=True) as brain:
        ranked = brain.search(" ".join(query), limit=limit, **filters(today=brain.clock().date(), **words))
        answer = _explained(brain, ranked) if explain else search_results(ranked)
        empty = not answer["results"] and next(brain.memories(), None) is None
    caller.answer(answer, _say_none_yet if empty else _say_explained if explain else _say_hits)


def _explained(brain: Brain, ranked: Ranked) -> dict[str, Any]:
    parts = explanations(brain, ranked)
    hits = [
        {"id": hit.id, "combined_score": hit.combined, "relevance_score": hit.relevance, "credit_score": hit.credit,
         "signals": dict(hit.parts), **parts[hit.id]}
        for hit in ranked.hits
    ]  # fmt: skip
    return {"results": rounded(hits), "total_matches": ranked.total}


def _say_hits(answer: Answer) -> None:
    hits = answer["results"]
    for hit in hits:
        output.say(f"{hit['id']}{of_layer(hit)}", "bold")
        if "contradicted_by" in hit:
            output.say(f"  contradicted by {hit['contradicted_by']}", "yellow")
        scores = (f"{name} {hit[f'{name}_score']:.2f}" for name in ("combined", "relevance", "credit"))
        output.say(f"  {' · '.join(scores)}", "dim")
        output.say(f"  {output.line(hit['snippet'])}")
    output.say(_how_many(answer) if hits else "Nothing matches.", "dim")


def _how_many(answer: Answer) -> str:
    return f"{len(answer['results'])} of {output.count(answer['total_matches'], 'match', 'matches')}"


RULES = ("literal", "tags", "words", "meaning", "called", "beside", "when", "newer version")
_RELEVANCE = (
    "relevance = literal, where the whole query stands; else the larger of .8 x tags and .5 x content score / the best "
    "content score. A content score is the sum of the columns but literal and tags."
)


def _say_explained(answer: Answer) -> None:
    hits = answer["results"]
    used = {name for hit in hits for name in hit["signals"]}
    names = [name for name in RULES if name in used]
    scores = ["combined", "relevance", "credit"]
    rows = [
        [hit["id"], *(f"{hit[f'{name}_score']:.3f}" for name in scores), *(_signal(hit, name) for name in names)]
        for hit in hits
    ]
    head = [*scores, *(name.replace(" ", "-") for name in names)]
    if not hits:
        _say_no_match(answer)
        return
    output.table(["id", *head], rows, right=" ".join(head), fit=True)
    output.say(f"{_how_many(answer)}. combined = 0.4 x relevance + 0.6 x credit.", "dim")
    if names:
        output.say(_RELEVANCE, "dim")
    say_explanations(hits)


def _signal(hit: Answer, name: str) -> str:
    value = hit["signals"].get(name)
    return f"{value:.3f}" if value else output.EMPTY


@click.command("list", cls=Verb)
@takes_filters
@click.option("--archived", is_flag=True, help="What was put away.")
@click.pass_obj
def list_(caller: Caller, /, archived: bool, **words: Any) -> None:
    """List all memories, or what lies in the archive. With layers these are those of the first home alone."""
    with caller.brain(looking=True, faults=True) as brain:
        among = filters(today=brain.clock().date(), **words)
        if archived:
            away = brain.owner.archived()
            rows = [_put_away(path, memory) for path, memory in away if fits(memory, **among)]
            has_others = bool(away)
        else:
            credits = brain.credits()
            rows = [_listed(m, credits.get(m.id, Credit())) for m in brain.memories() if fits(m, **among)]
            has_others = bool(rows) or next(brain.memories(), None) is not None
    say = _say_no_match if has_others and not rows else _say_archived if archived else _say_list
    caller.answer({"archived" if archived else "memories": rows}, say)


def _say_no_match(_: Answer) -> None:
    output.say("Nothing matches.", "dim")


def _listed(memory: Memory, credit: Credit) -> dict[str, Any]:
    names = ("id", "type", "category", "name", "path", "pinned")
    return {
        **{name: getattr(memory, name) for name in names},
        "tags": list(memory.tags),
        "created_at": memory.created,
        "updated_at": memory.updated,
        "credit_score": round(credit.score, 4),
        "access_count": credit.access_count,
    }


def _say_list(answer: Answer) -> None:
    rows = [
        [each["id"], f"{each['credit_score']:.2f}", each["updated_at"][:10], "pinned" if each["pinned"] else "",
         " ".join(each["tags"])]
        for each in answer["memories"]
    ]  # fmt: skip
    if rows:
        output.table(["id", "credit", "updated", "", "tags"], rows, right="credit")
    else:
        _say_none_yet(answer)


def _say_none_yet(_: Answer) -> None:
    output.advise("No memories yet. `clawbrain store` writes one, `clawbrain install` lets an agent write them.")


def _put_away(path: str, memory: Memory | None) -> dict[str, Any]:
    known = {"id": memory.id, "name": memory.name, "updated_at": memory.updated} if memory else {}
    return {"path": f"archive/{path}", **known}


def _say_archived(answer: Answer) -> None:
    rows = [
        [each["path"], each.get("id", "unreadable"), each.get("updated_at", "")[:10]] for each in answer["archived"]
    ]
    if rows:
        output.table(["path", "id", "updated"], rows)
    else:
        output.say("The archive is empty.")

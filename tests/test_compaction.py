"""Plans of a compaction: which actions, in which order, and what keeps a memory out of them."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawbrain.brain.declared import declared
from clawbrain.compaction import plan
from clawbrain.compaction.actions import Archive, CompactionPlan, Merge, Promote, content_digest, from_json, to_json
from clawbrain.compaction.clusters import Item, clusters
from clawbrain.compaction.facts import facts, with_facts
from clawbrain.contradictions import claim_hash, claims
from clawbrain.credit import Credit
from clawbrain.memory import model
from clawbrain.memory.kinds import Kinds
from clawbrain.memory.model import Memory
from clawbrain.strategy import Strategy

NOW = "2026-06-01T12:00:00Z"
OLD = "2026-02-24T10:00:00Z"


def episode(name: str, content: str = "Some notes.", tags: str = "", created: str = OLD, **more: Any) -> Memory:
    month = created[:7]
    id, path = model.make_id("episode", month, name), model.make_path("episode", month, name)
    return Memory(id, "episode", month, name, path, content, tuple(tags.split()), created, created, **more)


def entity(category: str, name: str, content: str = "A page.", tags: str = "", **more: Any) -> Memory:
    id, path = model.make_id("entity", category, name), model.make_path("entity", category, name)
    return Memory(id, "entity", category, name, path, content, tuple(tags.split()), OLD, OLD, **more)


def credit(score: float = 0.5, signals: int = 0, created: str = OLD, last: str | None = None) -> Credit:
    return Credit(score=score, signals=signals, created=created, last_accessed=last)


def planned(*memories: Memory, credits: dict[str, Credit] | None = None, **settings: Any) -> CompactionPlan:
    known = {m.id: credit() for m in memories} | (credits or {})
    rules, wishes = Strategy(), settings.pop("strategy", {})
    for section, values in wishes.items():
        rules = replace(rules, **{section: replace(getattr(rules, section), **values)})
    return plan(memories, known, rules, NOW, **{"kinds": declared().kinds, **settings})


def only(kind: type, plan: CompactionPlan) -> list[Any]:
    return [action for action in plan.actions if isinstance(action, kind)]


# Consolidation

A = episode("login-bug", "- Cookies lack a domain\n- Fixed by Ines", "auth login")
B = episode("login-bug-again", "- Cookies lack a domain\n- A test was added", "auth login", OLD.replace("10:", "11:"))
C = episode("release", "- Version 2 is out", "release", OLD.replace("10:", "12:"))


def test_episodes_of_one_day_with_the_same_tags_become_one() -> None:
    (merge,) = only(Merge, planned(A, B, C))
    assert (merge.survivor, merge.others) == (A.id, (B.id,))
    assert merge.detail == "Merged 2 episodes from 2026-02-24 into 'login-bug'"


def test_a_merge_keeps_every_line_once_under_the_name_it_came_from() -> None:
    (merge,) = only(Merge, planned(A, B))
    assert merge.content == "- Cookies lack a domain\n- Fixed by Ines\n\n## login-bug-again\n\n- A test was added"


def test_a_bullet_with_more_below_it_is_never_dropped() -> None:
    nested = replace(B, content="- Cookies lack a domain\n  - on Safari only")
    (merge,) = only(Merge, planned(A, nested))
    assert merge.content.endswith("- Cookies lack a domain\n  - on Safari only")


def test_a_merge_unites_tags_and_takes_the_earliest_date() -> None:
    later = {B.id: credit(0.6)}
    (merge,) = only(Merge, planned(A, replace(B, tags=("login", "auth", "cookies")), credits=later))
    assert merge.survivor == B.id
    assert merge.tags == ("login", "auth", "cookies")
    assert merge.created == A.created
    assert merge.merged_from == (A.id,)


def test_the_drift_of_some_hours_does_not_decide_which_survives() -> None:
    (merge,) = only(Merge, planned(A, B, credits={A.id: credit(0.49998)}))
    assert merge.survivor == A.id


def test_the_best_scored_survives_then_the_earliest() -> None:
    assert only(Merge, planned(A, B))[0].survivor == A.id
    assert only(Merge, planned(A, B, credits={B.id: credit(0.51)}))[0].survivor == B.id


@pytest.mark.parametrize(("how", "score"), [("earned", 0.6 + 0.3 - 0.5), ("sum", 0.9), ("mean", 0.45), ("max", 0.6)])
def test_merged_credit_follows_the_strategy(how: str, score: float) -> None:
    credits = {A.id: credit(0.6), B.id: credit(0.3)}
    (merge,) = only(Merge, planned(A, B, credits=credits, strategy={"consolidation": {"credit": how}}))
    assert merge.score == pytest.approx(score)


def test_untouched_episodes_make_no_star() -> None:
    assert only(Merge, planned(A, B))[0].score == 0.5


def test_merged_credit_stays_within_bounds() -> None:
    assert only(Merge, planned(A, B, credits={A.id: credit(0.9), B.id: credit(0.9)}))[0].score == 0.95
    assert only(Merge, planned(A, B, credits={A.id: credit(0.1), B.id: credit(0.1)}))[0].score == 0.05


@pytest.mark.parametrize(
    "other",
    [
        replace(B, pinned=True),
        replace(B, extra={"kind": "checkpoint"}),
        replace(B, tags=("auth", "cookies", "safari", "domain"), content="Else."),
        replace(B, tags=()),
        replace(B, created="2026-02-25T00:00:00Z"),
    ],
)
def test_pinned_special_unlike_and_another_days_episodes_stay_apart(other: Memory) -> None:
    assert not only(Merge, planned(A, other, phases=["consolidation"]))


def test_half_the_tags_are_not_more_than_half() -> None:
    assert not only(Merge, planned(replace(A, tags=("auth", "x")), replace(B, tags=("auth", "y"), content="Else.")))


def test_alike_texts_make_up_for_fewer_tags() -> None:
    text = "The importer chokes on umlauts because the encoding of the legacy feed is guessed wrongly"
    a, b = replace(A, tags=("auth", "x"), content=text), replace(B, tags=("auth", "y"), content=text + " again")
    assert only(Merge, planned(a, b))


def test_a_wider_window_merges_across_days_and_says_so() -> None:
    later = replace(B, created="2026-02-26T09:00:00Z")
    (merge,) = only(Merge, planned(A, later, strategy={"consolidation": {"window_days": 3}}))
    assert merge.detail == "Merged 2 episodes from 2026-02-24 to 2026-02-26 into 'login-bug'"


def test_a_window_is_never_stretched_by_a_chain() -> None:
    chain = [episode(f"e{n}", f"Day {n}", "auth login", f"2026-02-{10 + n}T10:00:00Z") for n in range(6)]
    for merge in only(Merge, planned(*chain, strategy={"consolidation": {"window_days": 2}})):
        days = [m.created for m in chain if m.id in (merge.survivor, *merge.others)]
        assert model.days_between(min(days), max(days)) <= 2


def test_no_merge_takes_more_than_the_most() -> None:
    many = [episode(f"e{n}", f"Note {n}", "auth login") for n in range(25)]
    others = [episode(f"o{n}", f"Other {n}", f"topic-{n}") for n in range(30)]
    merges = only(Merge, planned(*many, *others))
    assert max(1 + len(m.others) for m in merges) <= 10
    assert len({id for m in merges for id in (m.survivor, *m.others)}) == sum(1 + len(m.others) for m in merges)


def test_fewer_than_the_least_are_left_alone() -> None:
    assert not only(Merge, planned(A, B, strategy={"consolidation": {"min_episodes": 3}}))


def test_a_common_tag_alone_binds_nothing_in_a_large_store() -> None:
    crowd = [episode(f"e{n}", f"Note {n}", f"project topic-{n}") for n in range(40)]
    assert not only(Merge, planned(*crowd))


BUGS = [
    episode(f"bug-{n}", f"# Fixed\n\n- The bug was {cause}", "bugfix project")
    for n, cause in enumerate(
        [
            "an expired cookie",
            "a header line that was missing",
            "a theme read too late",
            "a naive timezone",
        ]
    )
]
FEED = [
    episode("feed", "The importer chokes on umlauts: the encoding of the feed is guessed", "bugfix project"),
    episode("feed-again", "Set the encoding of the feed, so the importer reads umlauts", "Bugfix project"),
]


def crowd(size: int, tags: str = "") -> list[Memory]:
    """Episodes of other days, each about a subject of its own."""
    return [
        episode(f"e{n}", f"Matter {n} of day {n}", f"topic-{n} {tags}", f"2026-01-{n % 28 + 1:02}T10:00:00Z")
        for n in range(size)
    ]


@pytest.mark.parametrize("others", [0, 40])
@pytest.mark.parametrize(
    "tags", ["bugfix project", "meeting-notes wrap-up", "2026-02-24 week-9", "Nov-2026 Friday done"]
)
def test_a_kind_of_work_or_a_time_binds_no_two_subjects(tags: str, others: int) -> None:
    bugs = [replace(bug, tags=tuple(tags.split())) for bug in BUGS]
    assert not only(Merge, planned(*bugs, *crowd(others)))


@pytest.mark.parametrize("tag", ["issue-12", "pr-42", "c++", "release", "june"])
def test_what_only_looks_like_a_kind_of_work_or_a_time_tells_a_subject(tag: str) -> None:
    assert only(Merge, planned(*(replace(bug, tags=(tag, "bugfix")) for bug in BUGS)))


@pytest.mark.parametrize("others", [0, 40])
def test_alike_texts_of_one_kind_of_work_are_merged_and_the_reason_says_so(others: int) -> None:
    (merge,) = only(Merge, planned(*FEED, *BUGS, *crowd(others)))
    assert {merge.survivor, *merge.others} == {m.id for m in FEED}
    assert "their texts are alike: the tags they share (project) tell no subject" in merge.reason


def test_a_tag_of_most_episodes_binds_no_two_subjects() -> None:
    shop = [replace(bug, tags=("shop",)) for bug in BUGS]
    assert not only(Merge, planned(*shop, *crowd(40, "shop")))
    assert only(Merge, planned(*shop, *crowd(40)))


def test_episodes_with_subjects_of_their_own_stay_apart_however_alike_their_texts() -> None:
    own = [replace(m, tags=("bugfix", "project", tag)) for m, tag in zip(FEED, ("importer", "feed"), strict=True)]
    assert not only(Merge, planned(*own))


def test_kinds_of_work_do_not_thin_a_shared_subject() -> None:
    tags = ("auth bugfix review daily", "auth notes todo meeting")
    assert only(Merge, planned(*(replace(m, tags=tuple(each.split())) for m, each in zip((A, B), tags, strict=True))))


def test_the_tag_of_a_project_joins_no_texts_that_share_nothing() -> None:
    done = [
        episode("cart", "- Reviewed the cart redesign with Priya; the summary moves to the right.", "shop meeting"),
        episode("limit", "- Login is limited to five tries a minute per address, by nginx.", "shop security"),
        episode("export", "- The CSV export wrote commas into prices; they are quoted now.", "shop bug"),
        episode("query", "- An index on orders made the slow customer query quick.", "shop checkout performance"),
        episode("audit", "- Audit: screen readers lose the focus in the address form.", "shop checkout a11y"),
    ]
    assert not only(Merge, planned(*done))
    again = episode("export-2", "- The export of prices for Excel is tested with commas.", "shop bug excel")
    slow = episode("slow", "- Nine seconds for the orders page, an N+1 over line items.", "shop performance")
    load = episode("load", "- Load test with k6: the tracker holds 1,200 requests a second.", "tracker performance")
    assert not only(Merge, planned(slow, load))  # a digit in common is nothing in common
    (merge,) = only(Merge, planned(*done, again))
    assert {merge.survivor, *merge.others} == {done[2].id, again.id}


def test_an_undone_merge_joins_no_two_of_its_memories_again() -> None:
    third = episode("login-bug-third", "- Cookies expire", "auth login", OLD.replace("10:", "13:"))
    assert not only(Merge, planned(A, B, undone=[(A.id, B.id)]))
    (merge,) = only(Merge, planned(A, B, third, undone=[(A.id, B.id)]))
    assert third.id in (merge.survivor, *merge.others) and not {A.id, B.id} <= {merge.survivor, *merge.others}
    assert not only(Merge, planned(A, B, third, undone=[(A.id, B.id, third.id)]))


def test_undone_merges_join_no_two_of_their_memories_across_either() -> None:
    """As groups of at most ten do, which a subject with more episodes falls into."""
    many = [episode(f"webhook-{n}", f"- Retry {n} timed out", "webhooks retries") for n in range(13)]
    merges = only(Merge, planned(*many))
    groups = [(merge.survivor, *merge.others) for merge in merges]
    assert sum(map(len, groups)) == len(many) and len(groups) == 2
    assert not only(Merge, planned(*many, undone=groups))
    newcomer = episode("webhook-new", "- Retries are quick", "webhooks retries")
    (merge,) = only(Merge, planned(*many, newcomer, undone=groups))
    assert len(merge.others) == 1 and newcomer.id in (merge.survivor, *merge.others)


def test_an_undone_merge_bars_what_one_of_its_memories_was_merged_into() -> None:
    holder = replace(C, tags=A.tags, extra={"merged_from": [B.id]})
    assert only(Merge, planned(A, holder)) and not only(Merge, planned(A, holder, undone=[(A.id, B.id)]))


def test_what_a_person_took_out_of_a_merge_stays_out_of_it() -> None:
    restored = replace(B, extra={"merged_into": A.id})
    assert not only(Merge, planned(replace(A, extra={"merged_from": [B.id]}), restored))


def test_a_merge_beyond_the_limits_is_not_planned_and_the_note_says_why() -> None:
    large = [replace(m, content=m.name + " x" * 300_000) for m in (A, B)]
    assert "1048576 is the most" in planned(*large, phases=["consolidation"]).notes[0]
    tagged = [
        replace(A, tags=tuple(f"t{n}" for n in range(20))),
        replace(B, tags=tuple(f"t{n}" for n in range(5, 35))),
    ]
    found = planned(*tagged, phases=["consolidation"])
    assert not found.actions and "35 tags" in found.notes[0]
    headed = replace(A, extra={"merged_from": [f"episode-2026-02-{n:0100d}" for n in range(150)]})
    assert "header" in planned(headed, B, phases=["consolidation"]).notes[0]


def test_clusters_takes_plain_items() -> None:
    items = [Item(frozenset(tags.split()), "") for tags in ("a b", "a b c", "d e", "d e f")]
    assert clusters(items) == [[0, 1], [2, 3]]


# Promotion

GOOD = credit(0.8, signals=3)
LESSON = episode("feed-import", "- The importer reads only UTF-8 feeds", "importer")
IMPORTER = entity("projects", "importer", "# Importer\n\n- Written in Go")


def test_a_proven_fact_moves_to_the_entity_it_names() -> None:
    (promote,) = only(Promote, planned(LESSON, IMPORTER, credits={LESSON.id: GOOD}))
    assert promote.target == IMPORTER.id and not promote.new
    assert promote.facts == (
        ("The importer reads only UTF-8 feeds", claim_hash("The importer reads only UTF-8 feeds")),
    )
    assert promote.detail == "Promoted fact from episode to entity 'projects/importer'"


@pytest.mark.parametrize("known", [credit(0.7, 3), credit(0.8, 1)])
def test_a_fact_needs_score_and_signals(known: Credit) -> None:
    assert not only(Promote, planned(LESSON, IMPORTER, credits={LESSON.id: known}))


def test_a_fact_is_promoted_once() -> None:
    mark = (LESSON.id, claim_hash("The importer reads only UTF-8 feeds"))
    assert not planned(LESSON, IMPORTER, credits={LESSON.id: GOOD}, promoted={mark}).actions


def test_what_a_merged_parent_handed_on_is_not_handed_on_again() -> None:
    merged = replace(LESSON, extra={"merged_from": ["episode-2026-02-before"]})
    mark = ("episode-2026-02-before", claim_hash("The importer reads only UTF-8 feeds"))
    assert not planned(merged, IMPORTER, credits={LESSON.id: GOOD}, promoted={mark}).actions


def test_half_of_the_earned_credit_goes_along() -> None:
    (promote,) = only(Promote, planned(LESSON, IMPORTER, credits={LESSON.id: GOOD}))
    assert (promote.moved, promote.episode_score, promote.target_score) == pytest.approx((0.15, 0.65, 0.65))


def test_credit_is_shared_equally_and_what_is_clipped_stays() -> None:
    two = replace(LESSON, content="- The importer reads UTF-8\n- The exporter writes CSV files")
    rich = entity("projects", "exporter")
    found = planned(two, IMPORTER, rich, credits={two.id: GOOD, rich.id: credit(0.92)})
    moved = {p.target: p.moved for p in only(Promote, found)}
    assert moved == pytest.approx({IMPORTER.id: 0.075, rich.id: 0.03})
    assert only(Promote, found)[-1].episode_score == pytest.approx(0.8 - 0.105)


@pytest.mark.parametrize(
    ("fact", "place"),
    [
        ("The auth module signs with Ed25519", "projects/auth-module"),
        ("Releases on Fridays always end badly", "preferences/general"),
        ("Never squash the history of a branch", "preferences/general"),
        ("Alice reviews the database schema", "people/alice-chen"),
        ("The schema lives beside the code", "projects/warehouse"),
    ],
)
def test_facts_find_their_place(fact: str, place: str) -> None:
    giver = episode("notes", f"- {fact}", "warehouse")
    pages = [entity("projects", "auth-module"), entity("people", "alice-chen"), entity("projects", "warehouse")]
    (promote,) = only(Promote, planned(giver, *pages, credits={giver.id: GOOD}))
    assert f"{promote.category}/{promote.name}" == place


def test_the_reason_quotes_every_fact_that_moves() -> None:
    giver = replace(LESSON, content="- The importer reads UTF-8\n- The importer skips blank lines")
    (promote,) = only(Promote, planned(giver, IMPORTER, credits={giver.id: GOOD}))
    assert "'The importer reads UTF-8' and 'The importer skips blank lines' are kept as lasting" in promote.reason


def test_without_a_place_a_project_of_the_episodes_name_is_begun() -> None:
    (promote,) = only(Promote, planned(LESSON, credits={LESSON.id: GOOD}))
    assert (promote.target, promote.new) == ("entity-projects-feed-import", True)
    assert promote.target_score == pytest.approx(0.65)


def test_the_rarest_name_wins() -> None:
    giver = episode("notes", "- The importer of the billing feed skips duplicates")
    pages = [entity("projects", "billing"), entity("areas", "billing"), IMPORTER]
    (promote,) = only(Promote, planned(giver, *pages, credits={giver.id: GOOD}))
    assert promote.target == IMPORTER.id


def test_what_the_entity_says_already_is_skipped() -> None:
    known = replace(IMPORTER, content="- The importer reads only UTF-8 feeds.")
    assert not planned(LESSON, known, credits={LESSON.id: GOOD}).actions


def test_a_contradiction_is_reported_and_not_written() -> None:
    other = replace(LESSON, content="- The importer is written in Rust")
    target = replace(IMPORTER, content="- The importer is written in Go")
    found = planned(other, target, credits={LESSON.id: GOOD})
    assert not found.actions
    assert (found.conflicts[0].episode, found.conflicts[0].entity) == (LESSON.id, IMPORTER.id)


def test_two_episodes_tell_an_entity_a_thing_once() -> None:
    twin = replace(LESSON, id="episode-2026-02-twin", name="twin", tags=())
    found = planned(LESSON, twin, IMPORTER, credits={LESSON.id: GOOD, twin.id: GOOD})
    assert len(only(Promote, found)) == 1


def test_facts_are_top_level_bullets_that_state_something_lasting() -> None:
    content = """# Notes

- The queue is durable
  and replicated
  - a detail below
- [ ] write a test
- Is it fast?
- Consequences:
- https://example.org/queue
- Deployed today
- The call is at 14:30
- Nodes join this week
- maybe try another broker some day
- We should probably shard it
1. Consumers acknowledge by hand

```
- code
```
"""
    assert facts(content) == ["The queue is durable and replicated", "Consumers acknowledge by hand"]
    assert "Deployed today" in facts(content, skip_time_bound=False)
    lasting = ["Tokens are valid for one day", "The index is eventually consistent", "You might get a 502"]
    assert facts("".join(f"- {fact}\n" for fact in lasting)) == lasting


@pytest.mark.parametrize(
    "between",
    [
        "```make docs``` writes the pages.",  # a span of code, which opens no block
        "````\n```\n- not a claim at all\n```\n- nor is this one\n````",
        "```\n~~~\n- not a claim at all\n```",
    ],
)
def test_facts_and_claims_leave_out_code_and_only_that(between: str) -> None:
    content = f"- The cache evicts with LRU\n\n{between}\n\n- The queue holds ten jobs"
    stated = ["The cache evicts with LRU", "The queue holds ten jobs"]
    assert facts(content) == stated
    assert [claim for claim in claims(content) if not claim.startswith("```make")] == stated


def test_facts_join_the_list_at_the_end_of_a_page() -> None:
    assert with_facts("# Page\n\n- one fact\n", ["another"]) == "# Page\n\n- one fact\n- another"
    assert with_facts("# Page", ["a fact"]) == "# Page\n\n- a fact"


def test_an_entity_is_never_filled_beyond_the_limit() -> None:
    full = replace(IMPORTER, content="x" * (model.MAX_CONTENT - 5))
    found = planned(LESSON, full, credits={LESSON.id: GOOD})
    assert not found.actions and "is the most" in found.notes[0]


# Pruning

STALE = entity("tools", "old-linter", "No longer of use.")


def test_what_nobody_needed_is_archived_with_its_score() -> None:
    (archive,) = only(Archive, planned(STALE, credits={STALE.id: credit(0.18)}))
    assert archive.detail == "Archived 'entity-tools/old-linter' (score: 0.18)"


def test_where_fading_decided_it_is_said_beside_the_score() -> None:
    (archive,) = only(Archive, planned(STALE, credits={STALE.id: credit(0.22)}))
    assert archive.detail == "Archived 'entity-tools/old-linter' (score: 0.22), faded to 0.18"


def test_an_episode_is_named_by_its_month() -> None:
    (archive,) = only(Archive, planned(C, credits={C.id: credit(0.2)}))
    assert archive.detail == "Archived 'episode-2026-02/release' (score: 0.20), faded to 0.08"


@pytest.mark.parametrize(
    "safe",
    [
        replace(STALE, pinned=True),
        entity("people", "old-linter"),
        replace(STALE, extra={"kind": "decision"}),
        replace(STALE, extra={"kind": "artifact"}),
        replace(STALE, created="2026-05-10T00:00:00Z"),
    ],
)
def test_pinned_people_special_and_young_memories_stay(safe: Memory) -> None:
    assert not planned(safe, credits={safe.id: credit(0.05)}).actions


@pytest.mark.parametrize(
    "known",
    [
        credit(0.3),
        credit(0.05, created="2026-05-10T00:00:00Z"),
        credit(0.05, last="2026-05-25T00:00:00Z"),
    ],
)
def test_worth_adoption_and_use_keep_a_memory(known: Credit) -> None:
    assert not planned(STALE, credits={STALE.id: known}).actions


@pytest.mark.parametrize("kind", ["drawer", "scene", "note", "stub", "history", "diary"])
def test_a_kind_that_is_declared_prunable_is_pruned(kind: str) -> None:
    memory = replace(STALE, extra={"kind": kind})
    assert only(Archive, planned(memory, credits={STALE.id: credit(0.05)}))


@pytest.mark.parametrize(
    "kind", ["decision", "checkpoint", "context", "persona", "rule", "artifact", "conversation", "task"]
)
def test_a_kind_that_is_declared_lasting_is_not_pruned(kind: str) -> None:
    memory = replace(STALE, extra={"kind": kind})
    assert not planned(memory, credits={STALE.id: credit(0.05)}).actions


def test_a_kind_that_nobody_declared_is_neither_merged_nor_promoted_nor_pruned() -> None:
    odd = [replace(m, extra={"kind": "sprocket"}) for m in (A, B, LESSON, STALE)]
    credits = {A.id: credit(0.1), B.id: credit(0.1), LESSON.id: GOOD, STALE.id: credit(0.05)}
    assert not planned(*odd, credits=credits).actions


@pytest.mark.parametrize("name", ["importer", "feed-import", "general"])
@pytest.mark.parametrize("category", ["projects", "preferences"])
def test_no_fact_is_added_to_an_entity_of_a_kind_that_takes_none(category: str, name: str) -> None:
    there = entity(category, name, "# A page\n\n- Written in Go", tags="importer", extra={"kind": "sprocket"})
    lesson = replace(LESSON, content="- The importer reads only UTF-8 feeds\n- Always prefer UTF-8 for the importer")
    promotes = only(Promote, planned(lesson, there, credits={LESSON.id: GOOD}))
    assert promotes and there.id not in {promote.target for promote in promotes}
    free = replace(there, extra={})
    assert there.id in {promote.target for promote in only(Promote, planned(lesson, free, credits={LESSON.id: GOOD}))}


def test_a_kind_takes_part_in_the_phases_that_it_is_declared_for() -> None:
    odd = [replace(m, extra={"kind": "sprocket"}) for m in (A, B, LESSON)]
    credits = {LESSON.id: GOOD}
    assert only(Merge, planned(*odd, credits=credits, kinds=Kinds({"sprocket": ["merged"]})))
    assert only(Promote, planned(*odd, credits=credits, kinds=Kinds({"sprocket": ["promoted"]})))


def test_what_the_ledger_does_not_know_yet_stays() -> None:
    assert not plan([STALE], {}, Strategy(), NOW).actions


def test_a_protected_tag_keeps_a_memory() -> None:
    safe = replace(STALE, tags=("adr",))
    wish = {"pruning": {"protect_tags": ("adr",)}}
    assert not planned(safe, credits={safe.id: credit(0.05)}, strategy=wish).actions


def test_no_setting_lowers_the_floors() -> None:
    wish = {"pruning": {"min_age_days": 0, "protect_days": 0, "min_idle_days": 0, "protect_categories": ()}}
    young = replace(STALE, created="2026-05-20T00:00:00Z")
    person = entity("people", "ines")
    found = planned(young, person, credits={young.id: credit(0.05), person.id: credit(0.05)}, strategy=wish)
    assert not found.actions


def test_a_run_puts_away_the_least_worth_and_at_most_so_many() -> None:
    stale = [replace(STALE, id=f"entity-tools-t{n:02d}", name=f"t{n:02d}") for n in range(60)]
    found = planned(*stale, credits={m.id: credit(0.06 + n / 1000) for n, m in enumerate(stale)})
    assert [a.id for a in only(Archive, found)] == [m.id for m in stale[:50]]
    assert found.notes == ("10 more could be archived; a run puts away at most 50.",)


# The plan as a whole


def test_an_episode_merged_away_is_not_archived_too() -> None:
    found = planned(A, B, credits={A.id: credit(0.1), B.id: credit(0.1)})
    assert [type(action) for action in found.actions] == [Merge]


def test_a_merged_episode_promotes_what_it_took_over() -> None:
    other = replace(B, content="- The importer reads only UTF-8 feeds")
    found = planned(A, other, IMPORTER, credits={A.id: GOOD})
    assert [type(action) for action in found.actions] == [Merge, Promote, Promote]
    merge, *gifts = found.actions
    assert isinstance(merge, Merge)
    assert gifts[0].expects[0] == (A.id, content_digest(merge.content), merge.score)


def test_a_phase_switched_off_is_left_out_and_mentioned() -> None:
    found = planned(A, B, strategy={"consolidation": {"enabled": False}})
    assert not only(Merge, found) and found.notes == ("Consolidation is switched off by STRATEGY.md.",)


def test_every_action_comes_back_from_json() -> None:
    credits = {LESSON.id: GOOD, STALE.id: credit(0.1)}
    found = planned(A, B, LESSON, IMPORTER, STALE, credits=credits)
    assert {type(action) for action in found.actions} == {Merge, Promote, Archive}
    for action in found.actions:
        assert from_json(json.loads(json.dumps(to_json(action)))) == action


def test_every_action_gives_a_reason_in_numbers() -> None:
    found = planned(A, B, LESSON, IMPORTER, STALE, credits={LESSON.id: GOOD, STALE.id: credit(0.1)})
    for action in found.actions:
        assert action.reason.endswith(".") and any(c.isdigit() for c in action.reason)


def test_promotions_of_one_episode_give_the_facts_and_the_score_that_decided() -> None:
    lesson = replace(
        LESSON, content="# Day\n\n- The importer reads UTF-8\n- The importer is fast\n- Kim always uses tabs"
    )
    reasons = [action.reason for action in only(Promote, planned(lesson, IMPORTER, credits={lesson.id: GOOD}))]
    assert len(reasons) == 2 and all(f"scores {GOOD.score:.2f} (more than 0.70" in reason for reason in reasons)
    assert any("'The importer reads UTF-8' and 'The importer is fast' are kept" in reason for reason in reasons)


episodes = st.builds(
    lambda n, tags, day, text: replace(
        episode(f"e{n}", "\n".join(f"- {line}" for line in text) or "Nothing.", "", f"2026-02-{day:02d}T10:00:00Z"),
        tags=tuple(tags),
    ),
    st.integers(0, 999),
    st.lists(st.sampled_from(["auth", "login", "release", "importer", "docs"]), unique=True, max_size=4),
    st.integers(1, 3),
    st.lists(
        st.sampled_from(["Use tabs", "The importer is fast", "Login is broken today", "Docs are short"]), max_size=3
    ),
)


@given(st.lists(episodes, unique_by=lambda m: m.id, max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_plan_is_consistent_and_blind_to_the_order_of_its_input(memories: list[Memory], rng: Any) -> None:
    credits = {m.id: credit(rng.choice([0.1, 0.5, 0.8, 0.9]), 3) for m in memories}
    found = plan(memories, credits, Strategy(), NOW)
    rng.shuffle(memories)
    assert plan(memories, credits, Strategy(), NOW) == found
    gone: set[str] = set()
    made = {m.id for m in memories}
    for action in found.actions:
        needed = {expected.id for expected in action.expects}
        assert needed <= made - gone
        gone |= set(action.others) if isinstance(action, Merge) else set()
        gone |= {action.id} if isinstance(action, Archive) else set()
        made |= {action.target} if isinstance(action, Promote) else set()

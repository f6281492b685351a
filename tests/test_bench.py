"""The bench: its questions can be answered, and it measures what it says."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from bench import quality, speed
from bench.data import NOTES, Collection, load, pooled, shuffled
from clawbrain import semantic


@pytest.mark.parametrize("notes", load(NOTES), ids=lambda notes: notes.name)
def test_the_notes_have_an_answer_to_every_question(notes: Collection) -> None:
    ids = {memory.id for memory in notes.memories}
    assert len(notes.memories) >= 120
    assert len(notes.questions) >= 100
    assert all(question.answers and question.answers <= ids for question in notes.questions)


def test_shuffling_and_pooling_lose_nothing() -> None:
    notes = load(NOTES)[0]
    assert shuffled(notes).memories != notes.memories
    assert sorted(shuffled(notes).memories, key=repr) == sorted(notes.memories, key=repr)
    together = pooled([notes, shuffled(notes)])
    assert len(together.questions) == 2 * len(notes.questions)
    ids = {memory.id for memory in together.memories}
    assert all(question.answers <= ids for question in together.questions)
    assert len(together.newer) == len(notes.newer) > 0 and all(ids.issuperset(pair) for pair in together.newer)


def test_search_finds_what_it_is_said_to_find() -> None:
    energy = next(notes for notes in load(NOTES) if notes.name == "energy")
    assert quality.summary(quality.measured(shuffled(energy)))["recall@10"] >= 0.75
    in_order = quality.report([energy])
    assert in_order["newer first, energy"]["share"] >= 0.7
    untagged = replace(energy, memories=[replace(memory, tags=()) for memory in energy.memories])
    assert quality.report([untagged])["newer first, energy"]["share"] >= 0.5
    if semantic.installed():
        assert quality.summary(quality.measured(energy, by_meaning=True))["recall@10"] >= 0.85


def test_a_measurement_is_of_what_was_found() -> None:
    row = quality.scored("c", "k", ["a", "b", "c"], frozenset(["b", "z"]))
    assert (row.recall, row.reciprocal) == ({5: 0.5, 10: 0.5, 20: 0.5}, 0.5)


def test_a_weight_is_at_nothing_only_while_it_is_left_out() -> None:
    before = quality.weights.NEIGHBOUR
    with quality.without(["NEIGHBOUR", "LENGTH"]):
        assert (quality.weights.NEIGHBOUR, quality.weights.LENGTH) == ({}, 0.0)
    assert quality.weights.NEIGHBOUR is before


@pytest.mark.parametrize("weights", quality.PARTS, ids=", ".join)
def test_each_signal_can_be_left_out(weights: tuple[str, ...]) -> None:
    notes = load(NOTES)[0]
    few = replace(notes, questions=notes.questions[:3])
    with quality.without(weights):
        assert len(quality.measured(few)) == 3


def test_a_weight_is_chosen_on_the_other_collections() -> None:
    notes = load(NOTES)[0]
    halves = [
        notes.__class__(name, notes.memories, notes.questions[place:12:2]) for place, name in enumerate(("one", "two"))
    ]
    figures = quality.folded(halves, "LENGTH", [0.0, 0.2])
    assert figures["as it is"]["questions"] == 12
    assert figures["chosen on the others"]["recall@10"] == fmean(
        each["recall@10"] for name, each in figures.items() if name[:3] in ("one", "two")
    )


def test_everybody_is_asked_the_same_and_finds_it(tmp_path: Path) -> None:
    memories, questions = speed.made(40)
    assert (memories, questions) == speed.made(40)
    speed.write(tmp_path, memories)
    table = speed.fts5(tmp_path / "fts5.db", memories)(questions[0])
    assert speed.grep(tmp_path)(questions[0]).returncode == 0
    with speed.served(tmp_path) as search:
        ours = search(questions[0])["structuredContent"]["results"]
    assert {ours[0]["name"]} <= {name for (name,) in table}

"""The part `learning`: an agent that is simulated asks and reports, and afterwards all questions are asked again.

The store holds the notes in bench/notes. Three fifths of their questions are asked, some much more often than others
(by Zipf's law), and two fifths never. The agent searches, every second time with a word left out, looks at the five
results, and gives one signal: a good one where a right note was among them, else a bad one. One signal in ten is wrong,
and one naming in ten is of another note. What is measured is asked by a brain without a session, which leaves no trace.

All agents are asked the same, in the same order, with the same accidents.
"""

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.collections import Document, Question, Store
from bench.collections.notes import FOLDER, notes
from bench.measure import interval, say
from bench.product import NOW, fill, temporary_home
from clawbrain import Brain, open_brain

TURNS = (300, 1_000)
SHOWN = 5
WRONG = 0.1
GOOD = ("task_completed", "task_completed", "positive_feedback", "tool_success")
BAD = ("user_correction", "user_correction", "user_correction", "session_abandoned")
NEVER = 5  # of each five questions the last two are never asked
ASKED_OF_FIVE = 3
MOST_SIGNALS = 200


@dataclass(frozen=True)
class Turn:
    """One question of the stream, and what chance does to it: numbers from 0 to 1."""

    question: int
    leaves_out: float
    word: float
    lies: float
    slips: float
    which: float
    kind: float


@dataclass(frozen=True)
class Agent:
    """An agent's way to report: whether it names what it used, and whether its signals mean anything at all."""

    title: str
    names: bool
    at_random: bool = False


AGENTS = (Agent("names what it used", True), Agent("names nothing", False), Agent("signals at random", True, True))


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def forward(self, by: timedelta) -> None:
        """Move on."""
        self.now += by


def report(stores: Sequence[Store] | None = None, turns: Sequence[int] = TURNS) -> dict[str, Any]:
    """Run the simulation, print its tables, and return the figures.

    Args:
        stores: notes with their questions, which are put into one store; the product's own by default.
        turns: after how many turns all questions are asked again.
    """
    store = pooled(stores or notes(FOLDER, "notes"))
    groups, stream = planned(len(store.questions), max(turns))
    figures: dict[str, Any] = {}
    with temporary_home() as folder:
        home = folder / "home"
        ids = fill(home, store.documents)
        questions = with_ids(store, ids)
        before = recalls(home, Clock(), questions)
        print(f"{len(ids):,} notes, {len(questions):,} questions; recall@5, then its change")
        print(f"{'':34}" + "".join(f"{group:>9}" for group in groups) + "   95 % of all")
        shares = {group: fmean(before[at] for at in places) for group, places in groups.items()}
        figures["no signals"] = shares
        print(f"{'no signals':34}" + "".join(f"{share:9.3f}" for share in shares.values()), flush=True)
        for agent in AGENTS:
            copy = Path(shutil.copytree(home, folder / agent.title.replace(" ", "-")))
            for after, now in played(agent, copy, questions, stream, turns):
                title = f"{agent.title}, {after:,} turns"
                figures[title] = changed(title, groups, before, now)
            shutil.rmtree(copy)
            say(f"{agent.title}: done")
    figures["signals"] = signals_needed()
    return figures


def pooled(stores: Sequence[Store]) -> Store:
    """Return all stores as one. Their ids are kept apart by the name of the store."""
    documents, questions = [], []
    for store in stores:
        documents += [replace(document, id=f"{store.name}/{document.id}") for document in store.documents]
        for question in store.questions:
            questions.append(replace(question, relevant=frozenset(f"{store.name}/{id}" for id in question.relevant)))
    random.Random("learning").shuffle(questions)
    return Store("pooled", tuple(documents), tuple(questions))


def with_ids(store: Store, ids: Sequence[str]) -> list[Question]:
    """Return the questions with the ids that their documents were stored under."""
    stored = {document.id: id for document, id in zip(store.documents, ids, strict=True)}
    return [Question(each.text, frozenset(stored[id] for id in each.relevant)) for each in store.questions]


def planned(questions: int, turns: int) -> tuple[dict[str, list[int]], list[Turn]]:
    """Return which questions are asked often, seldom and never, and the stream of turns.

    Those asked often are the few that make up half of the stream.
    """
    asked = [number for number in range(questions) if number % NEVER < ASKED_OF_FIVE]
    shares = list(accumulate(1 / rank for rank in range(1, len(asked) + 1)))
    half = sum(share < shares[-1] / 2 for share in shares) + 1
    never = sorted(set(range(questions)).difference(asked))
    groups = {"often": asked[:half], "seldom": asked[half:], "never": never, "all": list(range(questions))}
    dice = random.Random("stream")
    stream = [
        Turn(each, *(dice.random() for _ in range(6))) for each in dice.choices(asked, cum_weights=shares, k=turns)
    ]
    return groups, stream


def played(
    agent: Agent, home: Path, questions: Sequence[Question], stream: Sequence[Turn], turns: Sequence[int]
) -> list[tuple[int, list[float]]]:
    """Let an agent work, a minute for each turn, and return the recall of all questions after so many turns."""
    clock, found, done = Clock(), [], 0
    for after in turns:
        with open_brain(home, session="agent", clock=clock) as brain:
            for turn in stream[done:after]:
                clock.forward(timedelta(minutes=1))
                one_turn(brain, agent, questions[turn.question], turn)
        done = after
        found.append((after, recalls(home, clock, questions)))
    return found


def one_turn(brain: Brain, agent: Agent, question: Question, turn: Turn) -> None:
    """Search, and say how it went. Where nothing is found there is nothing to say."""
    shown = [hit.id for hit in brain.search(reworded(question.text, turn), limit=SHOWN).hits]
    if not shown:
        return
    right = [id for id in shown if id in question.relevant]
    good, used = bool(right), right or shown[:1]
    if agent.at_random:
        good, used = turn.lies < 0.7, [chosen(shown, turn.which)]
    else:
        good = good != (turn.lies < WRONG)
        used = [chosen(shown, turn.which)] if turn.slips < WRONG else used
    brain.feedback(chosen(GOOD if good else BAD, turn.kind), used if agent.names else ())


def reworded(text: str, turn: Turn) -> str:
    """Return the question, every second time without one of its words, if it has at least four."""
    words = text.split()
    if turn.leaves_out < 0.5 or len(words) < 4:
        return text
    del words[int(turn.word * len(words))]
    return " ".join(words)


def chosen(items: Sequence[str], where: float) -> str:
    """Return the item that a number from 0 to 1 points to."""
    return items[int(where * len(items))]


def recalls(home: Path, clock: Callable[[], datetime], questions: Sequence[Question]) -> list[float]:
    """Return recall@5 of each question, asked so that nothing is learnt from it."""
    with open_brain(home, clock=clock) as brain:
        found = [[hit.id for hit in brain.search(question.text, limit=SHOWN).hits] for question in questions]
    return [
        len(question.relevant.intersection(ids)) / len(question.relevant)
        for question, ids in zip(questions, found, strict=True)
    ]


def changed(
    title: str, groups: Mapping[str, Sequence[int]], before: Sequence[float], now: Sequence[float]
) -> dict[str, Any]:
    """Print and return how recall@5 changed in each group, with the interval of 95 % for all questions."""
    differences = [later - earlier for later, earlier in zip(now, before, strict=True)]
    by_group = {group: fmean(differences[at] for at in places) for group, places in groups.items()}
    _, low, high = interval([differences])
    cells = "".join(f"{change:+9.3f}" for change in by_group.values())
    print(f"{title:34}{cells}   {low:+.3f} to {high:+.3f}", flush=True)
    return {**by_group, "95 %": [low, high]}


# How many signals it takes


def signals_needed() -> dict[str, dict[str, int]]:
    """Print and return how many signals carry a new memory's overall score above .7 and below .2."""
    found = {}
    print(f"\n{'signals until the score is':34}{'task_completed > .7':>22}{'user_correction < .2':>22}")
    for title, others, named in (
        ("found alone", 0, False),
        ("with four others", 4, False),
        ("of five, named", 4, True),
    ):
        up, down = (
            signals_until(signal, reached, others, named)
            for signal, reached in (
                ("task_completed", lambda score: score > 0.7),
                ("user_correction", lambda score: score < 0.2),
            )
        )
        found[title] = {"task_completed": up, "user_correction": down}
        print(f"{title:34}" + "".join(f"{shown:>22}" for shown in (_most(up), _most(down))), flush=True)
    return found


def signals_until(signal: str, reached: Callable[[float], bool], others: int, named: bool) -> int:
    """Return how often a signal must be given, each after a search, until one memory's score has reached a bound.

    Args:
        signal: the signal.
        reached: tells whether a score has reached the bound.
        others: how many other memories each search finds besides.
        named: whether the signal names the memory.

    Returns:
        The number of signals; MOST_SIGNALS + 1 where those are not enough.
    """
    documents = [Document(str(number), f"the lamp in room {number}") for number in range(others + 1)]
    with temporary_home() as home:
        one = fill(home, documents)[0]
        with open_brain(home, session="agent", clock=Clock()) as brain:
            for times in range(1, MOST_SIGNALS + 1):
                brain.search("lamp", limit=SHOWN)
                moves = brain.feedback(signal, [one] if named else ()).updated
                if any(move.id == one and reached(move.new_score) for move in moves):
                    return times
    return MOST_SIGNALS + 1


def _most(times: int) -> str:
    return str(times) if times <= MOST_SIGNALS else f"more than {MOST_SIGNALS}"

"""Weigh tags: how much each tells of the subject of an episode.

A tag that names a kind of work or a time stands on many days beside any subject, and so does one that most episodes
have.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable

FEW_EPISODES = 20  # with fewer episodes the number of holders of a tag says nothing
_KINDS = """
bug bugs bugfix bugfixes bug-fix bug-fixes fix fixes fixed hotfix debug debugging issue issues incident incidents
feature features refactor refactoring cleanup chore chores maintenance code coding dev development review reviews
code-review pull-request pr research investigation learning learnings til bugfixing troubleshooting defect defects
error errors test tests testing ticket tickets postmortem decision decisions idea ideas question questions
meeting meetings standup stand-up retro retrospective planning call sync discussion minutes chat conversation
note notes log logs worklog journal session sessions episode summary status progress update updates misc general
todo todos task tasks wip work project projects daily weekly monthly today
wrap-up done open closed resolved urgent important
"""
KINDS_OF_WORK = frozenset(_KINDS.split())
_TIME = re.compile(r"(?:19|20)\d\d|q[1-4]|w\d\d?|week|sprint|quarter|(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_MONTH = re.compile(r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
                    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|\d\d?")  # fmt: skip

Weigh = Callable[[str], float]


def weights(tags_of_all: Iterable[Collection[str]]) -> Weigh:
    """Return a function that weighs a tag: 0 where it tells nothing of the subject, else the rarer the more.

    `tags_of_all` are the tags of every episode of the store. While there are few, all other tags weigh the same.
    """
    counts: Counter[str] = Counter()
    total = 0
    for tags in tags_of_all:
        counts.update(tags)
        total += 1

    def weigh(tag: str) -> float:
        if tells_no_subject(tag):
            return 0.0
        if total < FEW_EPISODES:
            return 1.0
        return 0.0 if counts[tag] * 2 > total else math.log(1 + total / max(1, counts[tag]))

    return weigh


def tells_no_subject(tag: str) -> bool:
    """Tell whether a tag names nothing but a kind of work or a time: bugfix, meeting-notes, week-47, 2026-02-24.

    A month or a small number means a time only beside a year, a week or the like: issue-12 is a subject.
    """
    tag = tag.casefold()
    parts = [part for part in re.split(r"[\W_]+", tag) if part not in KINDS_OF_WORK]
    times = [bool(_TIME.fullmatch(part)) for part in parts]
    dated = any(times) and all(time or _MONTH.fullmatch(part) for part, time in zip(parts, times, strict=True))
    return tag in KINDS_OF_WORK or not parts or dated


def overlap(mine: Collection[str], others: Collection[str], weigh: Weigh) -> float:
    """Return the weight of the shared tags as a share of all tags of the episode whose tags weigh less.

    It is 0 where the two share no tag that tells the subject.
    """
    shared = sum(weigh(tag) for tag in sorted(set(mine).intersection(others)))
    return shared / min(sum(map(weigh, sorted(mine))), sum(map(weigh, sorted(others)))) if shared else 0.0

"""The page of a new memory. It says exactly the defaults."""

DEFAULT_TEXT = """\
# How this memory behaves

Memories that help rise, memories that mislead sink, and now and then the store tidies itself. This page says
how. It is yours: change it, and the next tidying follows.

The bullets below steer. Each is a sentence clawbrain understands; change a number in it and that number changes.
All other words are for people and are skipped. A bullet that was meant but not understood is named with its line,
and the default stays. `clawbrain strategy` prints what is in force, and `clawbrain compact --dry-run` what it would
do, and why, without doing it.

## Consolidation

Three notes about one afternoon's bug are one story. Episodes that share a day and most of their tags become one: the
best of them keeps its name, the others go to the archive. Text is put together, never rewritten.

- Merge same-day episodes with > 50% tag overlap
- Merge at least 2 episodes
- Combined credit score = earned

"Earned" counts what each episode gained or lost since it was new. Plainly adding scores would turn three notes that
nobody ever used into a star.

## Promotion

An episode is about a day; some of its facts outlive it. Once it has proved useful, they move to the person, project
or preference they are about. "I have a meeting today" stays where it is.

- Promote facts from episodes to entities when credit score > 0.7
- Promote them after at least 2 signals
- Transfer 50% of the earned credit
- Only promote facts that are durable

## Pruning

What did not help for a long while is put away, not thrown away: `clawbrain restore` brings it back with its score.
All of these must hold before anything goes.

- Archive entries with credit score < 0.2 and age > 30 days
- Archive entries idle for more than 14 days
- Archive at most 50 entries per run
- Never prune people entities
- Never prune pinned entries
- Never prune entries younger than 14 days

The last three are floors. You may protect more (try a bullet like "Never prune anything tagged adr, release"), but no
page can protect less. And if anything in this section cannot be understood, nothing is pruned until it is put right.

## Decay

What nobody looks at slowly counts for less. This moves a memory towards the archive and out of MEMORY.md; search does
not care.

- Entities lose 0.2% per day
- Episodes lose 1% per day

## Context

MEMORY.md is the page an agent can read before it asks.

- Maximum tokens for MEMORY.md: 5000
- Prioritize entities (70%) over recent episodes (30%)

## Settings

Some dials have no sentence. They go by name into the block below; `docs/strategy.md` lists them all. Say each thing
once: where a sentence and the block disagree, neither counts.

```yaml settings
# duplicates: {threshold: 92}
# promotion: {default_category: notes}
```
"""

"""The prompt hook: which memories a prompt is about, praise and correction, and wishes that something be kept."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_sets import Prompt, PromptSet, outcome_lines, prompt_sets

from clawbrain import exchange
from clawbrain.agents import hooks, prompt_hook
from clawbrain.brain import Brain, open_brain
from clawbrain.exchange import intake
from clawbrain.exchange.draft import Gaps
from clawbrain.prompts.keeping import asks_to_keep
from clawbrain.prompts.outcome import CORRECTION, PRAISE, outcome

Ask = Callable[..., str]


@pytest.fixture
def ask(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Run the prompt hook on a home and return the text for the model."""
    for name in ("CLAWBRAIN_HOME", "CLAWBRAIN_SESSION_ID", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hooks, "PATIENCE", 60.0)  # however slowly this runs

    def asked(prompt: str, **said: Any) -> str:
        answer = hooks.run(
            ["prompt", "--client", "claude", "--home", str(home)], json.dumps({"prompt": prompt, **said})
        )
        return str(json.loads(answer).get("hookSpecificOutput", {}).get("additionalContext", ""))

    return asked


def ids(text: str) -> list[str]:
    return re.findall(r"^- ([\w-]+):", text, re.MULTILINE)


@pytest.fixture
def store(home: Path) -> Iterator[Callable[..., None]]:
    def stored(category: str, name: str, content: str, *tags: str) -> None:
        with open_brain(home) as brain:
            brain.store("entity", name, content, category=category, tags=tags)

    yield stored


# Measured on prompts that the rules were not made by


Given = tuple[Prompt, set[str]]


def handed_over(brain: Brain, text: str) -> set[str]:
    prompt = prompt_hook.read(brain, text)
    return {hit.name for hit in prompt_hook.best(brain, prompt)[0][: prompt_hook.MEMORIES]} if prompt else set()


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> list[Given]:
    """Each held-out prompt of all sets with the names of the memories that are handed over for it."""

    def measure(each: PromptSet) -> list[Given]:
        with open_brain(tmp_path_factory.mktemp(each.name)) as brain:
            each.fill(brain)
            return [(prompt, handed_over(brain, prompt.text)) for prompt in each.prompts if prompt.held_out]

    return [given for each in prompt_sets() for given in measure(each)]


def test_three_quarters_of_the_prompts_with_an_answer_get_one(measured: list[Given]) -> None:
    found = [bool(prompt.answers & names) for prompt, names in measured if prompt.answers]
    assert sum(found) >= 0.75 * len(found) > 50


def test_nine_tenths_of_what_is_handed_over_answer_the_prompt(measured: list[Given]) -> None:
    right = [name in prompt.answers for prompt, names in measured for name in names]
    assert sum(right) >= 0.9 * len(right) > 50


def test_of_prompts_without_an_answer_hardly_any_gets_one(measured: list[Given]) -> None:
    noisy = [prompt.text for prompt, names in measured if names and not prompt.answers]
    assert len(noisy) <= 0.05 * sum(not prompt.answers for prompt, _ in measured)


# What a prompt is about


def test_a_persons_name_alone_is_enough(store: Callable[..., None], ask: Ask) -> None:
    store("people", "jonas-weber", "Jonas Weber owns everything about payments.")
    assert ids(ask("ask Jonas about it")) == ids(ask("ask jonas about it")) == ["entity-people-jonas-weber"]


def test_a_name_that_is_a_word_too_needs_its_capital(store: Callable[..., None], ask: Ask) -> None:
    store("people", "bill-hope", "Bill Hope owns everything about payments.")
    assert ids(ask("can you ask Bill?")) and not ids(ask("I hope it will work"))


@pytest.mark.parametrize("prompt", ["kestrel returns 502", "is Kestrel slow?", "restart kestrel"])
def test_a_projects_name_alone_is_enough(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    store("projects", "kestrel", "The search service, behind a thin app.")
    assert ids(ask(prompt)) == ["entity-projects-kestrel"]


def test_a_product_in_a_title_is_enough(store: Callable[..., None], ask: Ask) -> None:
    store("lessons", "asyncpg-dns", "It took 5 s to connect, because of IPv6 lookups.")
    assert ids(ask("asyncpg is slow to connect in docker"))


def test_a_path_in_a_memory_is_enough(store: Callable[..., None], ask: Ask) -> None:
    store("projects", "warehouse", "Stock comes every 15 minutes; the job is jobs/stock_import.py.")
    assert ids(ask("why does jobs/stock_import.py crash?")) and not ids(ask("why does tools/import_all.py crash?"))


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("install the requests library", "uv-never-pip"),
        ("add an endpoint for refunds", "api-versioning"),
        ("commit this", "commit-messages"),
        ("please write some tests", "test-doubles"),
        ("installiere bitte das paket rich", "uv-never-pip"),
        ("can you add an endpoint that lists the orders of a customer", "api-versioning"),
    ],
)
def test_a_rule_is_about_the_deed_that_it_rules(store: Callable[..., None], ask: Ask, prompt: str, rule: str) -> None:
    store("preferences", "uv-never-pip", "Use uv for everything, never pip.", "python")
    store("preferences", "api-versioning", "The version goes into the path, never into a header.")
    store("preferences", "commit-messages", "Imperative, below 60 characters, the body says why.")
    store("preferences", "test-doubles", "None of our own modules is replaced; use the fixture.", "testing")
    assert ids(ask(prompt)) == [f"entity-preferences-{rule}"]


@pytest.mark.parametrize("prompt", ["don't commit yet, don't install anything", "which endpoint did you call?"])
def test_a_deed_that_is_not_asked_for_brings_no_rule(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    store("preferences", "api-versioning", "The version goes into the path, never into a header.")
    assert ids(ask(prompt)) == []


def test_a_rule_of_another_language_is_left_out(store: Callable[..., None], ask: Ask) -> None:
    store("preferences", "pnpm-only", "Always pnpm, never npm or yarn.", "javascript")
    assert not ids(ask("install the requests library for python")) and ids(ask("install lodash"))


def test_only_a_preference_rules_a_deed(store: Callable[..., None], ask: Ask) -> None:
    store("lessons", "api-versioning", "The version goes into the path, never into a header.")
    assert not ids(ask("add an endpoint for refunds"))


@pytest.mark.parametrize(
    "prompt",
    [
        "frag jonas danach",
        "vraag het aan Jonas",
        "demande à Jonas",
        "问一下Jonas",
        "füge einen endpunkt für jonas hinzu",
    ],
)
def test_a_name_is_understood_in_another_language(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    store("people", "jonas-weber", "Jonas Weber owns everything about payments.")
    assert ids(ask(prompt)) == ["entity-people-jonas-weber"]


@pytest.mark.parametrize(
    "prompt",
    [
        "füge einen endpunkt für gutscheine hinzu",
        "ajoute un endpoint pour les coupons",
        "añade un endpoint para pedidos",
        "aggiungi un endpoint per i coupon",
        "voeg een endpoint toe voor orders",
        "dodaj endpoint dla zamówień",
        "добавь эндпоинт для заказов",
        "添加一个接口查询订单",
    ],
)
def test_a_deed_is_understood_in_another_language(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    store("preferences", "api-versioning", "The version goes into the path, never into a header.")
    assert ids(ask(prompt)) == ["entity-preferences-api-versioning"]


RULES = {
    "package-manager": "Use pnpm, never npm.",
    "test-runner": "Run the tests with pytest -q, not unittest.",
    "runtime": "Python 3.12 is what we target.",
    "whitespace": "Indent with tabs, never spaces.",
    "storage": "We use PostgreSQL 16.",
}


@pytest.mark.parametrize("category", ["preferences", "decisions", "instructions"])
@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("npm install lodash", "package-manager"),
        ("install lodash", "package-manager"),
        ("add a dependency on zod", "package-manager"),
        ("run the tests", "test-runner"),
        ("which python version?", "runtime"),
        ("indent the file", "whitespace"),
        ("tabs or spaces?", "whitespace"),
        ("which database do we use?", "storage"),
    ],
)
def test_a_rule_is_found_by_what_it_says(
    store: Callable[..., None], ask: Ask, prompt: str, rule: str, category: str
) -> None:
    for name, text in RULES.items():
        store(category, name, text)
    assert ids(ask(prompt)) == [f"entity-{category}-{rule}"]


@pytest.mark.parametrize(
    "prompt",
    [
        "refactor this module",
        "run it again",
        "store the result in a variable",
        "what is a database?",
        "the tests passed",
        "python is fun",
        "remove the trailing spaces",
        "which of them is older?",
    ],
)
def test_a_prompt_about_no_rule_brings_none(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    for name, text in {**RULES, "passwords": "Store passwords in the vault, never in a file."}.items():
        store("preferences", name, text)
    assert ask(prompt) == ""


def test_a_rule_of_another_language_than_the_prompts_stays_away(store: Callable[..., None], ask: Ask) -> None:
    store("instructions", "setup", "Use uv, never pip.")
    assert ids(ask("install httpx")) and not ask("install lodash")


def test_the_line_of_a_long_page_that_states_the_rule_is_handed_over(store: Callable[..., None], ask: Ask) -> None:
    lines = [f"- Line {number} says something about the shop and its customers." for number in range(40)]
    store("projects", "shop-instructions", "\n".join(["# Shop", *lines, "- Use pnpm, never npm", *lines]))
    assert "Use pnpm, never npm" in ask("install lodash")


@pytest.mark.parametrize(
    ("prompt", "section"),
    [
        ("npm install lodash", "instructions"),
        ("install lodash", "instructions"),
        ("run the tests", "instructions"),
        ("which database do we use?", "style"),
        ("commit this", "commits"),
    ],
)
def test_imported_instructions_answer_like_preferences(
    home: Path, tmp_path: Path, ask: Ask, prompt: str, section: str
) -> None:
    page = tmp_path / "shop" / "AGENTS.md"
    page.parent.mkdir()
    rules = "- Use pnpm, never npm\n- Run the tests with `pnpm test`\n\n## Style\n\n- We use PostgreSQL 16\n"
    page.write_text(f"# Shop\n\nA web shop.\n\n{rules}\n## Commits\n\nWrite commit messages in the imperative.\n")
    with open_brain(home) as brain:
        gaps = Gaps()
        intake.carry_out(intake.plan(brain, exchange.read(page, "claude-code", gaps), gaps), brain)
    assert ids(ask(prompt)) == [f"entity-projects-shop-{section}"]


@pytest.mark.parametrize("prompt", ["wann ist das nächste release?", "quand est le prochain release ?"])
def test_a_question_in_another_language_is_understood(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    store("facts", "release-train", "Releases are cut every second Tuesday.")
    assert ids(ask(prompt)) == ["entity-facts-release-train"]


@pytest.mark.parametrize("prompt", ["hello", "yes", "no, the other one", "thanks!", "ok, go on", "danke dir", "why?"])
def test_small_talk_is_about_nothing(store: Callable[..., None], ask: Ask, prompt: str) -> None:
    store("preferences", "answers", "Wants short answers. Say yes or no first, and hello or thanks never.")
    assert ask(prompt) == ""


# Not twice


def test_a_memory_is_not_handed_over_twice_within_ten_prompts(store: Callable[..., None], ask: Ask) -> None:
    store("people", "jonas-weber", "Jonas Weber owns everything about payments.")
    given = [bool(ids(ask("ask Jonas", session_id="one"))) for _ in range(12)]
    assert given == [True, *[False] * 10, True]


def test_prompts_about_other_things_count_as_well(store: Callable[..., None], ask: Ask) -> None:
    store("people", "jonas-weber", "Jonas Weber owns everything about payments.")
    given = [ask(prompt, session_id="one") for prompt in ["ask Jonas", *["go on"] * 10, "ask Jonas"]]
    assert [bool(ids(each)) for each in given] == [True, *[False] * 10, True]


def test_another_session_gets_it_again(store: Callable[..., None], ask: Ask) -> None:
    store("people", "jonas-weber", "Jonas Weber owns everything about payments.")
    assert ids(ask("ask Jonas", session_id="one")) == ids(ask("ask Jonas", session_id="two")) != []


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"one": 5}', b'{"one": [5]}', b'{"one": [[5]]}'])
def test_a_broken_note_of_what_was_handed_over_is_made_anew(
    store: Callable[..., None], ask: Ask, home: Path, broken: bytes
) -> None:
    store("people", "jonas-weber", "Jonas Weber owns everything about payments.")
    (home / ".clawbrain/handed.json").write_bytes(broken)
    assert ids(ask("ask Jonas", session_id="one")) and not ids(ask("ask Jonas", session_id="one"))


# Secrets


@pytest.mark.parametrize("secrets", ["redact", "allow"])
def test_tokens_are_taken_out_before_a_passage_is_cut(home: Path, ask: Ask, secrets: str) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    (home / "STRATEGY.md").write_text(f"# S\n\n```yaml settings\nsafety:\n  secrets: {secrets}\n```\n")
    for before in (5, 170, 190, 210, 222, 230):  # so that the passage would be cut within the token
        path = home / "memory/entities/people" / f"jonas-{before}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Jonas {'x ' * (before // 2)} {token} {'and more ' * 20}\n")
    with open_brain(home) as brain:
        brain.sync(now=True)
    given = [ask("ask Jonas", session_id="one") for _ in range(2)]
    assert sum(len(ids(text)) for text in given) == 6
    assert not [text for text in given if "ghp_" in text or "a1B2" in text]


# Praise and correction


def test_hardly_a_held_out_prompt_is_taken_for_an_outcome_that_it_is_not() -> None:
    said = [(line, outcome(line.text)[0]) for line in outcome_lines() if line.held_out]
    given = [line.signal == signal for line, signal in said if signal]
    assert sum(given) >= 0.98 * len(given) > 50


def test_most_held_out_praise_and_blame_is_recognised_in_every_language() -> None:
    lines = [line for line in outcome_lines() if line.held_out and line.signal]
    for language in {line.language for line in lines}:
        found = [outcome(line.text)[0] == line.signal for line in lines if line.language == language]
        assert sum(found) >= 0.7 * len(found), language


def test_no_prompt_that_was_looked_at_is_taken_for_an_outcome_that_it_is_not() -> None:
    said = [(line.text, line.signal, outcome(line.text)[0]) for line in outcome_lines("outcomes-tuned.tsv")]
    assert [(text, found) for text, signal, found in said if found not in ("", signal)] == []


@pytest.mark.parametrize(
    ("prompt", "signal"),
    [
        ("thanks", PRAISE),
        ("Thank you very much!", PRAISE),
        ("PERFECT, commit it", PRAISE),
        ("that worked\nnow the next one", PRAISE),
        ("That\u2019s right.", PRAISE),
        ("👍", PRAISE),
        ("Danke, läuft!", PRAISE),
        ("完璧です。次はテスト", PRAISE),
        ("Wrong.", CORRECTION),
        ("no, that's wrong: use the other one", CORRECTION),
        ("not what I asked for", CORRECTION),
        ("Du hast die Tests vergessen", CORRECTION),
        ("thanks, but that's wrong", ""),
        ("Thanks. However, the test fails", ""),
        ("Thanks. That's wrong.", ""),
        ("great, now nothing works", ""),
        ("great...", ""),
        ("that worked before, why not now?", ""),
        ("it works on my machine", ""),
        ("that works?", ""),
        ("perfect storm of bugs", ""),
        ("great question", ""),
        ("wrong file name in line 3", ""),
        ("no thanks", ""),
        ("thanks in advance", ""),
        ("no", ""),
        ("No, keep it", ""),
        ("please say thanks", ""),
        ("thanksgiving", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_only_a_prompt_that_begins_with_a_listed_phrase_is_an_outcome(prompt: str, signal: str) -> None:
    assert outcome(prompt)[0] == signal


def test_behind_the_praise_the_prompt_goes_on() -> None:
    assert outcome("Thanks! How do I deploy?") == (PRAISE, "How do I deploy?")
    assert outcome("Is it?") == ("", "Is it?")


# Wishes that something be kept


@pytest.mark.parametrize(
    "prompt",
    [
        "Remember that I prefer tabs",
        "ok, and please remember: no mocks",
        "Thanks! From now on, tests first.",
        "always use pnpm from now on",
        "Merk dir, dass wir uv nehmen",
        "ab jetzt antworte auf Deutsch",
        "Souviens-toi que la branche est main",
        "désormais, utilise pnpm",
        "recuerda que usamos uv",
        "a partir de agora use pnpm",
        "d'ora in poi usa uv",
        "vanaf nu altijd pnpm",
        "zapamiętaj, że używamy uv",
        "Запомни: всегда pnpm",
        "请记住我们用uv",
        "今後はuvを使って",
    ],
)
def test_a_wish_that_something_be_kept_is_passed_on(prompt: str, ask: Ask) -> None:
    assert "memory_store" in ask(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "do you remember that bug?",
        "I remember that we had a helper for this",
        "the remember-me checkbox is broken",
        "don't forget to run the tests",
        "can you remember this?",
        "in the future tense, please",
    ],
)
def test_who_remembers_or_asks_wishes_nothing(prompt: str) -> None:
    assert not asks_to_keep(prompt)

"""The bench: it reads the collections as they are published, and measures what it says."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import pytest

from bench import learning, measure, rules, seam, search, speed
from bench.__main__ import main
from bench.baselines import Bm25, Fts5
from bench.collections import SOURCES, Document, Question, Source, Store, located
from bench.collections.model import shuffled, spread
from bench.collections.notes import FOLDER, notes, versions
from bench.product import filled, searching
from clawbrain import Brain

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
NAMED = {source.name: source for source in SOURCES}
PUBLIC = [source for source in SOURCES if not source.ours]

# Files made up in the formats of the collections. Each has one document more than its questions ask for.

CRANFIELD = {
    "cran.all.1400": ".I 1\n.T\nwings in a\nslipstream .\n.A\nsomebody,a.\n.B\nj. 1.\n.W\nwings in a\nslipstream .\n"
    "  lift grows .\n.I 2\n.T\nheat in slabs .\n.A\n.B\n.W\nheat in slabs .\nit flows .\n.I 3\n.T\n.A\n.B\n.W\n",
    "cran.qry": ".I 001\n.W\nhow do wings\nlift .\n.I 004\n.W\nhow does heat flow .\n",
    "cranqrel": "1 1 2 \n1 2 4 \n1 3 -1\n2 2 3 \n2 1 -1\n",
}
CISI = {
    "CISI.ALL": ".I 1\n.T \nEditions\n.A \nDoe, J.\n.W\n   A history of\neditions.\n.X\n1\t5\t1\n2\t1\t1\n"
    ".I 2\n.T\nLibraries\n.W\nThey lend.\n.X\n2\t5\t2\n",
    "CISI.QRY": ".I 1\n.W\nWhat is lent?\n.I 2\n.W\nWho judges?\n.I 3\n.T\nA\nB\n.A\nC\n.W\nWhich editions?\n"
    ".B\n(P, 1981)\n",
    "CISI.REL": "     1      2\t0\t0.000000\n     3      1\t0\t0.000000\n\n",
}
MEDLINE = {
    "MED.ALL": ".I 1\n.W\nglucose in plasma .   \n  it was measured .\n.I 2\n.W\nlenses of eyes .\n",
    "MED.QRY": ".I 1\n.W\n crystalline lenses.\n",
    "MED.REL": "1 0 2 1\n",
}
CACM = {
    "cacm.all": ".I 1\n.T\nSquare Roots\n.B\nCACM May, 1958\n.A\nDoe, J.\n.N\nCA1 JB March\n.X\n1\t5\t1\n"
    ".I 2\n.T\nTime Sharing\n.W\nMany share one machine.\n.K\nsharing\n.X\n",
    "query.text": ".I 1\n.W\n What exists on\nsharing?\n.A\nDoe, J.\n.N\n 1. x (sharing)\n \n"
    ".I 2\n.W\n Roots\n.N\n 2. x\n",
    "qrels.text": "01 0002 0 0\n02 0001 0 0\n",
}
NPL = {
    "doc-text": "1\ncompact memories  have\ncapacities\n   /\n2\nthe earths field\n   /\n",
    "query-text": "1\nCAPACITIES OF MEMORIES\n/\n2\nFIELD OF THE\nEARTH\n/",
    "rlv-ass": "1\n    1\n   /\n2\n    2     9\n   /\n",
}
STARS = "*" * 44
LISA = {
    "LISA0.001": f"Document    1\nTHE INDIAN COUNCIL:\nA PROPOSAL.\n     \nIT EXAMINES.\n{STARS}\n"
    f"Document    2\nMICROFILM.\n     \nA SURVEY.\n{STARS}\n",
    "LISA0.501": f"Document    2\nMICROFILM AGAIN.\n{STARS}\nDocument 6000\nPRECIS.\n     \nAN INDEX.\n{STARS}\n",
    "LISA0.501.ALL": f"Document    7\nNOT A PART.\n{STARS}\n",
    "LISA.QUE": "1\nI WANT COUNCILS\nIN 1980. INDIA. #\n22\nI WANT AN INDEX. #\n",
    "LISARJ.NUM": "           1           2           1\n           2   \n          22           1        6000\n",
}
TIME = {
    "TIME.ALL": "*TEXT 017 01/04/63 PAGE 020\n\nTHE ALLIES\n\nAFTER NASSAU .\n\n"
    "*TEXT 021 01/04/63 PAGE 021\n\nZANZIBAR .\n\n*STOP\n",
    "TIME.QUE": "*FIND      1\n\n WHAT OF\n\nZANZIBAR .\n\n*FIND      2\n\n NOBODY ASKED .\n\n*STOP\n",
    "TIME.REL": "1  2\n\n2  \n\n",
}
NL2BASH = {
    "all.nl": "List files\nShow all files\nlist files\nStop a process\n",
    "all.cm": "ls -a\nls -a\nls -a\nkill 1\n",
}
COSQA = {
    "code_idx_map.txt": json.dumps({"def add(a, b): return a + b": 0, "def sort(a): return sorted(a)": 1}),
    "cosqa-retrieval-test-500.json": json.dumps([{"idx": "q", "doc": "python sort", "code": "x", "retrieval_idx": 1}]),
}
TALK = {
    "speaker_a": "Ann",
    "session_2_date_time": "1 pm on 9 May, 2023",
    "session_2": [{"speaker": "Bob Lee", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a dog"}],
    "session_1_date_time": "1 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi"},
        {"speaker": "Bob Lee", "dia_id": "D:1:2", "text": "Yo"},
    ],
    "session_3_date_time": "1 pm on 10 May, 2023",
}
ASKED_OF_TALK = [
    {"question": "What did Bob show?", "answer": "a dog", "evidence": ["D02:1; D1:2"], "category": 4},
    {"question": "What did Ann eat?", "evidence": ["D1:1"], "category": 5},
    {"question": "Whom?", "evidence": [], "category": 1},
]
LOCOMO = {"locomo10.json": json.dumps([{"sample_id": "conv-1", "conversation": TALK, "qa": ASKED_OF_TALK}])}


def squad(language: str) -> str:
    asked = [{"id": "a", "question": f"Wer ({language})? ", "answers": []}]
    paragraphs = [{"context": f" Text 0 {language}", "qas": []}, {"context": f"Text 1 {language}", "qas": asked}]
    return json.dumps({"data": [{"title": "T", "paragraphs": paragraphs}]})


XQUAD = {f"xquad.{language}.json": squad(language) for language in ("en", "de", "es", "ru", "tr", "zh")}

Given = Callable[[dict[str, str]], Path]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """Writes files into a folder deep below the one that BENCH_DATA would name, which is returned."""

    def write(files: dict[str, str]) -> Path:
        folder = tmp_path / "clone" / "data" / "x"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        return tmp_path

    return write


def loaded(name: str, data: Path) -> list[Store]:
    folder = located(NAMED[name], data)
    assert folder is not None
    return NAMED[name].load(folder, name)


def texts(store: Store) -> dict[str, str]:
    return {document.id: document.text for document in store.documents}


def asked(store: Store) -> dict[str, set[str]]:
    return {question.text: set(question.relevant) for question in store.questions}


# The loaders


def test_cranfield_counts_its_questions_by_their_place_and_leaves_out_what_is_of_little_interest(given: Given) -> None:
    (store,) = loaded("cranfield", given(CRANFIELD))
    assert texts(store) == {"1": "wings in a slipstream .\nlift grows .", "2": "heat in slabs .\nit flows ."}
    assert asked(store) == {"how do wings lift .": {"1"}, "how does heat flow .": {"2"}}


def test_cisi_has_titles_and_texts_and_only_the_questions_that_were_judged(given: Given) -> None:
    (store,) = loaded("cisi", given(CISI))
    assert texts(store) == {"1": "Editions\nA history of editions.", "2": "Libraries\nThey lend."}
    assert asked(store) == {"What is lent?": {"2"}, "Which editions?": {"1"}}


def test_medline_has_no_titles(given: Given) -> None:
    (store,) = loaded("medline", given(MEDLINE))
    assert texts(store) == {"1": "glucose in plasma . it was measured .", "2": "lenses of eyes ."}
    assert asked(store) == {"crystalline lenses.": {"2"}}


def test_cacm_judges_with_zeros_in_front(given: Given) -> None:
    (store,) = loaded("cacm", given(CACM))
    assert texts(store) == {"1": "Square Roots", "2": "Time Sharing\nMany share one machine."}
    assert asked(store) == {"What exists on sharing?": {"2"}, "Roots": {"1"}}


def test_npl_is_kept_apart_by_slashes(given: Given) -> None:
    (store,) = loaded("npl", given(NPL))
    assert texts(store) == {"1": "compact memories have capacities", "2": "the earths field"}
    assert asked(store) == {"capacities of memories": {"1"}, "field of the earth": {"2"}}


def test_lisa_is_put_together_from_its_files_and_judged_by_numbers(given: Given) -> None:
    (store,) = loaded("lisa", given(LISA))
    assert texts(store) == {
        "1": "the indian council: a proposal. it examines.",
        "2": "microfilm. a survey.",
        "6000": "precis. an index.",
    }
    assert asked(store) == {"i want councils in 1980. india.": {"1", "2"}, "i want an index.": {"6000"}}


def test_time_counts_its_articles_by_their_place(given: Given) -> None:
    (store,) = loaded("time", given(TIME))
    assert texts(store) == {"1": "the allies after nassau .", "2": "zanzibar ."}
    assert asked(store) == {"what of zanzibar .": {"2"}}


def test_xquad_is_asked_within_a_language_and_across(given: Given) -> None:
    data = given(XQUAD)
    stores = loaded("xquad-within", data)
    assert [store.name[-2:] for store in stores] == ["de", "es", "ru", "tr", "zh"]
    assert texts(stores[0]) == {"0": "Text 0 de", "1": "Text 1 de"}
    assert asked(stores[0]) == {"Wer (de)?": {"1"}}
    (across,) = loaded("xquad-across", data)
    assert texts(across) == {"0": "Text 0 en", "1": "Text 1 en"}
    assert asked(across) == {f"Wer ({language})?": {"1"} for language in ("de", "es", "ru", "zh")}


def test_a_command_of_nl2bash_is_asked_by_its_second_description(given: Given) -> None:
    (store,) = loaded("nl2bash", given(NL2BASH))
    assert texts(store) == {"0": "List files\n`ls -a`", "1": "Stop a process\n`kill 1`"}
    assert asked(store) == {"Show all files": {"0"}}


def test_cosqa_asks_for_functions(given: Given) -> None:
    (store,) = loaded("cosqa", given(COSQA))
    assert texts(store) == {"0": "def add(a, b): return a + b", "1": "def sort(a): return sorted(a)"}
    assert asked(store) == {"python sort": {"1"}}


def test_a_conversation_of_locomo_is_stored_turn_by_turn(given: Given) -> None:
    (store,) = loaded("locomo", given(LOCOMO))
    assert store.in_session
    assert store.documents == (
        Document("D1:1", "[1 pm on 8 May, 2023] Ann: Hi", ("ann",)),
        Document("D1:2", "[1 pm on 8 May, 2023] Bob Lee: Yo", ("bob-lee",)),
        Document("D2:1", "[1 pm on 9 May, 2023] Bob Lee: Look! [shares a dog]", ("bob-lee",)),
    )
    assert asked(store) == {"What did Bob show?": {"D1:2", "D2:1"}}


@pytest.mark.parametrize("store", notes(FOLDER, "notes"), ids=lambda store: store.name)
def test_the_notes_have_an_answer_to_every_question(store: Store) -> None:
    ids = {document.id for document in store.documents}
    assert len(store.documents) >= 120 and len(store.questions) >= 100
    assert all(question.relevant and question.relevant <= ids for question in store.questions)


def test_versions_asks_only_what_was_decided_anew_of_notes_in_order() -> None:
    for mixed, ordered in zip(notes(FOLDER, "n"), versions(FOLDER, "v"), strict=True):
        place = {document.id: place for place, document in enumerate(ordered.documents)}
        assert {document.id for document in mixed.documents} == set(place)
        assert all(place[older] < place[newer] for newer, older in ordered.newer)
        newer = {newer for newer, _ in ordered.newer}
        assert ordered.questions and all(question.relevant & newer for question in ordered.questions)


# What is where


@pytest.mark.parametrize("source", PUBLIC, ids=lambda source: source.name)
def test_a_collection_is_found_only_where_all_its_files_are_together(source: Source, tmp_path: Path) -> None:
    assert located(source, None) is None
    names = [name.partition(" or ")[0] for name in source.files]
    for number, name in enumerate(names):
        folder = tmp_path / f"part-{number}"
        folder.mkdir()
        (folder / name).touch()
    assert located(source, tmp_path) == (tmp_path / "part-0" if len(names) == 1 else None)
    for name in names:
        (tmp_path / "part-0" / name).touch()
    assert located(source, tmp_path) == tmp_path / "part-0"


def test_names_of_files_are_taken_in_any_case_and_spelling(given: Given) -> None:
    spelled = {name.lower(): text for name, text in TIME.items()} | {"cran.all": CRANFIELD["cran.all.1400"]}
    data = given(spelled | {name: CRANFIELD[name] for name in ("cran.qry", "cranqrel")})
    assert len(loaded("time", data)[0].documents) == 2
    assert len(loaded("cranfield", data)[0].documents) == 2


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_the_page_says_where_each_collection_is_to_be_got(source: Source) -> None:
    (row,) = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| `{source.name}` ")]
    assert all(each in row for each in (source.about, source.where, source.licence, *source.files))


def test_shuffling_loses_nothing_and_is_the_same_every_time() -> None:
    documents = [Document(str(number), "") for number in range(50)]
    assert shuffled(documents, "x") == shuffled(documents, "x") != tuple(documents)
    assert sorted(shuffled(documents, "x"), key=lambda each: int(each.id)) == documents


def test_a_sample_is_spread_over_all() -> None:
    assert spread(range(10), 4) == [0, 2, 5, 7]
    assert spread(range(3), 4) == [0, 1, 2]


# The baselines

LAMPS = (
    Document("long", "the lamp stands in a room with a table, a chair, a clock and a window"),
    Document("short", "a lamp", ("light",)),
    Document("none", "the window is open"),
)


def test_bm25_prefers_what_is_rare_and_short() -> None:
    find = Bm25(LAMPS)
    assert find("Where is the lamp?") == ["short", "long"]
    assert find("lamps and windows and a clock") == ["long", "short", "none"]
    assert find("light") == ["short"]
    assert find("the of") == find("nothing here") == []


def test_bm25_is_the_textbooks() -> None:
    texts = [Document("a", "lamp lamp bulb"), Document("b", "bulb"), Document("c", "cord cord cord cord cord")]
    find = Bm25(texts)
    # idf ln(1 + 2.5 / 1.5), frequency 2 in a text of the mean length 3: 2 x 2.2 / 3.2; once in "b": 2.2 / (1 + .6)
    assert find.penalties[0] == pytest.approx(1.2)
    assert find.penalties[1] == pytest.approx(1.2 * (0.25 + 0.75 / 3))
    assert find("bulb") == ["b", "a"]


def test_fts5_finds_any_word_and_minds_no_signs() -> None:
    find = Fts5(LAMPS)
    assert set(find('the "lamp" AND (nothing')) == {"short", "long", "none"}
    assert find("lights!") == ["short"]
    assert find("?!") == []


# What is measured


def test_a_row_says_what_was_found() -> None:
    row = measure.scored([*"abcdefghij"], frozenset("bgz"))
    assert (row.recall_5, row.recall_10, row.reciprocal) == (1 / 3, 2 / 3, 1 / 2)
    assert measure.scored([], frozenset("a")).reciprocal == 0


def test_a_mean_counts_collections_not_questions() -> None:
    one = measure.summary([measure.scored("a", frozenset("a"), 1.0)] * 3)
    other = measure.summary([measure.scored("b", frozenset("a"), 3.0)])
    assert measure.mean([one, other]) == {"recall@5": 0.5, "recall@10": 0.5, "MRR": 0.5, "p50 ms": 2.0}


def test_the_interval_holds_the_mean_and_is_nothing_where_nothing_differs() -> None:
    assert measure.interval([[0.0] * 9, [0.0]]) == (0.0, 0.0, 0.0)
    mean, low, high = measure.interval([[0.1, 0.3] * 40, [0.2] * 5])
    assert mean == pytest.approx(0.2) and low < 0.2 < high and high - low < 0.05
    _, low, high = measure.interval([[-1.0, 1.0]])
    assert (low, high) == (-1.0, 1.0)


def test_the_newer_comes_first_only_if_it_is_found() -> None:
    store = Store("s", (), tuple(Question(text, frozenset("n")) for text in "wxyz"), newer=(("n", "o"),))
    rows = [measure.scored(found, frozenset("n")) for found in ("no", "on", "an", "ab")]
    assert measure.newer_first(store, rows) == [True, False, True, False]


def test_a_store_is_asked_by_a_brain_that_leaves_no_trace() -> None:
    with filled(Store("s", LAMPS, ())) as (brain, _):
        find = searching(brain, LAMPS)
        assert find("lamp") == ["short", "long"]
        assert brain.session is None
        assert brain.report().total_memories == 3 and all(row.access_count == 0 for row in brain.report().top)


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", *map(str, words)])
    main()


def test_the_table_has_what_is_there_and_says_where_to_get_the_rest(
    given: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [NAMED[name] for name in ("cisi", "medline", "npl")]
    figures = search.report(sources, given(CISI | MEDLINE), settled=0)
    printed, progress = capsys.readouterr()
    assert [line.split()[:3] for line in printed.splitlines() if line[:1] in "cm"] == [
        ["cisi", "2", "2"],
        ["medline", "2", "1"],
        ["mean", "of", "2"],
        ["mean", "of", "all"],
    ]
    assert "npl is left out: put doc-text, query-text, rlv-ass below BENCH_DATA" in progress
    assert figures["collections"]["cisi"]["figures"]["ours"]["recall@10"] == 1.0
    assert set(figures["collections"]["medline"]["figures"]) == {"ours", "BM25", "FTS5"}
    assert set(figures["differences"]["all 2"]) == {"BM25", "FTS5"}


def test_the_notes_are_asked_whether_the_newer_comes_first() -> None:
    (energy,) = [store for store in versions(FOLDER, "v") if store.name == "v-energy"]
    newer_first = search.measured(NAMED["versions"], [energy], settled=0).newer_first
    assert len(newer_first["ours"]) >= 20
    assert fmean(newer_first["ours"]) >= 0.7
    assert fmean(newer_first["BM25"]) < 0.5


def test_a_name_that_is_none_is_answered_with_those_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["serach"], ["search", "--sets", "crane"], ["search", "--data", "/nowhere/at/all"]):
        with pytest.raises(SystemExit):
            run(monkeypatch, *words)
    told = capsys.readouterr().err
    assert "no part serach; there are search, rules" in told
    assert "no collection crane; there are cranfield" in told
    assert "/nowhere/at/all is not a folder" in told


def test_the_sources_are_listed_with_where_they_are(
    given: Given, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(given(NPL)))
    run(monkeypatch, "sources", "--out", tmp_path / "figures.json")
    printed = capsys.readouterr().out
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert [name for name, folder in figures["sources"].items() if folder] == ["npl", "notes", "versions"]
    assert "found in" in printed.partition("npl: ")[2].partition("lisa: ")[0]
    assert all(f"{source.name}: {source.about}" in printed and source.where in printed for source in SOURCES)


# Rules


def test_a_rule_is_worth_what_is_lost_without_it(given: Given, capsys: pytest.CaptureFixture[str]) -> None:
    def without(rule: str, brain: Brain, documents: Sequence[Document]) -> Callable[[str], list[str]]:
        return (lambda question: []) if rule == "finding" else searching(brain, documents)

    figures = rules.report([NAMED["medline"]], given(MEDLINE), ("finding", "none"), without, settled=0)
    expected = {"all rules": 1.0, "finding": 0.0, "none": 1.0}
    assert figures == {"articles": {"recall@10": expected, "MRR": expected}}
    assert "articles, recall@10            1.000      -1.000      +0.000" in capsys.readouterr().out


def test_without_rules_to_leave_out_nothing_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.report([NAMED["notes"]], None, ()) == {}
    assert "no rule that can be left out" in capsys.readouterr().out


@pytest.mark.parametrize("rule", seam.RULES)
def test_each_rule_of_the_seam_can_be_left_out(rule: str) -> None:
    with filled(Store("s", LAMPS, ())) as (brain, _):
        assert "short" in seam.searching_without(rule, brain, LAMPS)("lamp")


# Learning


def test_the_stream_has_its_favourites_and_leaves_two_fifths_alone() -> None:
    groups, stream = learning.planned(100, 500)
    assert {group: len(numbers) for group, numbers in groups.items()} == {
        "often": 6,
        "seldom": 54,
        "never": 40,
        "all": 100,
    }
    asked = [turn.question for turn in stream]
    assert not set(asked) & set(groups["never"])
    assert 0.4 < sum(number in groups["often"] for number in asked) / 500 < 0.6
    assert learning.planned(100, 500)[1] == stream


def test_agents_learn_on_copies_of_one_store(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "signals_needed", dict)
    texts = ("red lamp", "blue lamp", "green lamp", "lamp shade", "lamp cord", "lamp bulb", "door", "window")
    documents = tuple(Document(str(number), text) for number, text in enumerate(texts))
    questions = tuple(Question(text, frozenset([str(number)])) for number, text in enumerate(texts))
    figures = learning.report([Store("s", documents, questions)], turns=(2, 6))
    assert list(figures) == [
        "no signals",
        *(f"{agent.title}, {turns} turns" for agent in learning.AGENTS for turns in (2, 6)),
        "signals",
    ]
    assert figures["no signals"]["all"] == 1.0
    assert all(-1 <= figures["names nothing, 6 turns"][group] <= 0 for group in ("often", "seldom", "never", "all"))
    assert "8 notes, 8 questions" in capsys.readouterr().out


def test_signals_are_counted_until_the_score_has_reached_the_bound() -> None:
    up = learning.signals_until("task_completed", lambda score: score > 0.51, others=0, named=True)
    further = learning.signals_until("task_completed", lambda score: score > 0.6, others=0, named=True)
    assert 1 == up < further < 20


def test_a_question_loses_a_word_every_second_time() -> None:
    turn = learning.Turn(0, leaves_out=0.7, word=0.4, lies=0, slips=0, which=0, kind=0)
    assert learning.reworded("when did we move", turn) == "when we move"
    assert learning.reworded("we move", turn) == "we move"
    assert learning.reworded("when did we move", learning.Turn(0, 0.2, 0.4, 0, 0, 0, 0)) == "when did we move"


# Speed


def test_everybody_is_asked_the_same_and_finds_it(tmp_path: Path) -> None:
    documents, questions = speed.made(40)
    assert (documents, questions) == speed.made(40)
    speed.write(tmp_path, documents)
    table = speed.fts5(tmp_path / "fts5.db", documents)(questions[0])
    assert speed.grep(tmp_path)(questions[0]).returncode == 0
    with speed.served(tmp_path) as find:
        ours = find(questions[0])["structuredContent"]["results"]
    assert {ours[0]["name"]} <= {name for (name,) in table}

"""Tasks of every kind by the commands: served, answered, collected, and given to `meta-evaluate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rubrica.serve.pages import guide
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.forms.base import UNSURE, Form
from rubrica.study.forms.definition import read_form, read_summaries
from rubrica.study.forms.units import Units
from support.served import new_store

FORMS = Path(__file__).parents[3] / "examples" / "study" / "forms"
SYSTEMS = "abcd"
MEASURES = {
    "likert": "coherence",
    "direct": "adequacy",
    "pair": "preference",
    "ranking": "rank_score",
    "spans": "mqm",
    "faithful": "faithfulness",
}


@pytest.fixture
def summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write summaries of four systems, the later the better, and scores by a metric that knows it."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {
            "instance_id": f"d{n}",
            "summarizer_id": system,
            "summarizer_type": "peer",
            "summary": [f"Fact {k} of {n}." for k in range(4)],
            "document": "The document.",
            "reference": "The reference.",
            "metrics": {"length": SYSTEMS.index(system) + n / 10},
        }
        for n in range(3)
        for system in SYSTEMS
    ]
    Path("summaries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "summaries.jsonl"


def quality(system: str) -> int:
    return SYSTEMS.index(system)


def likert(form: Form, item: Any) -> dict[int, str]:
    return {place: str(1 + quality(item.source)) for place in range(4)}


def direct(form: Form, item: Any) -> dict[int, str]:
    return {0: str(25 * quality(item.source))}


def pair(form: Form, item: Any) -> dict[int, str]:
    first, second = (quality(statement["id"]) for statement in item.statements)
    return {0: "0" if first > second else "1"}


def ranking(form: Form, item: Any) -> dict[int, str]:
    return {place: str(4 - quality(s["id"])) for place, s in enumerate(item.statements)}


def spans(form: Form, item: Any) -> dict[int, str]:
    error = '{"start":0,"end":4,"category":"grammar","severity":"minor"}'
    return {0: "50"} | dict.fromkeys(range(1, 4 - quality(item.source)), error)


def faithful(form: Form, item: Any) -> dict[int, str]:
    return {place: "y" if place <= quality(item.source) else "n" for place in range(4)}


RATERS: dict[str, Callable[[Form, Any], dict[int, str]]] = {
    "likert": likert, "direct": direct, "pair": pair, "ranking": ranking, "spans": spans,
    "faithful": faithful,
}  # fmt: skip


def answered(kind: str, summaries: str) -> StudyDatabase:
    """Return a study in which two annotators answered everything as `RATERS` do."""
    form = read_form(FORMS / f"{kind}.toml")
    items = form.items(read_summaries(form, [summaries]), 0)
    store = new_store(Path("study.db"), items, people=2, form=form)
    for annotator, task in list(store.all_assigned()):
        for place, value in RATERS[kind](form, task.item).items():
            store.answer(annotator.id, task.task, place, form.clean(task.item, place, value))
        store.open(annotator.id, task.task)
        store.submit(annotator.id, task.task)
    return store


@pytest.mark.parametrize("kind", RATERS)
def test_collected_rows_are_what_meta_evaluate_reads(
    kind: str, rubrica: Any, summaries: str
) -> None:
    answered(kind, summaries).close()
    assert rubrica("study", "collect", "study.db", "-o", "human.jsonl").code == 0
    words = ["--scores", summaries, "human.jsonl", "--human", MEASURES[kind], "--measures", "length",
             "--coefficients", "kendall", "--rounds", 9, "--skip-summary-level", "--skip-global"]  # fmt: skip
    answer = rubrica("meta-evaluate", *words, "--format", "json")
    assert answer.code == 0, answer.err
    assert f'"human":"{MEASURES[kind]}"' in answer.out.replace(" ", "")
    rows = [json.loads(line) for line in Path("human.jsonl").read_text().splitlines()]
    means = {
        s: [r["metrics"][MEASURES[kind]] for r in rows if r["summarizer_id"] == s] for s in "ad"
    }
    assert max(means["a"]) < min(means["d"])


def test_ratings_and_answers_are_written_by_the_ending(rubrica: Any, summaries: str) -> None:
    store = answered("likert", summaries)
    store.answer(1, 1, -2, "Odd.")
    store.close()
    words = ["study", "collect", "study.db", "-o", "r.csv", "--answers-output", "a.jsonl"]
    assert rubrica(*words).code == 0
    words = ["study", "judgments", "r.csv", "--kind", "likert", "--dimensions", "fluency"]
    assert rubrica(*words, "-o", "rows.jsonl").code == 0
    assert len(Path("rows.jsonl").read_text().splitlines()) == 12
    answers = [json.loads(line) for line in Path("a.jsonl").read_text().splitlines()]
    assert len(answers) == 24
    assert [row["comment"] for row in answers if "comment" in row] == ["Odd."]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--form", "f.toml"], 2, "--form needs --summaries"),
        (["--form", "f.toml", "--write", "w.csv"], 2, "a study has one kind of tasks"),
        (["--form", "f.toml", "--summaries", "s.jsonl"], 1, "key 'kind' is missing; use one of"),
    ],
)
def test_faulty_words_are_refused_and_leave_no_file(
    words: list[str], code: int, message: str, rubrica: Any, summaries: str
) -> None:
    Path("f.toml").write_text("title = 'x'")
    answer = rubrica("study", "serve", "new.db", "--port", 0, *words)
    assert (answer.code, message in answer.err) == (code, True), answer.err
    assert not Path("new.db").exists()


def test_documents_can_be_in_a_file_of_their_own(rubrica: Any, summaries: str) -> None:
    rows = [json.loads(line) for line in Path(summaries).read_text().splitlines()]
    documents = {row["instance_id"]: row.pop("document") for row in rows}
    Path(summaries).write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("documents.jsonl").write_text(
        "".join(
            json.dumps({"instance_id": name, "document": f"{text} {name}"}) + "\n"
            for name, text in documents.items()
        )
    )
    served = ["study", "serve", "new.db", "--port", 0]
    form = ["--form", FORMS / "likert.toml", "--summaries", summaries]
    answer = rubrica(*served, *form)
    assert answer.code == 1
    assert "summaries.jsonl: no documents, which the form shows" in answer.err
    assert "Pass their file with --documents" in answer.err
    exported = ["study", "export", *form[1:], "--tool", "potato", "-o", "out"]
    assert rubrica(*exported, "--documents", "documents.jsonl").code == 0
    likert = read_form(FORMS / "likert.toml")
    items = likert.items(read_summaries(likert, [summaries], ["documents.jsonl"]), 0)
    assert items[0].context == (("Document", "The document. d0"),)
    Path("documents.jsonl").write_text('{"instance_id": "d0", "document": "The document."}')
    answer = rubrica(*served, *form, "--documents", "documents.jsonl")
    assert "no document of this input in documents.jsonl" in answer.err
    Path("f.toml").write_text(
        (FORMS / "likert.toml").read_text().replace('show = ["document"]', "")
    )
    answer = rubrica(*served, "--form", "f.toml", *form[2:], "--documents", "documents.jsonl")
    assert "the form shows no documents" in answer.err
    assert not Path("new.db").exists()


def test_a_study_in_the_order_of_value_tells_when_to_stop(rubrica: Any, summaries: str) -> None:
    answered("direct", summaries).close()
    words = ["study", "stop", "study.db", "--systems", "a", "d", "--human", "adequacy"]
    answer = rubrica(*words, "--alpha", 0.8)
    assert answer.code == 0
    assert "3 of 3 inputs judged; mean difference -0.750 of the scale" in answer.out
    assert "stop: d is better" in answer.out
    assert "go on" in rubrica(*words, "--alpha", 0.001).out
    assert rubrica(*words[:4], "a", "--human", "adequacy").code == 2
    served = ["study", "serve", "new.db", "--form", FORMS / "direct.toml", "--summaries", summaries]
    answer = rubrica(*served, "--task-order", "value")
    assert "--task-order value needs --task-scores" in answer.err
    Path("few.jsonl").write_text(Path(summaries).read_text().splitlines()[0])
    answer = rubrica(*served, "--port", 0, "--task-order", "value", "--task-scores", "few.jsonl")
    assert "no scores of input 'd1'" in answer.err
    assert not Path("new.db").exists()


@pytest.mark.parametrize("tool", ["label-studio", "argilla", "potato", "mturk"])
def test_a_study_goes_to_another_tool_and_comes_back(
    tool: str, rubrica: Any, summaries: str
) -> None:
    answered("pair", summaries).close()
    assert rubrica("study", "collect", "study.db", "-o", "before.jsonl").code == 0
    answer = rubrica("study", "export", "study.db", "--tool", tool, "-o", "out")
    assert "out: 6 tasks, 12 answered; keep key.json" in answer.err
    files = {
        "label-studio": "tasks.json",
        "argilla": "records.json",
        "potato": "annotation_output",
        "mturk": "results.csv",
    }
    words = ["study", "import", f"out/{files[tool]}", "--tool", tool, "--key", "out/key.json"]
    answer = rubrica(*words, "-o", "back.db")
    assert "back.db: 12 answered tasks of 2 annotators" in answer.err
    assert rubrica("study", "collect", "back.db", "-o", "after.jsonl").code == 0
    before, after = (
        sorted(Path(f).read_text().splitlines()) for f in ("before.jsonl", "after.jsonl")
    )
    assert after == before
    assert "back.db: cannot be written: already exists" in rubrica(*words, "-o", "back.db").err


def test_tasks_go_to_another_tool_without_a_server(rubrica: Any, summaries: str) -> None:
    words = ["study", "export", FORMS / "likert.toml", "--tool", "potato", "-o", "out"]
    assert "a form (.toml) needs --summaries" in rubrica(*words).err
    answer = rubrica(*words, "--summaries", summaries)
    assert "out: 12 tasks, 0 answered" in answer.err
    words = ["study", "import", "out", "--tool", "potato", "-o", "new.db"]
    assert "--tool needs --key" in rubrica(*words).err
    answer = rubrica(*words, "--key", "out/key.json")
    assert (answer.code, "pass the folder annotation_output" in answer.err) == (1, True)
    Path("none.json").write_text("[]")
    words = ["study", "import", "none.json", "--tool", "label-studio", "--key", "out/key.json"]
    assert "none.json: no answers" in rubrica(*words, "-o", "new.db").err
    assert "--output must end in .db" in rubrica(*words, "-o", "new.jsonl").err
    assert not Path("new.db").exists()


def test_annotators_of_content_units_may_be_unsure(
    rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rubrica.serve.server.serve", lambda *_, **__: None)
    Path("t.csv").write_text(
        "eventId,summaryId,qIdList,summary_text,statement_1,statement_2\n"
        "d,s,\"['1', '2']\",a text,a fact,another\n"
    )
    new = ["study", "serve", "s.db", "--port", 0, "--unsure"]
    assert (
        "--unsure needs --tasks; a form has the key unsure" in rubrica(*new, "--write", "t.csv").err
    )
    assert rubrica(*new, "--tasks", "t.csv", "--annotators", 1).code == 0
    store = StudyDatabase("s.db")
    [(annotator, task)] = store.all_assigned()
    assert "<kbd>X</kbd>" in guide("", store.form)
    assert "<kbd>X</kbd>" not in guide("", Units())
    for place, value in enumerate(("p", UNSURE)):
        cleaned = store.form.clean(task.item, place, value)
        store.answer(annotator.id, task.task, place, cleaned)
    assert store.form.missing(task.item, {0: "p", 1: UNSURE}) == ""
    store.submit(annotator.id, task.task)
    store.close()
    assert rubrica("study", "collect", "s.db", "-o", "r.csv").code == 0
    assert rubrica("study", "human", "r.csv", "-o", "human.jsonl", "--rounds", 0).code == 0
    [row] = [json.loads(line) for line in Path("human.jsonl").read_text().splitlines()]
    assert row["metrics"] == {"litepyramid_recall": 1.0}
    words = ["study", "export", "t.csv", "--tool", "label-studio", "--unsure", "-o", "out"]
    assert rubrica(*words).code == 0
    assert '<Choice value="Unsure"' in Path("out/config.xml").read_text()

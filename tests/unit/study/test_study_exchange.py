"""Studies in the files of other tools: what goes out comes back, and what does not fit is an error."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError, OutputError, UnknownNameError
from rubrica.serve.campaigns import campaign_of, create_study
from rubrica.serve.exchange import judgments_of
from rubrica.serve.study_database import StudyDatabase
from rubrica.study.exchange.answers import unanswered
from rubrica.study.exchange.campaign import Campaign, Response, make_campaign, read_key, write_key
from rubrica.study.exchange.formats import FORMATS, read_campaign, write_campaign
from rubrica.study.exchange.slots import layout_of
from rubrica.study.forms.base import UNSURE, Form, Item
from rubrica.study.forms.definition import KINDS, read_form
from rubrica.study.forms.scores import score_rows
from rubrica.study.forms.spans import Span, Spans
from rubrica.study.forms.units import Units, Writing

FORMS = Path(__file__).parents[3] / "examples" / "study" / "forms"
# Where each tool leaves its answers in the folder of an export.
ANSWERS = {
    "label-studio": "tasks.json",
    "argilla": "records.json",
    "potato": "annotation_output",
    "mturk": "results.csv",
}
IMPOSSIBLE = {
    ("argilla", "direct"): "Argilla has no scale from 0 to 100",
    ("mturk", "spans"): "layouts cannot mark errors",
}
HOSTILE = "A <b>bold</b> & “quoted” 😀 $text_1 claim.\nשלום. Second sentence of it."


def summaries() -> list[EvalInstance]:
    return [
        EvalInstance(
            f"d{n}", system, "peer",
            Fields({"summary": f"{system}{n}: {HOSTILE}", "documents": [f"Document {n} <i>."], "references": ["R1.", "R2."][: n + 1]}),
        )
        for n in range(2)
        for system in ("sys/a", "sys b", "=c")
    ]  # fmt: skip


def form_of(kind: str) -> Form:
    if kind == "rate":
        return Units()
    form: Form = msgspec.structs.replace(
        read_form(FORMS / f"{kind}.toml"), show=("document", "reference")
    )
    return msgspec.structs.replace(form, score=False) if isinstance(form, Spans) else form


def items_of(form: Form) -> list[Item]:
    if form.kind != "rate":
        return form.items(summaries(), 0)
    return [
        Item("rate", f"d{n}", "sys", f"Text {n}. {HOSTILE}", tuple(
            {"id": f"u{k}", "text": f"Statement {k} of {n} <i>", "known": "n" if k == 2 else ""}
            for k in range(2 + n)
        ))
        for n in range(3)
    ]  # fmt: skip


def answered(form: Form, *, people: tuple[str, ...] = ("ann-1", "Bo Ó")) -> Campaign:
    """Return a campaign whose annotators answered at random, some with remarks and without times."""
    chance = random.Random(3)
    campaign = make_campaign(form, items_of(form), instructions="Read *all* of it.")
    responses = []
    for number, (name, item) in enumerate(campaign.tasks.items()):
        for annotator in people:
            answers = {}
            for place, question in enumerate(form.questions(item)):
                values = {
                    "choice": [o.value for o in question.options],
                    "slider": ["0", "73", "100"],
                    "text": ["  It says\n<no> 😀 "],
                }
                answers[place] = form.clean(item, place, chance.choice(values[question.control]))
            if isinstance(form, Spans):
                start = item.shown.index("😀") - 3
                span = Span(start, start + 8, form.categories[1], "major")
                answers[1] = form.clean(item, 1, msgspec.json.encode(span).decode())
            if form.kind == "ranking":
                ranks = chance.sample(range(1, 4), 3)
                answers = {place: str(rank) for place, rank in enumerate(ranks)}
            remarks = {"flag": "1", "comment": "odd <x>"} if number == 1 else {}
            times = (1.5e9 + number + 0.25, 1.5e9 + number + 60.123456)
            responses.append(Response(name, annotator, answers, *times, remarks))
    return replace(campaign, responses=tuple(responses))


def as_set(campaign: Campaign) -> set[str]:
    return {
        repr(
            replace(
                r, answers=dict(sorted(r.answers.items())), remarks=dict(sorted(r.remarks.items()))
            )
        )
        for r in campaign.responses
    }


def exchanged(tool: str, campaign: Campaign, folder: Path) -> Campaign:
    write_campaign(tool, campaign, str(folder))
    return read_campaign(tool, str(folder / ANSWERS[tool]), str(folder / "key.json"))


@pytest.mark.parametrize("tool", FORMATS)
@pytest.mark.parametrize("kind", ["rate", *KINDS])
def test_a_study_comes_back_from_a_tool_as_it_was(tool: str, kind: str, tmp_path: Path) -> None:
    people = ("ann-1", "bo@example.org")
    campaign = answered(form_of(kind), people=people)
    if (tool, kind) in IMPOSSIBLE:
        with pytest.raises(DataError, match=IMPOSSIBLE[tool, kind]):
            write_campaign(tool, campaign, str(tmp_path / "out"))
        assert not (tmp_path / "out").exists()
        return
    back = exchanged(tool, campaign, tmp_path / "out")
    assert back.tasks == campaign.tasks
    assert back.form == campaign.form
    assert (back.title, back.instructions) == (campaign.title, campaign.instructions)
    assert as_set(back) == as_set(campaign)
    assert unanswered(back) == 0


@pytest.mark.parametrize("kind", ["rate", *KINDS])
def test_every_text_is_under_its_own_heading(kind: str) -> None:
    # Tasks have one reference or two, so that headings differ between tasks.
    campaign = answered(form_of(kind))
    layout = layout_of(campaign)
    for item in campaign.tasks.values():
        texts = layout.texts(item)
        shown = [(title, texts[name]) for name, title in layout.headings if texts[name]]
        assert shown == campaign.form.panels(item)


@pytest.mark.parametrize("tool", FORMATS)
def test_what_annotators_could_see_names_no_system(tool: str, tmp_path: Path) -> None:
    write_campaign(tool, answered(form_of("pair"), people=("ann",)), str(tmp_path / "out"))
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    seen = "".join(path.read_text("utf-8") for path in files if path.name != "key.json")
    assert "Summary A" in seen
    assert not any(f'"{system}"' in seen for system in ("sys/a", "sys b", "=c", "d0", "d1"))


@pytest.mark.parametrize("kind", ["rate", *KINDS])
def test_a_study_file_has_the_answers_of_the_campaign(kind: str, tmp_path: Path) -> None:
    campaign = answered(form_of(kind))
    path = str(tmp_path / "study.db")
    create_study(path, campaign)
    store = StudyDatabase(path)
    try:
        back, rows = campaign_of(store), score_rows(store.form, judgments_of(store))
    finally:
        store.close()
    assert as_set(back) == as_set(campaign)
    assert back.tasks == campaign.tasks
    assert (back.title, back.instructions) == (campaign.title, campaign.instructions)
    scores = [
        (campaign.tasks[r.task].event, campaign.form.scores(campaign.tasks[r.task], r.answers))
        for r in campaign.responses
    ]
    assert {row.summarizer_id for row in rows} == {
        s for _, by in scores for s, v in by.items() if v
    }
    with pytest.raises(OutputError, match="already exists"):
        create_study(path, campaign)


def test_without_times_nobody_counts_as_too_fast(tmp_path: Path) -> None:
    campaign = answered(form_of("likert"))
    untimed = [replace(response, opened=None, submitted=None) for response in campaign.responses]
    path = str(tmp_path / "study.db")
    create_study(path, replace(campaign, responses=tuple(untimed)))
    store = StudyDatabase(path)
    try:
        assert {judgment.seconds for judgment in judgments_of(store)} == {None}
        assert len(judgments_of(store)) == len(campaign.responses)
    finally:
        store.close()


def test_an_unsure_answer_comes_back_as_one(tmp_path: Path) -> None:
    form = msgspec.structs.replace(form_of("likert"), unsure=True)
    campaign = answered(form)
    unsure = replace(
        campaign.responses[0], answers=dict.fromkeys(campaign.responses[0].answers, UNSURE)
    )
    back = exchanged("label-studio", replace(campaign, responses=(unsure,)), tmp_path / "out")
    assert set(back.responses[0].answers.values()) == {UNSURE}


def label_studio_export(campaign: Campaign, folder: Path) -> list[dict[str, Any]]:
    write_campaign("label-studio", campaign, str(folder))
    tasks: list[dict[str, Any]] = json.loads((folder / "tasks.json").read_text("utf-8"))
    return tasks


def label_studio_import(tasks: Any, folder: Path) -> Campaign:
    path = folder / "export.json"
    path.write_text(tasks if isinstance(tasks, str) else json.dumps(tasks), "utf-8")
    return read_campaign("label-studio", str(path), str(folder / "key.json"))


def test_old_offsets_in_utf16_units_are_recognized_by_the_marked_text(tmp_path: Path) -> None:
    campaign = answered(form_of("spans"), people=("ann",))
    tasks = label_studio_export(campaign, tmp_path / "out")
    marked = [
        result["value"]
        for task in tasks
        for result in task["annotations"][0]["result"]
        if result["type"] == "labels"
    ]
    for value in marked:
        value["end"] += 1  # the emoji is two units
    assert as_set(label_studio_import(tasks, tmp_path / "out")) == as_set(campaign)
    marked[0]["text"] = "other words"
    with pytest.raises(DataError, match="are not 'other words'"):
        label_studio_import(tasks, tmp_path / "out")


def test_skipped_annotations_do_not_count_and_open_questions_are_counted(tmp_path: Path) -> None:
    tasks = label_studio_export(answered(form_of("likert"), people=("a", "b")), tmp_path / "out")
    tasks[0]["annotations"][0]["was_cancelled"] = True
    tasks[1]["annotations"][0]["result"] = []
    back = label_studio_import(tasks, tmp_path / "out")
    assert len(back.responses) == 2 * len(tasks) - 1
    assert unanswered(back) == 1


BROKEN = [
    (lambda tasks: {"tasks": tasks}, "the file must be a list, found dict"),
    (lambda tasks: [*tasks, 3], "task 7 must be an object, found int"),
    (lambda tasks: "[" * 100_000, "nested too deeply|not valid JSON"),
    (lambda tasks: "not json", "not valid JSON"),
    (lambda tasks: edited(tasks, "data", []), "task 1: data must be an object"),
    (lambda tasks: edited(tasks, "data", {"rubrica_task": "task-9"}), "'task-9' is not in the key"),
    (lambda tasks: edited(tasks, "data", {"rubrica_task": {}}), "must be a text or a number"),
    (lambda tasks: edited(tasks, "annotations", "x"), "annotations must be a list"),
    (lambda tasks: [tasks[0], tasks[0]], "two answers of 'ann'"),
    (lambda tasks: reworded(tasks), "'text_1' is not the one of the key"),
    (lambda tasks: revalued(tasks, {"choices": ["9 stars"]}), "question 'coherence' is '9 stars'. An answer is"),
    (lambda tasks: revalued(tasks, {"choices": [{}]}), "coherence must be a text or a number"),
    (lambda tasks: revalued(tasks, []), "coherence must be an object, found list"),
]  # fmt: skip


def edited(tasks: list[dict[str, Any]], name: str, value: Any) -> list[dict[str, Any]]:
    return [tasks[0] | {name: value}, *tasks[1:]]


def reworded(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return edited(tasks, "data", tasks[0]["data"] | {"text_1": "another text"})


def revalued(tasks: list[dict[str, Any]], value: Any) -> list[dict[str, Any]]:
    tasks[0]["annotations"][0]["result"][0]["value"] = value
    return tasks


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_a_file_that_does_not_fit_is_an_error_that_says_where(
    change: Any, message: str, tmp_path: Path
) -> None:
    tasks = label_studio_export(answered(form_of("likert"), people=("ann",)), tmp_path / "out")
    with pytest.raises(DataError, match=message):
        label_studio_import(change(tasks), tmp_path / "out")


@pytest.mark.parametrize(
    "value", [{}, {"start": 0, "end": 3, "labels": 3}, {"start": 0, "end": 3, "labels": ["x"]}, {"start": -9, "end": 2, "labels": ["grammar"]}, {"start": 1e99, "end": True}],
)  # fmt: skip
def test_spans_of_any_shape_are_refused(value: Any, tmp_path: Path) -> None:
    tasks = label_studio_export(answered(form_of("spans"), people=("ann",)), tmp_path / "out")
    [result] = [r for r in tasks[0]["annotations"][0]["result"] if r["type"] == "labels"]
    result["value"] = value
    with pytest.raises(DataError, match=r"task 1: |task-1, annotator 'ann': "):
        label_studio_import(tasks, tmp_path / "out")


@pytest.mark.parametrize("tool", ["argilla", "potato"])
@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [[]], [1], {"a": 1}, {"a": [[1, 2]]}])
def test_values_of_any_type_are_refused_or_read_but_never_crash(
    tool: str, value: Any, tmp_path: Path
) -> None:
    write_campaign(tool, answered(form_of("likert"), people=("ann",)), str(tmp_path / "out"))
    path = tmp_path / "out" / ANSWERS[tool]
    path = path / "ann" / "user_state.json" if path.is_dir() else path
    content = json.loads(path.read_text("utf-8"))
    record = content[0] if isinstance(content, list) else content
    key, messages = str(tmp_path / "out" / "key.json"), list[str]()
    for name in list(record):
        path.write_text(json.dumps(_with(content, name, value)), "utf-8")
        try:
            messages.append(f"{len(read_campaign(tool, str(path), key).responses)} responses")
        except DataError as error:
            messages.append(str(error) if path.name in str(error) else "")
    assert len(messages) == len(record)
    assert all(messages)


def _with(content: Any, name: str, value: Any) -> Any:
    if isinstance(content, list):
        return [content[0] | {name: value}, *content[1:]]
    return content | {name: value}


def test_results_as_mechanical_turk_writes_them_are_read(tmp_path: Path) -> None:
    campaign = answered(form_of("likert"), people=("ann",))
    write_campaign("mturk", campaign, str(tmp_path / "out"))
    path, key = tmp_path / "out" / "results.csv", str(tmp_path / "out" / "key.json")
    content = path.read_text("utf-8").replace(
        "2017-07-14T02:40:00.250000Z", "Thu Jul 13 19:40:00 PDT 2017"
    )
    path.write_text(content.replace("Submitted", "Rejected", 1), "utf-8")
    back = read_campaign("mturk", str(path), key)
    assert len(back.responses) == len(campaign.responses) - 1
    path.write_text(content, "utf-8")
    assert read_campaign("mturk", str(path), key).responses[0].opened == 1.5e9
    path.write_text(content.replace("Document 0", "Document 9"), "utf-8")
    with pytest.raises(DataError, match=r"results.csv:\d+: .*'text_2' is not the one of the key"):
        read_campaign("mturk", str(path), key)


def test_a_layout_of_mechanical_turk_asks_every_question(tmp_path: Path) -> None:
    write_campaign("mturk", answered(form_of("rate")), str(tmp_path / "out"))
    layout = (tmp_path / "out" / "layout.html").read_text("utf-8")
    assert layout.count("<fieldset>") == 6
    assert "${statement_4_text}" in layout
    assert 'name="statement_2" value="Not present" required' in layout
    tasks = (tmp_path / "out" / "tasks.csv").read_text("utf-8")
    assert "<b>" not in tasks
    assert "\n=" not in tasks


def test_the_state_that_potato_2_leaves_is_read(tmp_path: Path) -> None:
    form = msgspec.structs.replace(form_of("spans"), score=True)
    write_campaign("potato", make_campaign(form, items_of(form)), str(tmp_path / "out"))
    span = {"schema": "task_errors", "name": "grammar / major", "title": "grammar / major", "start": 7, "end": 24, "id": "x", "target_field": "summary"}  # fmt: skip
    state = {
        "user_id": "ann", "current_instance_index": 0, "prestudy_passed": None,
        "instance_id_to_behavioral_data": {"task-1": {"session_start": 1794986379.9045975, "session_end": None, "annotation_changes": [{"timestamp": 1794986380.433591}]}},
        "instance_id_to_label_to_value": {"task-1": [[{"schema": "esa", "name": "slider"}, "73"], [{"schema": "task_comment", "name": "text_box"}, "because <i>"]]},
        "instance_id_to_span_to_value": {"task-1": [[span, 1]]},
    }  # fmt: skip
    folder = tmp_path / "annotation_output" / "ann"
    folder.mkdir(parents=True)
    (folder / "user_state.json").write_text(json.dumps(state), "utf-8")
    [response] = read_campaign(
        "potato", str(folder.parent), str(tmp_path / "out" / "key.json")
    ).responses
    error = '{"start":7,"end":24,"category":"grammar","severity":"major"}'
    assert response.answers == {0: "73", 1: error}
    assert response.remarks == {"comment": "because <i>"}
    assert (response.opened, response.submitted) == (1794986379.904598, 1794986380.433591)


def test_files_of_potato_1_are_read(tmp_path: Path) -> None:
    campaign = answered(form_of("direct"), people=("ann",))
    write_campaign("potato", replace(campaign, responses=()), str(tmp_path / "out"))
    names = [
        question.name for question in campaign.form.questions(next(iter(campaign.tasks.values())))
    ]
    row = {
        "user_id": "ann", "instance_id": "task-1", "displayed_text": "x", "span_annotations": {},
        "label_annotations": {"slider": {names[0]: "73"}, "task_flag": {"Yes": "1"}, "task_comment": {"text_box": "odd"}},
        "behavioral_data": {"tracker": "{}"},
    }  # fmt: skip
    path, key = tmp_path / "annotated_instances.jsonl", str(tmp_path / "out" / "key.json")
    path.write_text(json.dumps(row) + "\n", "utf-8")
    [response] = read_campaign("potato", str(tmp_path), key).responses
    assert response == Response(
        "task-1", "ann", {0: "73"}, None, None, {"flag": "1", "comment": "odd"}
    )
    path.write_text(json.dumps(row | {"span_annotations": {"errors": [1]}}) + "\n", "utf-8")
    with pytest.raises(DataError, match=r"annotated_instances.jsonl:1: task-1: spans of Potato 1"):
        read_campaign("potato", str(path), key)
    path.unlink()
    with pytest.raises(DataError, match=r"no folder of an annotator with user_state.json"):
        read_campaign("potato", str(tmp_path), key)


def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    campaign = answered(form_of("likert"), people=("../up",))
    with pytest.raises(DataError, match=r"'../up' cannot name one; pass --pseudonymize"):
        write_campaign("potato", campaign, str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_a_key_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    write_key(str(path), answered(form_of("likert")))
    good = json.loads(path.read_text("utf-8"))
    assert read_key(str(path)).form == form_of("likert")
    bad = [
        [], {}, good | {"version": 2}, good | {"form": {"kind": "stars"}}, good | {"tasks": [3]},
        good | {"tasks": [good["tasks"][0]] * 2},
        good | {"form": msgspec.to_builtins(form_of("pair"))},
    ]  # fmt: skip
    for content in bad:
        path.write_text(json.dumps(content), "utf-8")
        with pytest.raises(
            DataError, match=r"not a key: .*key.json that rubrica study export wrote"
        ):
            read_key(str(path))


def test_what_tools_cannot_show_is_said(tmp_path: Path) -> None:
    writing = make_campaign(Writing(), [Item("write", "d", "r", "Text.")])
    for campaign, message in (
        (writing, "other tools cannot show tasks to write units"),
        (make_campaign(Units(), []), "there are no tasks"),
        (make_campaign(_reserved(), items_of(_reserved())), "'text_1', which is reserved"),
    ):
        with pytest.raises(DataError, match=message):
            write_campaign("label-studio", campaign, str(tmp_path / "out"))
    with pytest.raises(UnknownNameError, match="label-studio"):
        write_campaign("labelstudio", writing, str(tmp_path / "out"))


def _reserved() -> Form:
    form: Any = form_of("text")
    question = msgspec.structs.replace(form.asked[0], name="text_1")
    renamed: Form = msgspec.structs.replace(form, asked=(question,))
    return renamed

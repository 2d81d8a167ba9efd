"""The report of systems, as data."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import Languages
from rubrica.errors import DataError, UnknownNameError
from rubrica.reports.run_facts import scores_date, title_for
from rubrica.reports.scored_texts import InputTexts, ScoredRows, SummaryTexts
from rubrica.reports.systems import SystemsReport, systems_report
from rubrica.reports.texts import duplicates, text_facts
from rubrica.statistics.intervals import Resampling


def row(instance: str, system: str, kind: str = "peer", **metrics: Any) -> dict[str, Any]:
    ids = {"instance_id": instance, "summarizer_id": system, "summarizer_type": kind}
    return {**ids, "metrics": metrics, "signatures": ["ter|case:mixed|v:1"]}


@pytest.fixture
def report(tmp_path: Path) -> Any:
    def make(*rows: dict[str, Any], **options: Any) -> SystemsReport:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        return systems_report(
            ScoredRows.read([str(path)]), resampling=Resampling(rounds=50), **options
        )

    return make


def test_values_are_by_system_input_and_measure(report: Any) -> None:
    made = report(row("d1", "a", x=1.0), row("d2", "b", x=4), row("d1", "b", x=None))
    assert made.systems == ("a", "b")
    assert made.values == [[[1.0], [None]], [[None], [4.0]]]
    assert made.pairs[0][0].inputs == 1
    assert made.pairs[0][0].p is None


def test_references_are_left_out_and_counted(report: Any) -> None:
    rows = row("d1", "a", x=1.0), row("d1", "A", "reference", x=9.0)
    assert report(*rows).systems == ("a",)
    assert report(*rows).left_out == 1
    assert report(*rows, include_references=True).references == [False, True]
    with pytest.raises(DataError, match="only rows of references"):
        report(rows[1])


def test_f_leads_and_jackknifed_values_do_not(report: Any) -> None:
    parts = {"recall": 1, "precision": 2, "f1": 3}
    metrics: dict[str, Any] = {"rouge-1": parts, "rouge-1_jk": parts, "ter": 5.0}
    made = report(row("d1", "a", **metrics))
    assert [m.name for m in made.measures if m.headline] == ["rouge-1.f1", "ter (sentence mean)"]
    assert [m.name for m in made.measures if m.lower_is_better] == ["ter (sentence mean)"]
    assert [m.name for m in made.measures if m.sentence_mean] == ["ter (sentence mean)"]


def test_files_of_one_run_are_merged_and_contradictions_told(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text(json.dumps(row("d1", "a", x=1.0) | {"signatures": []}))
    other.write_text(json.dumps(row("d1", "a", y=2.0) | {"signatures": []}))
    made = systems_report(ScoredRows.read([str(one), str(other)]))
    assert [m.name for m in made.measures] == ["x", "y"]
    other.write_text(json.dumps(row("d1", "a", x=2.0)))
    with pytest.raises(DataError, match=r"other\.jsonl:1: two different values of 'x'"):
        ScoredRows.read([str(one), str(other)])


def test_unknown_measures_and_unfitting_texts_are_told(report: Any) -> None:
    with pytest.raises(UnknownNameError, match="rouge-9"):
        report(row("d1", "a", x=1.0), measures=["rouge-9"])
    with pytest.raises(DataError, match="none of the 1 scored summaries"):
        report(row("d1", "a", x=1.0), texts=SummaryTexts({("d1", "z"): "text"}))


def test_the_same_rows_give_the_same_page(report: Any) -> None:
    rows = [row(f"d{i}", s, x=float(i * len(s))) for i in range(5) for s in ("a", "bb")]
    assert report(*rows).page() == report(*rows).page()


def test_text_facts_by_hand() -> None:
    document = "The cat sat on the mat. It slept."
    facts = text_facts(
        [("The cat sat down.", ["one two three four five six seven eight"], document)]
    )
    assert (facts.words, facts.relative_length, facts.copied) == (4, 0.5, 3)
    assert facts.novel == pytest.approx(1 / 3)
    assert facts.sentences is None
    # a b c occurs twice among four 3-word sequences.
    assert text_facts([(["a b c a b c"], None, None)]).repeated == pytest.approx(1 / 4)


def test_empty_summaries_are_counted_and_harmless() -> None:
    facts = text_facts([("", ["a reference"], "a document"), ("one word", None, None)])
    assert (facts.summaries, facts.empty) == (2, 1)
    assert text_facts([]).words is None


def test_duplicates_do_not_mind_blanks_and_case() -> None:
    texts = {("d1", "a"): "The  cat", ("d2", "a"): ["the", "cat"], ("d1", "b"): "a dog"}
    [found] = duplicates(texts)
    assert found.summaries == (("d1", "a"), ("d2", "a"))


def test_without_texts_equal_scores_tell_of_equal_outputs(report: Any) -> None:
    made = report(
        row("d1", "a", x=1.0, y=2.0),
        row("d1", "b", x=1.0, y=2.0),
        row("d1", "c", x=1.0, y=3.0),
        row("d2", "a", x=0.0, y=0.0),
        row("d2", "b", x=0.0, y=0.0),
        row("d3", "a", x=4.0, y=None),
        row("d3", "b", x=4.0, y=None),
    )
    (only,) = made.equal_scores
    assert only.systems == ("a", "b")
    assert only.inputs == ("d1", "d3"), "zeros tell nothing"


def test_texts_bring_their_languages(report: Any, tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    one = {"instance_id": "d1", "summarizer_id": "a", "summary": "x", "language": "he"}
    texts.write_text(json.dumps(one))
    rows = row("d1", "a", x=1.0), row("d2", "a", x=2.0)
    made = report(*rows, texts=SummaryTexts.read([str(texts)]))
    assert made.languages == [["he", ""]]
    assert made.equal_scores == ()
    texts.write_text(json.dumps(one | {"language": None}))
    assert report(*rows, texts=SummaryTexts.read([str(texts)])).languages is None


def test_inputs_bring_their_document_and_distinct_references() -> None:
    texts = SummaryTexts(
        summaries={("d1", "a"): "x", ("d1", "b"): "y"},
        references={("d1", "a"): ["one", ["two", "lines"]], ("d1", "b"): ["one", "three"]},
        languages={("d1", "b"): Languages("en", ("", "de"))},
        documents={"d1": "source"},
    )
    assert texts.of_input("d1", ["a", "b"]) == InputTexts(
        "source", ["one", "two\nlines", "three"], ["", "", "de"]
    )
    assert texts.of_input("d2", ["a", "b"]) == InputTexts(None, [], [])


def test_titles_name_the_data() -> None:
    assert title_for("Systems", ["data/news/scores.jsonl.gz"]) == "Systems: news/scores"
    assert title_for("Systems", ["a.jsonl", "b.jsonl", "a.jsonl"]) == "Systems: a and 1 more file"
    assert title_for("Systems", ["-"]) == "Systems"


def test_scores_have_the_date_of_their_newest_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("old", 0), ("new", 86_400 * 365)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (seconds, seconds))
    files = [str(tmp_path / name) for name in ("new", "old", "missing")]
    assert scores_date(files) == "1971-01-01"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert scores_date() == scores_date(files[2:]) == "1970-01-02"

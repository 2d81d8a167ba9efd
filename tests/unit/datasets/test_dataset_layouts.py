"""Data sets that come in more than one layout: each gives what the first one gives."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rubrica.datasets import setup_dataset
from rubrica.errors import DataError
from support.dataset_samples import SAMPLES
from support.dataset_samples.build import Tree, json_lines, put, table


def parquet(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def made(name: str, tree: Tree, folder: Path, **options: Any) -> dict[str, list[dict[str, Any]]]:
    put(folder / "raw", tree)
    done = setup_dataset(name, folder / "raw", folder / "out", offline=True, **options)
    return {
        file: [json.loads(line) for line in (done.folder / file).read_text("utf-8").splitlines()]
        for file in done.files
    }


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_llm_aggrefact_as_huggingface_keeps_it(tmp_path: Path) -> None:
    lines = SAMPLES["llm-aggrefact"]()
    pieces = {
        path.replace(".jsonl", "-00000-of-00001.parquet"): parquet(rows_of(text))
        for path, text in lines.items()
    }
    assert made("llm-aggrefact", pieces, tmp_path / "a") == made(
        "llm-aggrefact", lines, tmp_path / "b"
    )


def test_tldr_as_huggingface_keeps_it(tmp_path: Path) -> None:
    lines = SAMPLES["tldr"]()
    # There a column is in every row: null where OpenAI's file has none.
    pieces = {
        path.replace("axis_evals", "axis").replace(".json", "-0.parquet"): parquet(rows_of(text))
        for path, text in lines.items()
    }
    assert made("tldr", pieces, tmp_path / "a") == made("tldr", lines, tmp_path / "b")


def test_summeval_lists_are_called_as_their_file_without_its_number(tmp_path: Path) -> None:
    ((_, text),) = SAMPLES["summeval-lists"]().items()
    found = made("summeval-lists", {"test-00000-of-1.parquet": parquet(rows_of(text))}, tmp_path)
    assert found["test.metrics.jsonl"][1]["metrics"]["relevance"] == 3.0


def seahorse(*answers: tuple[str, str]) -> Tree:
    rows = [
        {
            "gem_id": "x-1",
            "worker_lang": "de",
            "model": "mt5",
            "article": "Der Artikel.",
            "summary": "Kurz.",
            "question": question,
            "answer": answer,
        }
        for question, answer in answers
    ]
    return {"data/test-00000-of-00001.parquet": parquet(rows)}


def test_seahorse_by_question_has_the_articles_too(tmp_path: Path) -> None:
    tree = seahorse(
        ("Can the summary be understood?", "Yes"),
        ("Is it free of repetition?", "No"),
        ("Is it grammatical?", "Yes"),
        ("Is all of it attributable to the article?", "No"),
        ("Does it capture the main idea(s)?", "Unsure"),
        ("question6", "Yes"),
    )
    found = made("seahorse", tree, tmp_path)
    (scores,) = found["test.metrics.jsonl"]
    assert scores["metrics"] == {
        "comprehensible": [1],
        "repetition": [0],
        "grammar": [1],
        "attribution": [0],
        "conciseness": [1],
    }
    assert found["test.documents.jsonl"][0]["documents"] == [{"text": "Der Artikel."}]
    with pytest.raises(DataError, match=r"parquet:1: unknown question: 'Is it"):
        made("seahorse", seahorse(("Is it short?", "Yes")), tmp_path / "b")


def test_two_files_of_one_split_are_told(tmp_path: Path) -> None:
    names = ["gem_id", "worker_lang", "summary", "model", *(f"question{n}" for n in range(1, 7))]
    text = table(names, delimiter="\t")
    with pytest.raises(DataError, match=r"2 files are called test\.tsv: .*give one"):
        made("seahorse", {"a/test.tsv": text, "b/test.tsv": text}, tmp_path)


@pytest.mark.parametrize(
    ("quoted", "plain"),
    [
        ('"""He"" said\ttwo."', '"He" said.'),
        ("'It' \"is\".", '"It" is, "he'),
    ],
)
def test_tables_with_tabs_may_quote_their_texts_or_not(
    quoted: str, plain: str, tmp_path: Path
) -> None:
    names = ["gem_id", "worker_lang", "summary", "model", *(f"question{n}" for n in range(1, 7))]

    def summaries(*texts: str) -> list[str]:
        lines = [
            "\t".join(["x", "de", text, f"m{n}", *["Yes"] * 6]) for n, text in enumerate(texts)
        ]
        tree = {"test.tsv": "\n".join(["\t".join(names), *lines]) + "\n"}
        rows = made("seahorse", tree, tmp_path / texts[0].strip('"')[:4])["test.summaries.jsonl"]
        return [row["summary"]["text"] for row in rows]

    assert summaries("first", plain) == ["first", plain]
    found = summaries("other", quoted)[1]
    assert found == ('"He" said\ttwo.' if quoted.startswith('"') else quoted)


ARTICLES = [
    {"id": "1", "article": "Long.", "highlights": "One .\nTwo ."},
    {"id": "2", "article": "Longer.", "highlights": "Three ."},
]


@pytest.mark.parametrize(
    ("ending", "written"),
    [
        ("-00000-of-00001.parquet", parquet(ARTICLES)),
        (".jsonl", json_lines(*ARTICLES)),
        (".csv", table(list(ARTICLES[0]), *(list(row.values()) for row in ARTICLES))),
    ],
)
def test_cnndm_from_tables(ending: str, written: Any, tmp_path: Path) -> None:
    found = made("cnndm", {f"validation{ending}": written}, tmp_path)
    assert set(found) == {"valid.documents.jsonl", "valid.references.jsonl"}
    assert [row["references"][0] for row in found["valid.references.jsonl"]] == [
        {"summarizer_id": "highlights", "text": ["One .", "Two ."]},
        {"summarizer_id": "highlights", "text": ["Three ."]},
    ]


def test_cnndm_from_stories_without_lists(tmp_path: Path) -> None:
    tree = {k: v for k, v in SAMPLES["cnndm"]().items() if not k.startswith("all_")}
    found = made("cnndm", tree, tmp_path)
    assert len(found["all.documents.jsonl"]) == len(found["all.references.jsonl"]) == 1


def test_a_second_input_of_an_id_is_told_and_can_be_skipped(tmp_path: Path) -> None:
    tree = {"test.jsonl": json_lines(*ARTICLES, ARTICLES[0])}
    with pytest.raises(DataError, match=r"test\.jsonl: two inputs with the id '1'"):
        made("cnndm", tree, tmp_path / "a")
    found = made("cnndm", tree, tmp_path / "b", skip_malformed=True)
    assert len(found["test.documents.jsonl"]) == 2


def test_multiling2015_without_submissions_has_the_leads(tmp_path: Path) -> None:
    tree = {k: v for k, v in SAMPLES["multiling2015"]().items() if not k.startswith("Evaluation")}
    (row,) = made("multiling2015", tree, tmp_path)["sds.de.references.jsonl"]
    assert row["references"] == [{"summarizer_id": "wikipedia-lead", "text": ["Der Anfang."]}]


def test_multinews_before_bad_retrievals_were_removed(tmp_path: Path) -> None:
    tree = SAMPLES["multinews"]()
    plain = {path.replace(".src.cleaned", ".src"): text for path, text in tree.items()}
    assert made("multinews", plain, tmp_path / "a") == made("multinews", tree, tmp_path / "b")

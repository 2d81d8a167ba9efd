"""Metrics of users: paths, seeds, objects and names that Rubrica itself does not use."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.scores.rows import read_metrics
from rubrica.errors import MetricFailedError, ParameterError
from rubrica.metrics import Metric, ReferenceBasedMetric, Rouge, SIMetrix, SummaryOnlyMetric
from rubrica.metrics.base.metric import METRICS
from rubrica.scoring import score
from rubrica.signature import parse_signature


class Model:
    """A parameter that is an object without a text of its own."""

    def __init__(self, size: int) -> None:
        self.size = size


class Seeded(SummaryOnlyMetric):
    """A metric with a file, a seed and an object."""

    def __init__(
        self,
        file: Path | None = None,
        seed: int = 3,
        model: Model | None = None,
    ) -> None:
        super().__init__()
        self.file, self.seed, self.model = file, seed, model

    def score_one(self, summary: Any) -> dict[str, Any]:
        return {"seed": self.seed, "is_path": float(isinstance(self.file, Path))}


class InitFields(Metric):
    """A metric that declares its fields in the constructor."""

    def __init__(self) -> None:
        super().__init__(["summary"], ["references", "documents"])

    def score_one(self, summary: Any, references: Any, documents: Any) -> dict[str, Any]:
        return {"length": len(summary)}


class NamedLikeCommand(Seeded):
    """A metric whose name is that of a command."""


class Reserved(ReferenceBasedMetric):
    """A metric whose measure is named like a jackknifed one."""

    def score_one(self, summary: Any, references: Any) -> dict[str, Any]:
        return {"x": float(len(references)), "x_jk": 5.0}


@pytest.fixture(autouse=True)
def names() -> Iterator[None]:
    """The metrics under names, one of them that of a command."""
    classes = {
        "seeded": Seeded,
        "init-fields": InitFields,
        "compare": NamedLikeCommand,
        "reserved": Reserved,
    }
    for name, cls in classes.items():
        Metric.register(name)(cls)
    yield
    for name in classes:
        METRICS._known.pop(name, None)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    file = tmp_path / "texts.txt"
    file.write_text("ab\nabc\n")
    return file


def rows_of(answer: Any) -> list[dict[str, Any]]:
    assert answer.code == 0, answer.err
    return [json.loads(line) for line in answer.out.splitlines()]


def test_an_optional_path_takes_a_text(texts: Path, rubrica: Any) -> None:
    rows = rows_of(rubrica("seeded", "score", "-", "--input-files", texts, "--file", "a.txt"))
    assert rows[0]["metrics"]["is_path"] == 1.0
    metric = Metric.from_config({"type": "seeded", "file": "a.txt"})
    assert metric.score("a")["is_path"] == 1.0


@pytest.mark.parametrize("option", ["--seed", "--metric_seed"])
def test_score_passes_a_seed_to_the_metric(option: str, texts: Path, rubrica: Any) -> None:
    rows = rows_of(rubrica("seeded", "score", "-", "--input-files", texts, option, 7))
    assert rows[0]["metrics"]["seed"] == 7
    assert parse_signature(rows[0]["signatures"][0])[1]["seed"] == "7"


def test_evaluate_keeps_the_seeds_of_metric_and_resampling_apart(texts: Path, rubrica: Any) -> None:
    answer = rubrica(
        "seeded", "evaluate", "--input-files", texts, "--metric_seed", 7, "--seed", 8,
        "--format", "json",
    )  # fmt: skip
    result = json.loads(answer.out)
    assert result["metrics"]["seed"] == 7
    parts = parse_signature(next(s for s in answer.out.split('"') if s.startswith("seeded|")))[1]
    assert (parts["seed"], parts["run_seed"]) == ("7", "8")


def test_a_metric_named_like_a_command_has_its_own_commands(texts: Path, rubrica: Any) -> None:
    rows = rows_of(rubrica("compare", "score", "-", "--input-files", texts))
    assert rows[0]["metrics"]["seed"] == 3
    assert "usage: rubrica compare" in rubrica("compare", "--help").out


def test_a_measure_named_like_a_jackknifed_one_is_an_error(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"instance_id": "1", "summarizer_id": "p", "summarizer_type": "peer", "summary": "a", '
        '"references": ["a", "b"]}\n'
    )
    from rubrica.datasets.readers.base import DatasetReader

    instances = list(DatasetReader.from_config("reference-based").read(str(rows)))
    with pytest.raises(MetricFailedError, match=r"'x_jk'.*jackknifed"):
        score(instances, [Reserved()])


def test_signatures_hold_no_memory_addresses() -> None:
    shown = str(Seeded(model=Model(3)).signature())
    assert "0x" not in shown
    assert "Model(size=3)" in shown
    assert shown == str(Seeded(model=Model(3)).signature())
    assert shown != str(Seeded(model=Model(4)).signature())


@pytest.mark.parametrize("value", [2.5, 2.0, float("nan")])
def test_a_whole_number_is_not_a_float(value: Any) -> None:
    with pytest.raises(ParameterError, match="'max_ngram' takes a whole number"):
        Rouge(max_ngram=value)


def test_the_list_shows_fields_that_a_constructor_declares(rubrica: Any) -> None:
    answer = rubrica("list", "metrics", "--json")
    assert answer.code == 0, answer.err
    listed = json.loads(answer.out)
    needs = {row["name"]: row.get("needs") for row in listed}
    assert needs["init-fields"] == ["summary", "references", "documents"]
    assert needs["seeded"] == ["summary"]


def test_a_summary_without_documents_is_an_error_with_its_place(
    tmp_path: Path, rubrica: Any
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        '{"instance_id": "1", "summarizer_id": "p", "summarizer_type": "peer", "summary": "a", '
        '"documents": []}\n'
    )
    answer = rubrica("simetrix", "score", "-", "--input-files", file)
    assert answer.code == 1
    assert f"{file}:1" in answer.err
    assert "no documents" in answer.err
    with pytest.raises(ParameterError, match="without documents"):
        SIMetrix().score("a", [])


def test_xz_files_are_written_and_read_compressed(
    tmp_path: Path, texts: Path, rubrica: Any
) -> None:
    compressed = tmp_path / "texts.txt.xz"
    compressed.write_bytes(lzma.compress(texts.read_bytes()))
    output = tmp_path / "rows.jsonl.xz"
    assert rubrica("seeded", "score", output, "--input-files", compressed).code == 0
    assert len(lzma.decompress(output.read_bytes()).splitlines()) == 2
    assert len(list(read_metrics(str(output)))) == 2

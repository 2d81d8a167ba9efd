"""`rubrica METRIC evaluate|score` and `rubrica evaluate|score --config`: what files and streams hold."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.jsonl import read_jsonl
from rubrica.data.scores.rows import read_metrics
from rubrica.data.table import ScoreTable


@pytest.fixture
def few(news: Path, tmp_path: Path) -> Path:
    """Two of the sample's inputs, where it does not matter what is scored."""
    folder = tmp_path / "few"
    folder.mkdir()
    lines = (news / "summaries.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "summaries.jsonl").write_text("".join(lines[:18]), "utf-8")
    return folder


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in read_jsonl(path)]


def test_evaluate_writes_systems_rows_and_signatures(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    macro, micro = tmp_path / "new" / "macro.json", tmp_path / "micro.jsonl"
    answer = rubrica(
        "sent-bleu", "evaluate", macro, micro,
        "--dataset-reader", "reference-based", "--input-files", news / "summaries.jsonl",
        "--lowercase", "true",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    told = json.loads(macro.read_text())
    assert told["num_summaries"] == 72
    assert told["left_out"] == {"reference": 36}
    assert list(told["systems"]) == [
        "lead3", "centroid", "abstractor", "compressor", "rambler", "headliner"
    ]  # fmt: skip
    interval = told["systems"]["lead3"]["intervals"]["sent-bleu"]
    assert interval["lower"] < told["systems"]["lead3"]["metrics"]["sent-bleu"] < interval["upper"]
    rows = rows_of(micro)
    assert [(r["instance_id"], r["summarizer_id"]) for r in rows] == [
        (r["instance_id"], r["summarizer_id"]) for r in rows_of(news / "summaries.jsonl")
    ]
    assert list(rows[0])[:4] == ["instance_id", "summarizer_id", "summarizer_type", "metrics"]
    for signature in (told["signatures"][0], rows[0]["signatures"][0]):
        assert signature.startswith("sent-bleu|case:lc|")
        assert "|v:" in signature
    assert "data:" in told["signatures"][0]
    assert "lead3" in answer.out
    assert told["signatures"][0] in answer.out
    table = ScoreTable.from_metrics(read_metrics(micro))
    assert table.values.shape == (9, 12, 1)


def test_the_flag_spellings_of_sacrerouge_work(rubrica: Any, news: Path, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "run.log"
    answer = rubrica(
        "chrf", "evaluate",
        "--macro-output-json", tmp_path / "a.json", "--micro-output-jsonl", tmp_path / "a.jsonl",
        "--input-files", news / "summaries.jsonl", "--log-file", log, "--silent",
    )  # fmt: skip
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert "chrf|" in log.read_text()
    assert rubrica(
        "chrf", "score", "--output-jsonl", tmp_path / "b.jsonl",
        "--disable-peer-jackknifing", "--input-files", news / "summaries.jsonl",
    ).code == 0  # fmt: skip
    keys = {key for row in rows_of(tmp_path / "b.jsonl") for key in row["metrics"]}
    assert keys == {"chrf", "chrf_jk"}
    peers = [r for r in rows_of(tmp_path / "b.jsonl") if r["summarizer_type"] == "peer"]
    assert all(set(row["metrics"]) == {"chrf"} for row in peers)


def test_score_gives_peers_both_values_and_references_the_jackknifed_one(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl.gz"
    assert rubrica("chrf", "score", out, "--input-files", news / "summaries.jsonl").code == 0
    rows = [json.loads(line) for line in gzip.decompress(out.read_bytes()).splitlines()]
    assert len(rows) == 108
    for row in rows:
        expected = {"chrf", "chrf_jk"} if row["summarizer_type"] == "peer" else {"chrf_jk"}
        assert set(row["metrics"]) == expected


def test_several_files_are_read_one_after_the_other(
    rubrica: Any, few: Path, tmp_path: Path
) -> None:
    lines = (few / "summaries.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_text("".join(lines[:8]))
    (tmp_path / "b.jsonl").write_text("".join(lines[8:]))
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    rubrica("chrf", "score", whole, "--input-files", few / "summaries.jsonl")
    rubrica("chrf", "score", parts, "--input-files", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert whole.read_bytes() == parts.read_bytes()


def test_rows_can_go_to_standard_output_and_come_from_standard_input(
    rubrica: Any, news: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (news / "summaries.jsonl").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    answer = rubrica("chrf", "score", "-", "--input-files", "-")
    assert answer.code == 0
    assert len([json.loads(line) for line in answer.out.splitlines()]) == 108


def test_json_on_standard_output_is_clean(rubrica: Any, news: Path) -> None:
    answer = rubrica(
        "sent-bleu", "evaluate", "--format", "json", "--input-files", news / "summaries.jsonl"
    )
    assert json.loads(answer.out)["num_summaries"] == 72
    assert answer.err == ""


CONFIG = """
input_files = ["{news}/summaries.jsonl"]
dataset_reader = "reference-based"

[[metrics]]
type = "chrf"

[[metrics]]
type = "chrf"
word_order = 2
as = "chrf++"

[[metrics]]
type = "bleu"
"""


def test_a_toml_file_runs_several_metrics_at_once(rubrica: Any, few: Path, tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(CONFIG.format(news=few))
    macro, micro = tmp_path / "macro.json", tmp_path / "micro.jsonl"
    assert rubrica("evaluate", "--config", config, macro, micro).code == 0
    told = json.loads(macro.read_text())
    assert set(told["metrics"]) == {"chrf", "chrf++", "bleu"}
    assert set(told["metrics"]["chrf++"]) == {"chrf"}
    assert len(told["signatures"]) == 3
    alone = tmp_path / "alone.json"
    rubrica("bleu", "evaluate", alone, "--input-files", few / "summaries.jsonl")
    assert json.loads(alone.read_text())["metrics"]["bleu"] == told["metrics"]["bleu"]
    assert rubrica("score", "--config", config, tmp_path / "s.jsonl").code == 0
    assert set(rows_of(tmp_path / "s.jsonl")[0]["metrics"]) == {
        "chrf", "chrf_jk", "chrf++", "bleu", "bleu_jk"
    }  # fmt: skip


def test_overrides_change_single_values(rubrica: Any, news: Path, tmp_path: Path) -> None:
    config = tmp_path / "run.json"
    config.write_text(
        json.dumps(
            {"input_files": f"{news}/summaries.jsonl", "metrics": [{"type": "chrf", "beta": 1}]}
        )
    )
    for number, overrides in enumerate((['{"metrics.0.beta": 3}'], ["metrics.0.beta=3"])):
        macro = tmp_path / f"{number}.json"
        assert rubrica("evaluate", "--config", config, macro, "--overrides", *overrides).code == 0
        assert "beta:3" in json.loads(macro.read_text())["signatures"][0]


def test_outputs_can_stand_in_the_configuration(rubrica: Any, few: Path, tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    outputs = f'macro_output_json = "{tmp_path}/m.json"\noutput_jsonl = "{tmp_path}/o.jsonl"\n'
    config.write_text(outputs + CONFIG.format(news=few))
    assert rubrica("evaluate", "--config", config).code == 0
    assert rubrica("score", "--config", config).code == 0
    assert (tmp_path / "m.json").exists()
    assert (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('metric = "x"\n', "did you mean 'metrics'"),
        ('input_file = "x"\n', "did you mean 'input_files'"),
        ("input_files = 3\n", "'input_files' must be a text or a list of texts"),
        ("= nonsense\n", "not valid TOML"),
    ],
)
def test_a_wrong_configuration_is_told(
    rubrica: Any, tmp_path: Path, change: str, told: str
) -> None:
    config = tmp_path / "run.toml"
    config.write_text(change)
    answer = rubrica("evaluate", "--config", config)
    assert answer.code == 1
    assert told in answer.err

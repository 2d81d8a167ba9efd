"""Outputs that cannot be, metrics that fail, names that would write to the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NO_ROOM = "rubrica: standard output: cannot be written: No space left on device"
NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"
METRICS = '''
"""Metrics that misbehave."""
from rubrica.metrics import Metric, ReferenceBasedMetric


@Metric.register("test-raises", replace=True)
class Raises(ReferenceBasedMetric):
    """Fails on long texts."""

    def score_one(self, summary, references):
        if "centroid" in str(summary) or len(summary) > 2:
            return {"raises": 1.0}
        raise ZeroDivisionError("oops")


@Metric.register("test-text", replace=True)
class Text(ReferenceBasedMetric):
    """Gives a text."""

    def score_one(self, summary, references):
        return {"text": "good"}


@Metric.register("test-nothing", replace=True)
class Nothing(ReferenceBasedMetric):
    """Gives nothing."""

    def score_one(self, summary, references):
        return None
'''


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("misbehaving.py").write_text(METRICS)


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("test-raises", "ZeroDivisionError: oops (--debug shows where)"),
        ("test-text", "the score 'text' is 'good', not a number or None"),
        ("test-nothing", "score_one returned None, not a dict of scores"),
    ],
)
def test_a_metric_that_misbehaves_is_told_without_a_traceback(
    rubrica: Any, metric: str, told: str
) -> None:
    words = [metric, "score", "o.jsonl", "--input-files", NEWS, "--include-packages", "misbehaving"]
    answer = rubrica(*words, "--workers", "1")
    assert answer.code == 1
    assert told in answer.err
    assert "Traceback" not in answer.err
    if metric == "test-raises":
        # The headline of the first document is the first short text.
        assert f"{NEWS}:6 (instance 'd01', summarizer 'headliner')" in answer.err
    assert not Path("o.jsonl").exists()


def test_an_output_that_cannot_be_written_is_told_before_anything_is_scored(rubrica: Any) -> None:
    Path("folder").mkdir()
    for words in (["score", "folder"], ["evaluate", "folder"], ["evaluate", "m.json", "folder"]):
        answer = rubrica("chrf", *words, "--input-files", "no-such-input.jsonl")
        assert answer.code == 1
        assert "folder: cannot be written: is a directory" in answer.err
    Path("file").write_text("")
    answer = rubrica("rouge", "score", "file/o.jsonl", "--input-files", NEWS)
    assert "file/o.jsonl: cannot be written" in answer.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_is_not_replaced_and_a_full_disk_is_told(rubrica: Any) -> None:
    answer = rubrica("rouge", "score", "/dev/full", "--input-files", NEWS)
    assert "/dev/full: cannot be written: is not a regular file" in answer.err
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "rouge", "score", "-", "--input-files", str(NEWS)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [NO_ROOM]


def test_a_full_disk_is_an_error_of_help_too() -> None:
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(['--help']))"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, f"{NO_ROOM}\n")


def test_an_input_is_never_overwritten(rubrica: Any) -> None:
    Path("in.jsonl").write_bytes(NEWS.read_bytes())
    for words in (["score", "in.jsonl"], ["evaluate", "./in.jsonl"]):
        answer = rubrica("rouge", *words, "--input-files", "in.jsonl")
        assert answer.code == 2
        assert "is an input file" in answer.err
    assert Path("in.jsonl").read_bytes() == NEWS.read_bytes()


def test_names_from_outside_cannot_write_to_the_terminal(rubrica: Any) -> None:
    row = (
        '{"instance_id":"1","summarizer_id":"\\u001b[2Jx","summarizer_type":"peer",'
        '"summary":{"text":"a"},"references":[{"text":"b"}]}\n'
    )
    Path("in.jsonl").write_text(row + row)
    answer = rubrica("rouge", "evaluate", "--input-files", "in.jsonl")
    assert "\x1b" not in answer.err
    Path("in.jsonl").write_text(row)
    answer = rubrica("rouge", "evaluate", "--input-files", "in.jsonl")
    assert answer.code == 0
    assert "\x1b" not in answer.out
    assert "\\x1b[2Jx" in answer.out


def test_output_cut_off_by_its_reader_is_no_error() -> None:
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "rouge", "score", "-", "--input-files", str(NEWS)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_the_macro_file_is_written_even_if_nobody_reads_the_table() -> None:
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    words = ["rouge", "evaluate", "m.json", "m.jsonl", "--input-files", str(NEWS)]
    with subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
    assert Path("m.json").exists()
    assert Path("m.jsonl").exists()


def test_values_keep_their_place_in_several_processes(
    rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.scoring.engines.local.BEFORE_PROCESSES", 0.0)
    Path("run.toml").write_text(
        f'input_files = ["{NEWS}"]\n'
        '[[metrics]]\ntype = "rouge"\nmax_ngram = 1\nas = "stemmed"\n'
        '[[metrics]]\ntype = "rouge"\nmax_ngram = 1\nuse_porter_stemmer = false\nas = "plain"\n'
        '[[metrics]]\ntype = "sent-bleu"\n'
    )
    for workers in (1, 2):
        words = ["score", "--config", "run.toml", f"{workers}.jsonl", "--batch-size", "16"]
        answer = rubrica(*words, "--workers", workers)
        assert answer.code == 0, answer.err
    assert Path("1.jsonl").read_bytes() == Path("2.jsonl").read_bytes()
    assert b'"stemmed":{"rouge-1"' in Path("2.jsonl").read_bytes()


def test_two_runs_cannot_write_one_file() -> None:
    from rubrica.data.metrics import Metrics
    from rubrica.data.scores.writer import RowWriter
    from rubrica.errors import OutputError

    first = RowWriter("o.jsonl", run="one")
    with pytest.raises(OutputError, match="another run"):
        RowWriter("o.jsonl", run="two")
    first.write(Metrics("1", "s", "peer"))
    first.finish()
    assert Path("o.jsonl").read_text().count("\n") == 1


def test_a_link_stays_a_link(rubrica: Any) -> None:
    Path("real.jsonl").write_text("")
    Path("link.jsonl").symlink_to("real.jsonl")
    assert rubrica("rouge", "score", "link.jsonl", "--input-files", NEWS).code == 0
    assert Path("link.jsonl").is_symlink()
    assert len(Path("real.jsonl").read_text().splitlines()) == 108


def test_the_best_system_stands_first_also_where_lower_is_better(rubrica: Any) -> None:
    rows = [
        '{{"instance_id":"1","summarizer_id":"{}","summarizer_type":"peer",'
        '"summary":{{"text":"{}"}},"references":[{{"text":"a b c d"}}]}}\n'.format(*pair)
        for pair in (("bad", "x y z"), ("good", "a b c d"))
    ]
    Path("in.jsonl").write_text("".join(rows))
    lines = rubrica("ter", "evaluate", "--input-files", "in.jsonl").out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["good", "bad"]


def test_measures_of_one_metric_have_as_many_digits(rubrica: Any, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("the cat sat on a mat\n")
    (tmp_path / "r.txt").write_text("the cat lay on the mat\n")
    answer = rubrica(
        "compare", tmp_path / "s.txt", "-r", tmp_path / "r.txt", "-m", "rouge,max_ngram=4", "js"
    )
    cells = answer.out.splitlines()[2].split()
    assert cells[:6] == ["s", "1", "66.67", "20.00", "0.00", "0.00"]
    assert all(len(cell.partition(".")[2]) == 4 for cell in cells[6:])

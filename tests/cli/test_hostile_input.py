"""Input and options that ask for trouble: pipes, bombs, huge counts, a store that cannot be written."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, OutputError
from support.waiting import wait_until

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news" / "summaries.jsonl"
CODE = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("metric", ["cider", "chrf"])
def test_a_pipe_is_read_once_even_by_metrics_that_need_the_whole_input(
    rubrica: Any, metric: str
) -> None:
    os.mkfifo("pipe.jsonl")
    writer = threading.Thread(target=lambda: Path("pipe.jsonl").write_bytes(NEWS.read_bytes()))
    writer.start()
    answer = rubrica(metric, "score", "piped.jsonl", "--input-files", "pipe.jsonl")
    writer.join()
    assert answer.code == 0, answer.err
    assert rubrica(metric, "score", "plain.jsonl", "--input-files", NEWS).code == 0
    assert Path("piped.jsonl").read_bytes() == Path("plain.jsonl").read_bytes()
    assert rubrica(metric, "score", "out/", "--input-files", "pipe.jsonl").code == 2


def test_closed_standard_input_is_reported(rubrica: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    answer = rubrica("rouge", "score", "out.jsonl", "--input-files", "-")
    assert answer.code == 1
    assert "standard input is closed" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "longest"), [("bomb.jsonl.gz", 256), ("bomb.txt.gz", 32), ("bomb.csv.gz", 32)]
)
def test_a_compressed_bomb_takes_bounded_memory(name: str, longest: int) -> None:
    # Compressed pieces one after the other are the compressed whole.
    Path(name).write_bytes(1100 * gzip.compress(b"a" * (1 << 20)))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))

    # The limit is 256 MiB; two kinds of files are read with a lower one, which takes less time.
    code = f"from rubrica.data import files; files.LONGEST_LINE = {longest} << 20; {CODE}"
    words = [sys.executable, "-c", code, "rouge", "score", "out.jsonl", "--input-files", name]
    if name.endswith(".txt.gz"):
        words += ["-r", name]
    done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert done.returncode == 1
    assert f"a line of more than {longest} MiB" in done.stderr


def test_a_json_document_has_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rubrica.data.jsonl.LARGEST_DOCUMENT", 1000)
    Path("large.json.gz").write_bytes(gzip.compress(b"[" + b" " * 2000 + b"]"))
    with pytest.raises(DataError, match="more than 0 MiB"):
        read_json("large.json.gz")


@pytest.mark.parametrize("rounds", [2**61, 2**63, 2**64, 10**30, -1])
def test_more_rounds_than_can_be_computed_are_refused(rubrica: Any, rounds: int) -> None:
    answer = rubrica("rouge", "evaluate", "--input-files", NEWS, "--rounds", rounds)
    assert answer.code in (1, 2)
    assert "bug" not in answer.err
    assert str(rounds) in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("chrf", "evaluate", "--input-files", NEWS, "--char-order"),
        ("chrf", "evaluate", "--input-files", NEWS, "--word-order"),
        ("bleu", "evaluate", "--input-files", NEWS, "--max-ngram-order"),
        ("js", "evaluate", "--input-files", NEWS, "--ngram-orders"),
        (
            "system-ranking",
            "--scores",
            "scores.jsonl",
            "--human",
            "human",
            "--rounds",
            9,
            "--sizes",
        ),
    ],
    ids=lambda words: f"{words[0]}{words[-1]}",
)
@pytest.mark.parametrize("number", [99_999_999_999, 2**63])
def test_counts_that_no_machine_can_hold_are_refused(
    rubrica: Any, words: tuple[object, ...], number: int
) -> None:
    write_scores("0.5")
    answer = rubrica(*words, number)
    assert (answer.code, "bug" in answer.err) == (1, False)
    assert "memory" not in answer.err


@pytest.mark.parametrize("seed", ["-1", str(2**64)])
@pytest.mark.parametrize(
    "words",
    [
        ("gate", "a.txt", "-r", "a.txt", "--baseline", "b.jsonl", "--measures", "rouge-1.f1"),
        ("compare", "scores.jsonl"),
        ("rouge", "evaluate", "--input-files", "a.txt"),
        ("study", "select", "scores.jsonl", "--measures", "x", "-o", "selection.json"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_seed_that_no_generator_takes_is_refused(
    rubrica: Any, words: tuple[str, ...], seed: str
) -> None:
    answer = rubrica(*words, "--seed", seed)
    assert answer.code == 2
    assert f"--seed must be a whole number from 0 to 2^64 - 1: {seed}" in answer.err


@pytest.mark.parametrize("name", ["max_words", "max_bytes", "skip_bigram_gap_length"])
@pytest.mark.parametrize("number", [2**63, 10**30, -(10**30)])
def test_whole_numbers_beyond_64_bits_are_refused(rubrica: Any, name: str, number: int) -> None:
    answer = rubrica("rouge", "evaluate", "--input-files", NEWS, f"--{name}={number}")
    assert answer.code == 1
    assert f"parameter '{name}' takes a whole number of 64 bits, not {number}" in answer.err


def test_numbers_that_mean_nothing_are_refused(rubrica: Any) -> None:
    write_scores("0.5")
    test = ("stat-sig-test", "--scores", "scores.jsonl", "--human", "human", "--measures", "x", "x")
    answer = rubrica(*test, "--workers", -1)
    assert (answer.code, "--workers must be at least 1: -1" in answer.err) == (2, True)
    estimate = ("estimate", "--scores", "scores.jsonl", "--human", "human", "--judge", "x")
    for width in ("1e308", "1e-300", "nan"):
        answer = rubrica(*estimate, "--half-width", width)
        assert answer.code == (2 if width == "nan" else 1)
        assert "a half width must" in answer.err or "--half-width must" in answer.err


def test_long_ngrams_are_refused(rubrica: Any) -> None:
    words = ["autosummeng", "score", "out.jsonl", "--input-files", NEWS, "--max_n", 999_999_999]
    answer = rubrica(*words)
    assert answer.code == 1
    assert "max_n <= 10,000" in answer.err


def interrupted(process: subprocess.Popen[bytes]) -> bytes:
    """Interrupt a process and return what it says; once more if Python loses the signal in an import."""
    while True:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            # Uninterrupted, the kernel would run for longer than the test may.
            return process.communicate(timeout=60)[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["autosummeng", "--input-files", str(NEWS), "--max_n", "9000", "--d_window", "9000"],
        ["meteor", "--input-files", "long.jsonl"],
    ],
    ids=lambda words: words[0],
)
def test_a_long_kernel_stops_on_an_interrupt(words: list[str]) -> None:
    row = {"instance_id": "d", "summarizer_id": "s", "summarizer_type": "peer"}
    texts = {"summary": "ab cd " * 60_000, "references": ["ab ef " * 60_000]}
    Path("long.jsonl").write_text(json.dumps(row | texts) + "\n")
    words = [words[0], "score", "out.jsonl", *words[1:], "--workers", "1"]
    process = subprocess.Popen([sys.executable, "-c", CODE, *words], stderr=subprocess.PIPE)
    try:
        wait_until(Path("out.jsonl.partial").exists, process)
        err = interrupted(process)
    finally:
        process.kill()
    assert process.returncode == 130, err


def test_a_store_that_cannot_be_written_is_still_searched(
    rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["rouge", "score", "--input-files", NEWS, "--store", "s", "--workers", 1]
    assert rubrica(*words, "--output-jsonl", "a.jsonl").code == 0
    before = {file: file.stat().st_mtime_ns for file in Path("s").rglob("*")}

    def refuse(path: Path) -> None:
        raise OutputError(path, "Read-only file system")

    monkeypatch.setattr("rubrica.data.store.store.writable", refuse)
    answer = rubrica(*words, "--output-jsonl", "b.jsonl")
    assert answer.code == 0, answer.err
    assert "new scores are not stored" in answer.err
    assert "scores found, 0 added" in answer.err
    other = rubrica(*words, "--output-jsonl", "c.jsonl", "--max_ngram", 1)
    assert other.code == 0, other.err
    assert {file: file.stat().st_mtime_ns for file in Path("s").rglob("*")} == before


@pytest.mark.parametrize(
    "content",
    [b'{"run": {"a": "\xff"}}', b'{"run": {"a": ' + b"[" * 5000],
    ids=["no-text", "nested"],
)
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("out/run.json", 1),
        ("out/.part-00000.jsonl.done", 0),
        ("rows.jsonl.partial.run", 1),
        ("store/rubrica-store.json", 1),
    ],
)
def test_damaged_files_beside_an_output_are_no_bugs(
    rubrica: Any, name: str, code: int, content: bytes
) -> None:
    words = ["rouge", "score", "--input-files", NEWS, "--workers", 1, "--resume"]
    words += ["rows.jsonl"] if name.startswith("rows") else ["out/", "--store", "store"]
    Path("rows.jsonl.partial").write_bytes(b"{}\n")
    if not name.startswith("rows"):
        assert rubrica(*words).code == 0
    Path(name).write_bytes(content)
    answer = rubrica(*words)
    assert (answer.code, "bug" in answer.err) == (code, False), answer.err
    assert code == 0 or name.removesuffix(".run") in answer.err


def test_a_repeated_key_is_an_error_with_its_line(rubrica: Any) -> None:
    line = NEWS.read_bytes().splitlines()[0]
    Path("in.jsonl").write_bytes(line + b"\n" + line[:-1] + b',"instance_id":"other"}\n')
    answer = rubrica("rouge", "score", "out.jsonl", "--input-files", "in.jsonl")
    assert answer.code == 1
    assert "in.jsonl:2: the key 'instance_id' appears twice" in answer.err
    rows = rubrica("rouge", "score", "scores.jsonl", "--input-files", NEWS)
    assert rows.code == 0
    lines = Path("scores.jsonl").read_bytes().splitlines(keepends=True)
    Path("scores.jsonl").write_bytes(
        lines[0] + lines[1].replace(b'"digest"', b'"digest":"","digest"')
    )
    from rubrica.data.scores.rows import read_metrics

    with pytest.raises(DataError, match=r"scores\.jsonl:2: the key 'digest' appears twice"):
        list(read_metrics("scores.jsonl"))


def write_scores(number: str) -> None:
    """Write scores of two systems on six inputs; one score is `number`."""
    lines = []
    for at in range(12):
        ids = (
            f'"instance_id":"d{at // 2}","summarizer_id":"{"ab"[at % 2]}","summarizer_type":"peer"'
        )
        x = number if at == 3 else str(at / 7)
        lines.append(f'{{{ids},"metrics":{{"x":{x},"human":{at % 5}}}}}\n')
    Path("scores.jsonl").write_text("".join(lines))


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "scores.jsonl"),
        ("report", "systems", "scores.jsonl", "-o", "page.html"),
        ("correlate", "--scores", "scores.jsonl", "--measures", "x", "human", "--rounds", 9),
        ("system-ranking", "--scores", "scores.jsonl", "--human", "human", "--rounds", 9),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400, "[1e999,-1e999]"])
def test_infinite_scores_are_refused_or_undefined(
    rubrica: Any, words: tuple[object, ...], number: str
) -> None:
    write_scores(number)
    answer = rubrica(*words)
    # The mean of infinities of both signs is undefined, which `compare` shows and others need.
    assert answer.code == (0 if number.startswith("[") and words[0] in {"compare", "report"} else 1)
    assert number.startswith("[") or "inf" in answer.err
    assert "bug" not in answer.err
    assert "warning" not in answer.err


@pytest.mark.parametrize("words", [("compare",), ("report", "systems", "-o", "page.html")])
def test_scores_whose_sums_overflow_are_refused(rubrica: Any, words: tuple[str, ...]) -> None:
    write_scores("-1e308")
    answer = rubrica(*words, "scores.jsonl")
    assert answer.code == 1
    assert "is too large (-1e+308); write null for what is undefined" in answer.err
    assert "warning" not in answer.err


@pytest.mark.parametrize("depth", [40, 900])
@pytest.mark.parametrize("brackets", [('{"a":', "}"), ("[", "]")], ids=["objects", "arrays"])
@pytest.mark.parametrize("command", ["compare", "system-ranking"])
def test_deeply_nested_scores_are_refused_with_their_line(
    rubrica: Any, command: str, brackets: tuple[str, str], depth: int
) -> None:
    write_scores(brackets[0] * depth + "1" + brackets[1] * depth)
    words = ["scores.jsonl"] if command == "compare" else ["--scores", "scores.jsonl"]
    human = [] if command == "compare" else ["--human", "human"]
    answer = rubrica(command, *words, *human)
    assert answer.code == 1
    assert "scores.jsonl:4: " in answer.err
    assert "nested" in answer.err


@pytest.mark.parametrize("brackets", ['{"a":', "["])
def test_deeply_nested_input_is_refused(rubrica: Any, brackets: str) -> None:
    Path("in.jsonl").write_text(brackets * 50_000)
    for words in (["evaluate", "in.jsonl", "-m", "rouge"], ["report", "systems", "in.jsonl"]):
        answer = rubrica(*words)
        assert (answer.code, "bug" in answer.err) == (1, False)
        assert "in.jsonl" in answer.err


def test_plots_show_names_that_no_image_can_hold(rubrica: Any) -> None:
    write_scores("0.5")
    text = (
        Path("scores.jsonl")
        .read_text()
        .replace('"a"', json.dumps("a\0\x1b\ufffe</text>" + "x" * 200_000))
    )
    Path("scores.jsonl").write_text(text)
    words = ["correlate", "--scores", "scores.jsonl", "--measures", "x", "human", "--rounds", 9]
    answer = rubrica(*words, "--system-level-output-plot", "plot.svg")
    assert answer.code == 0, answer.err
    assert "\\x00\\x1b\\ufffe&lt;/text&gt;xxx" in Path("plot.svg").read_text()


def test_a_plot_of_numbers_without_steps_between_them_is_an_error(rubrica: Any) -> None:
    write_scores("0.5")
    tiny = (f'"x":{5 * at}e-324,"human":{5 * at}e-324' for at in range(12))
    text = re.sub(r'"x":.*(?=}})', lambda _: next(tiny), Path("scores.jsonl").read_text())
    Path("scores.jsonl").write_text(text)
    words = ["correlate", "--scores", "scores.jsonl", "--measures", "x", "human", "--rounds", 9]
    answer = rubrica(*words, "--system-level-output-plot", "plot.svg")
    assert answer.code == 1
    assert "plot.svg: the plot cannot be drawn" in answer.err

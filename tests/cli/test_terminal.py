"""On terminals: progress with total, rate and time left, and the best in bold; elsewhere plain text."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console as RichConsole

from rubrica.cli.console import Console, has_style
from rubrica.cli.progress import CounterLine, LazyBar, StepBar, about
from rubrica.comparison import compare_scores
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.datasets.open import read
from rubrica.datasets.source import Source
from rubrica.formatting.text_table import BOLD, PLAIN
from rubrica.neural.progress import listening, report, steps


def terminal() -> tuple[LazyBar, io.StringIO]:
    stream = io.StringIO()
    return LazyBar(
        RichConsole(file=stream, force_terminal=True, width=120, color_system=None)
    ), stream


def test_a_bar_shows_total_rate_and_time_left_and_vanishes() -> None:
    bar, stream = terminal()
    step = StepBar(bar)
    step("texts", 0, 4)
    assert bar.is_shown
    assert "texts" in stream.getvalue()
    assert "0 of 4, starting" in stream.getvalue()
    step("texts", 4, 4)
    assert not bar.is_shown


def rates(monkeypatch: pytest.MonkeyPatch, *moments: float) -> list[str]:
    """What a bar shows beside the step done at each moment, of 10 that begin at 0."""
    now = [0.0]
    monkeypatch.setattr("rubrica.cli.progress.time.monotonic", lambda: now[0])
    bar, shown = LazyBar(), []
    monkeypatch.setattr(bar, "add_task", lambda *_, **__: 1)
    monkeypatch.setattr(bar, "update", lambda task, *, completed, rate: shown.append(rate))
    step = StepBar(bar)
    for done, moment in enumerate([0.0, *moments]):
        now[0] = moment
        step("steps", done, 10)
    return shown


def test_the_first_steps_do_not_foretell_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rates(monkeypatch, 0.5, 2.0) == [
        "of 10, starting; since",
        "of 10, starting; since",
        "of 10, 1/s, 0:08 left; since",
    ]


def test_slow_steps_show_their_time_and_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LazyBar, "announce", lambda *_: None)
    assert rates(monkeypatch, 500.0)[1:] == ["of 10, 500.0 s each, 1:15:00 left; since"]


def test_correlations_and_tests_report_their_steps(rubrica: Any, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    rows = [f"i{i},s{s},{s + i},{s * i % 5},{s}" for s in range(5) for i in range(4)]
    file.write_text("\n".join(["instance_id,summarizer_id,a,b,human", *rows]) + "\n")
    for words, what in (
        (["correlate", "--measures", "a", "human"], "correlations"),
        (["stat-sig-test", "--measures", "a", "b", "--human", "human"], "tests"),
    ):
        ran = rubrica(*words, "--scores", file, "--summarizer-type", "all", "--rounds", 9, "-v")
        assert f"{what}: 9 in " in ran.err


def test_a_counter_knows_its_total(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0])
    monkeypatch.setattr("rubrica.cli.progress.time.monotonic", lambda: next(clock))
    updates: list[dict[str, Any]] = []

    class Bar:
        def add_task(self, what: str, **more: Any) -> int:
            return 1

        def update(self, task: int, **more: Any) -> None:
            updates.append(more)

    CounterLine(Bar(), "rows", 100)(20)
    assert updates == [{"completed": 20, "rate": "of 100, 20/s, 0:04 left; since"}]


def test_results_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Console().result(
        f"{BOLD}best{PLAIN} \x1b]0;owned\x07 \x9b2J\roverwritten\r\n\tna\u00efve\u00a0x"
    )
    shown = f"{BOLD}best{PLAIN} \\u001b]0;owned\\u0007 \\u009b2J\\u000doverwritten\r\n\tna\u00efve\u00a0x\n"
    assert capsys.readouterr().out == shown


def test_the_total_of_json_lines_is_known(news: Path) -> None:
    source = read(str(news / "summaries.jsonl"))
    assert isinstance(source, Source)
    assert source.line_count() == len(list(source))
    plain = read(str(news / "plain" / "lead3.txt"), references=[str(news / "plain" / "lead3.txt")])
    assert isinstance(plain, Source)
    assert plain.line_count() is None


def test_steps_report_to_the_end() -> None:
    seen: list[tuple[str, int, int]] = []
    with listening(lambda *step: seen.append(step)):
        assert list(steps("sizes", [5, 6])) == [5, 6]
        report("rows", 1, 1)
    assert seen == [("sizes", 0, 2), ("sizes", 1, 2), ("sizes", 2, 2), ("rows", 1, 1)]


def test_a_comparison_of_scores_reports_systems_and_metrics_with_their_totals() -> None:
    rows = [
        Metrics(str(at), system, "peer", MetricsDict({"m": at % 3}))
        for system in ("a", "b")
        for at in range(4)
    ]
    seen: list[tuple[str, int, int]] = []
    with listening(lambda *step: seen.append(step)):
        compare_scores(rows)
    scored = [("systems scored", done, 2) for done in range(3)]
    assert seen == [*scored, ("metrics tested", 0, 1), ("metrics tested", 1, 1)]


@pytest.mark.parametrize(
    ("seconds", "text"), [(3, "about 3 s"), (170, "about 3 min"), (9000, "about 2.5 h")]
)
def test_durations_are_said_as_people_say_them(seconds: float, text: str) -> None:
    assert about(seconds) == text


class _Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_terminals_without_no_color_get_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert has_style(_Tty())
    assert not has_style(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_style(_Tty())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not has_style(_Tty())


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_the_best_is_bold_on_a_terminal_only(
    command: str, rubrica: Any, news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [command, news / "summaries.jsonl", "-m", "rouge", "--log-file", tmp_path / "log"]
    words += ["--rounds", 10]
    plain = rubrica(*words)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    styled = rubrica(*words)
    assert BOLD not in plain.out
    assert BOLD in styled.out
    assert styled.out.replace(BOLD, "").replace("\x1b[0m", "") == plain.out
    assert BOLD not in (tmp_path / "log").read_text("utf-8")


def test_verbose_says_how_long_steps_took(rubrica: Any, news: Path) -> None:
    words = ["compare", news / "summaries.jsonl", "-m", "rouge", "--rounds", 10]
    assert "summaries scored: " in rubrica(*words, "-v").err
    assert "finished in " in rubrica(*words, "-v").err
    assert "finished in " not in rubrica(*words).err
    assert rubrica(*words, "-v", "-q").err == ""


def test_messages_do_not_mix_with_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    console.bar, _ = terminal()
    step = StepBar(console.bar)
    step("texts", 1, 4)
    console.say("a message")
    assert not console.bar.is_shown
    assert capsys.readouterr().err == "a message\n"
    step("others", 1, 4)
    assert console.bar.is_shown
    console.close()
    assert not console.bar.is_shown

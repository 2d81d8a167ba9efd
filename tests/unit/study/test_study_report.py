"""The page of a study shows agreement, retest, workers, ranges and the four experiments."""

from __future__ import annotations

from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.study.clean import Rules, clean
from rubrica.study.experiments import run_experiments
from rubrica.study.matrix import measure_matrix
from rubrica.study.ratings import Answer, Rating
from rubrica.study.report import study_report


def table() -> ScoreTable:
    rows = [
        Metrics(
            f"d{i}", f"s{s}", "peer",
            MetricsDict({"good": s + i / 9, "bad": float((3 * s + i) % 5), "human": s + i / 7}),
        )
        for i in range(4)
        for s in range(5)
    ]  # fmt: skip
    return ScoreTable.from_metrics(rows)


def ratings() -> list[Rating]:
    def row(worker: str, system: str, votes: str) -> Rating:
        answers = tuple(Answer(str(n), f"fact {n}", v == "p") for n, v in enumerate(votes))
        return Rating("d", system, worker, answers, "The same text.", "a.csv", 1)

    return [
        row("ann", "x", "pppn"), row("bob", "x", "pppn"), row("eve", "x", "nnnp"),
        row("ann", "y", "pppn"), row("bob", "y", "ppnn"),
    ]  # fmt: skip


def test_all_parts_are_there_with_their_numbers() -> None:
    scores, answers = table(), ratings()
    names = ["good", "bad"]
    experiments = run_experiments(scores, names, "human", top=[3], rounds=20)
    cleaned = clean(answers, Rules(agreement=0.5))
    report = study_report(measure_matrix(scores, [*names, "human"]), experiments, answers, cleaned)
    sections = {section.title.partition(":")[0]: section for section in report.sections}
    assert list(sections) == [
        "Agreement", "Retest", "Workers", "Ranges", "Measures against each other", "Experiment I",
        "Experiment II", "Experiment III", "Experiment IV",
    ]  # fmt: skip
    assert report.verdict == "good orders systems most like people: Kendall 1.000 over 5 systems."
    [agreement] = sections["Agreement"].rows
    assert agreement[:3] == ["a.csv", 5, 2]
    assert sections["Retest"].rows[0][0] == 1
    eve = next(row for row in sections["Workers"].rows if row[0] == "eve")
    assert str(eve[-1]).startswith("agreement: ")
    assert sections["Experiment II"].headers == ["metric", "top 3"]
    assert [row[0] for row in sections["Experiment IV"].rows] == names
    assert b"Experiment III" in report.page()


def test_without_answers_only_the_scores_are_shown() -> None:
    scores = table()
    experiments = run_experiments(scores, ["good"], "human", top=[3], rounds=20)
    report = study_report(measure_matrix(scores, ["good", "human"]), experiments)
    assert report.sections[0].title == "Ranges"

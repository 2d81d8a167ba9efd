"""The audit of ratings finds planted biases at their size and nothing where nothing was planted; juries."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, MismatchError, UnknownNameError
from rubrica.meta import audit_judge, compare_juries
from rubrica.meta.judges.jury import JuryMember, JuryReport, isotonic, isotonic_value
from rubrica.reports.judge_audit import audit_report
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling

FEW = Resampling(rounds=100)
SYSTEMS = [f"s{number}" for number in range(6)]
INPUTS = [f"i{number}" for number in range(80)]


def data(
    seed: int = 0, *, length: float = 0.0, own: float = 0.0, noise: float = 0.5
) -> dict[str, Any]:
    """People's scores, lengths, and a judge with planted biases per standard deviation of length."""
    rng = np.random.default_rng(seed)
    human = np.arange(6)[:, None] * 0.3 + rng.normal(size=(6, 80))
    size = 60 + 10 * rng.normal(size=human.shape)
    judge = human + noise * rng.normal(size=human.shape) + length * (size - 60) / 10
    judge[0] += own
    return {"human": human, "length": size, "judge": judge}


def audit(table: dict[str, Any], **more: Any) -> dict[str, Any]:
    result = audit_judge(
        table["judge"],
        table["human"],
        systems=SYSTEMS,
        inputs=INPUTS,
        length=table["length"],
        own_systems=["s0"],
        resampling=FEW,
        **more,
    )
    return {one.name: one for one in result.findings} | {"audit": result}


def test_a_planted_length_bias_is_found_at_its_size() -> None:
    found = audit(data(length=0.5))
    # The surplus is 0.5 sd of length over noise of 0.5: a partial correlation of sqrt(1/2).
    assert found["length bias"].value == pytest.approx(0.5**0.5, abs=0.06)
    assert found["length bias"].concern
    assert not found["self-preference"].concern
    assert "Concerns: length bias." in found["audit"].verdict()


def test_a_planted_self_preference_is_found_at_its_size() -> None:
    found = audit(data(own=0.8))
    assert found["self-preference"].value == pytest.approx(0.8, abs=0.15)
    assert found["self-preference"].concern


def test_a_planted_style_bias_is_found_at_its_size_and_named() -> None:
    table = data(length=0.5)
    found = audit(
        table | {"length": np.ones_like(table["length"])}, style={"words": table["length"]}
    )
    assert found["style bias: words"].value == pytest.approx(0.5**0.5, abs=0.06)
    assert found["style bias: words"].concern
    assert found["length bias"].value is None
    assert "style bias: words" in found["audit"].verdict()


def test_sensitivity_to_prompts_is_found_at_its_size() -> None:
    table, random = data(), np.random.default_rng(4)
    # Each prompt, the first too, adds noise of 0.3 to what it measures; the second is lenient.
    judge = table["human"] + random.normal(0, 0.3, table["human"].shape)
    prompts = {
        name: table["human"] + random.normal(shift, 0.3, table["human"].shape)
        for name, shift in {"second": 0.7, "third": 0.0}.items()
    }
    found = audit(table | {"judge": judge}, paraphrases=prompts)
    spread = float(judge.std())
    assert found["prompt sensitivity"].value == pytest.approx(0.3 / spread, abs=0.03)
    assert not found["prompt sensitivity"].concern
    assert found["shift between prompts"].value == pytest.approx(0.7, abs=0.05)
    assert found["system order between prompts"].value > 0.6
    assert found["agreement of the worst prompt"].value <= found["agreement, summary level"].value
    # Prompts that measure something else.
    noise = {"other": random.normal(3, spread, judge.shape)}
    loud = audit(table | {"judge": judge}, paraphrases=noise)
    assert loud["prompt sensitivity"].concern


def test_summaries_without_a_score_under_some_prompt_are_left_out() -> None:
    table = data()
    other = table["judge"] + 1.0
    other[0, 0] = np.nan
    found = audit(table, paraphrases={"other": other})
    assert found["prompt sensitivity"].value == pytest.approx(0.0, abs=1e-9)
    assert found["shift between prompts"].value == pytest.approx(1.0)


def test_negative_and_missing_agreement_are_concerns() -> None:
    table = data()
    against = audit({**table, "judge": -table["judge"]})
    verdict = against["audit"].verdict()
    assert verdict.startswith("judge disagrees with people on human: -0.")
    levels = ("summary", "system", "global")
    assert f"Concerns: {', '.join(f'agreement ({level} level)' for level in levels)}" in verdict
    noise = np.random.default_rng(3).normal(size=table["judge"].shape)
    blind = audit({**table, "judge": noise})
    assert blind["agreement, summary level"].concern
    assert blind["audit"].verdict().startswith("judge is not shown to agree with people on human: ")
    fair = audit(table)
    assert fair["agreement, summary level"].concern is False
    assert fair["audit"].verdict().startswith("judge agrees with people on human at 0.")


def test_the_verdict_says_what_was_not_measured() -> None:
    table = data()
    plain = audit_judge(
        table["judge"], table["human"], systems=SYSTEMS, inputs=INPUTS, resampling=FEW
    )
    assert plain.verdict().endswith(
        "Not measured: length bias, self-preference, stability, prompt sensitivity."
    )
    full = audit(table, repeat=table["judge"], paraphrases={"p": table["judge"]})
    assert "Not measured" not in full["audit"].verdict()


@pytest.mark.slow
def test_an_unbiased_judge_raises_concerns_about_as_often_as_its_level_says() -> None:
    concerns = []
    for seed in range(25):
        found = audit(data(seed))
        concerns += [found["length bias"].concern, found["self-preference"].concern]
    assert np.mean(concerns) <= 0.125


def test_central_tendency_and_a_scale_hardly_used_are_found() -> None:
    table = data()
    table["judge"] = np.where(table["judge"] > 3, 4.0, 3.0)
    found = audit(table)
    assert found["spread of scores"].concern
    assert found["most common score"].concern
    assert found["distinct scores"].value == 2


def test_a_second_run_gives_stability_and_drift() -> None:
    table = data()
    found = audit(table, repeat=table["judge"] + 0.3)
    assert found["test-retest correlation"].value == pytest.approx(1.0)
    assert found["drift"].value == pytest.approx(0.3)
    assert found["drift"].concern
    assert found["equal scores in both runs"].value == 0.0


def test_calibration_repairs_a_judge_with_another_scale() -> None:
    table = data(noise=0.1)
    table["judge"] = 20 + 5 * table["judge"]
    found = audit(table)
    assert found["error"].value > 15
    assert found["error after calibration"].value < 0.3


def test_the_worst_cases_are_the_planted_ones() -> None:
    table = data()
    table["judge"][4, 7] -= 9
    [worst] = audit(table, worst=1)["audit"].worst
    assert (worst.system, worst.instance) == ("s4", "i7")
    assert worst.difference < -3


def test_bad_input_is_refused() -> None:
    table = data()
    with pytest.raises(MismatchError, match="human has shape"):
        audit_judge(table["judge"], table["human"][:, :5], systems=SYSTEMS, inputs=INPUTS)
    with pytest.raises(
        MismatchError, match="5 systems and 80 inputs are named, judge has 6 and 80"
    ):
        audit_judge(table["judge"], table["human"], systems=SYSTEMS[1:], inputs=INPUTS)
    with pytest.raises(UnknownNameError):
        audit_judge(
            table["judge"], table["human"], systems=SYSTEMS, inputs=INPUTS, own_systems=["x"]
        )
    empty = np.full((6, 80), np.nan)
    with pytest.raises(DataError, match="only 0 summaries"):
        audit_judge(empty, table["human"], systems=SYSTEMS, inputs=INPUTS)
    with pytest.raises(DataError, match="at least two judges"):
        compare_juries({"a": table["judge"]}, table["human"])


def test_the_mean_of_equally_good_judges_beats_each_of_them() -> None:
    human = data()["human"]
    rng = np.random.default_rng(1)
    judges = {name: human + 1.5 * rng.normal(size=human.shape) for name in "abcd"}
    report = compare_juries(judges, human, resampling=FEW)
    best = report.members[0]
    assert best.is_jury
    assert best.lower is not None
    assert best.lower > 0
    assert "is better" in report.verdict()


def test_bad_judges_spoil_the_mean_and_the_verdict_says_so() -> None:
    human = data()["human"]
    rng = np.random.default_rng(1)
    judges = {"good": human + 0.3 * rng.normal(size=human.shape)}
    judges |= {name: 3 * rng.normal(size=human.shape) for name in "abc"}
    report = compare_juries(judges, human, resampling=FEW)
    assert report.best_judge == "good"
    assert "The plain mean of all judges loses to good by" in report.verdict()
    ranks = [one.name for one in report.members]
    assert ranks.index("calibrated") < ranks.index("mean")


def jury_report(mean: tuple[float, float, float], vote: tuple[float, float, float]) -> JuryReport:
    """Two juries with these differences to the best judge and their intervals."""
    members = [
        JuryMember(name, True, 0.5 + values[0], *values)
        for name, values in {"vote": vote, "mean": mean}.items()
    ]
    best = JuryMember("good", False, 0.5, 0.0, 0.0, 0.0)
    return JuryReport("quality", "good", (*members, best), Signature("jury"))


def test_the_verdict_on_juries_leaves_to_chance_what_chance_could_explain() -> None:
    unclear = jury_report((-0.02, -0.06, 0.01), (0.01, -0.02, 0.04)).verdict()
    assert unclear == (
        "On quality, the best single judge is good. The jury by vote is ahead by 0.010, which "
        "chance could explain. The plain mean of all judges is behind good by 0.020, which chance "
        "could explain."
    )
    clear = jury_report((-0.04, -0.06, -0.01), (-0.02, -0.03, -0.01)).verdict()
    assert clear.endswith("No jury is better. The plain mean of all judges loses to good by 0.040.")


def test_the_monotone_map_pools_violators() -> None:
    curve = isotonic(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 5]))
    assert curve[1].tolist() == [1.0, 2.5, 2.5, 5.0]
    assert isotonic_value(curve, np.array([0.0, 3.5, 9])).tolist() == [1.0, 3.75, 5.0]


def test_the_ceiling_of_people_stands_beside_the_agreement() -> None:
    table = data()
    rng = np.random.default_rng(1)
    people = table["human"] + 0.5 * rng.normal(size=(3, *table["human"].shape))
    found = audit({**table, "human": people.mean(axis=0)}, annotators=people)
    # Variance of quality 1 within a system, of three people's mean error 0.25 / 3.
    assert found["human ceiling, global level"].value == pytest.approx(0.97, abs=0.02)
    assert found["human ceiling, system level"].value > found["agreement, system level"].value - 0.1
    assert ", human ceiling 0." in found["audit"].verdict()
    assert not any(name.startswith("human ceiling") for name in audit(table))


def test_agreement_is_measured_on_every_aspect_with_its_ceiling() -> None:
    table = data()
    rng = np.random.default_rng(4)
    other = rng.normal(size=table["human"].shape)
    people = {
        "human": np.stack([table["human"]] * 2),
        "other": other + 0.5 * rng.normal(size=(3, *other.shape)),
    }
    found = audit(table, aspects={"other": other}, annotators=people)
    assert found["agreement, summary level"].value > 0.5
    assert found["agreement on other, summary level"].value == pytest.approx(0, abs=0.15)
    assert found["agreement on other, summary level"].concern is None
    assert found["human ceiling, global level"].value == pytest.approx(1)
    assert 0.8 < found["human ceiling on other, global level"].value < 1
    assert "other" not in found["audit"].verdict()
    with pytest.raises(MismatchError, match=r"other has shape \(2, 2\)"):
        audit(table, aspects={"other": np.zeros((2, 2))})


def test_annotators_of_other_summaries_are_refused() -> None:
    with pytest.raises(MismatchError, match=r"annotators has shape \(3, 2, 2\)"):
        audit(data(), annotators=np.zeros((3, 2, 2)))


def test_the_worst_cases_have_their_texts() -> None:
    table = data()
    table["judge"][2, 7] += 50
    texts = {("i7", "s2"): {"Summary": "It stopped.", "Document": "The ferry stopped."}}
    first, second, *_ = audit(table, texts=texts)["audit"].worst
    assert (first.instance, first.system) == ("i7", "s2")
    assert dict(first.texts) == texts["i7", "s2"]
    assert second.texts == ()


@pytest.fixture
def audited(tmp_path: Path) -> Path:
    """Scores of a judge and of two people for each summary, and the texts."""
    rows, texts = [], []
    for number in range(30):
        row = {"instance_id": f"d{number % 10}", "summarizer_id": f"s{number // 10}"}
        row["summarizer_type"] = "peer"
        rating = number % 4
        scores = {"quality": [rating, rating + number % 2], "judge": 9 if number == 14 else rating}
        scores["fluency"] = [number % 3, number % 3 + number % 2]
        rows.append({**row, "metrics": scores})
        text = "A judge liked this summary much more than people did, and it goes on for long."
        texts.append({**row, "summary": {"text": text if number == 14 else "Short."}})
    for name, lines in (("scores", rows), ("texts", texts)):
        content = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(content)
    return tmp_path


def test_the_command_shows_texts_and_ceiling_in_text_json_and_page(
    rubrica: Any, audited: Path
) -> None:
    scores, texts, page = (audited / name for name in ("scores.jsonl", "texts.jsonl", "p.html"))
    words = ["judge-audit", "--human", "quality", "--judges", "judge", "--scores", scores]
    words += ["--ratings", scores, "--summaries", texts, "--rounds", 20, "--html", page]
    words += ["--aspects", "fluency"]
    done = rubrica(*words)
    assert done.code == 0, done.err
    assert "(summaries, human ceiling " in done.out.splitlines()[0]
    assert "human ceiling, system level" in done.out
    assert "agreement on fluency, summary level" in done.out
    assert "human ceiling on fluency, summary level" in done.out
    # Counts are whole numbers.
    assert re.search(r"distinct scores +5 ", done.out)
    assert "A judge liked this summary much more than people did, and..." in done.out
    result = json.loads(rubrica(*words, "-f", "json").out)
    worst = result["ratings"][0]["worst"][0]
    assert (worst["instance"], worst["system"]) == ("d4", "s1")
    assert worst["texts"][0][0] == "Summary"
    assert "it goes on for long." in page.read_text("utf-8")


def test_ratings_and_texts_that_do_not_belong_are_refused(rubrica: Any, audited: Path) -> None:
    scores, texts = audited / "scores.jsonl", audited / "texts.jsonl"
    words = ["judge-audit", "--human", "judge", "--judges", "quality", "--scores", scores]
    done = rubrica(*words, "--ratings", scores)
    assert done.code == 1
    assert "--ratings: no summary has a list of ratings under judge" in done.err
    texts.write_text(texts.read_text().replace('"d', '"other-d'))
    done = rubrica(*words, "--summaries", texts)
    assert done.code == 1
    assert "--summaries: no text belongs to a system and input of the scores" in done.err


def test_the_page_of_several_judges_opens_with_how_many_raise_concerns() -> None:
    table, long = data(), audit(data(length=0.5), judge_name="long")["audit"]
    # Its use of the scale is all that is checked.
    fair = audit_judge(
        table["judge"], table["human"], systems=SYSTEMS, inputs=INPUTS, resampling=FEW
    )
    report = audit_report([fair, long], {})
    assert report.verdict == "1 of 2 judges raises concerns: long (length bias)."
    overview = report.sections[0]
    assert [(row[0], row[-1]) for row in overview.rows] == [
        (fair.judge, "none"),
        ("long", "length bias"),
    ]
    assert [mark.value for mark in overview.intervals] == [row[1] for row in overview.rows]
    verdicts = [section.verdict for section in report.sections if section.verdict]
    assert verdicts == [fair.verdict(), long.verdict()]
    assert audit_report([fair], {}).verdict == fair.verdict()
    assert audit_report([fair, fair], {}).verdict == "None of 2 judges raises a concern."

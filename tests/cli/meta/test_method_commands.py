"""pairwise, system-ranking, partial-correlation, threshold, preferences, agreement and power."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.meta import join_scores
from rubrica.meta.correlation.partial import partial_given_length
from rubrica.meta.correlation.unpaired import unpaired_correlation
from rubrica.meta.power import power_of_means
from rubrica.meta.ranking.calibration import calibrate_ties
from rubrica.meta.ranking.decisions import decision_agreement

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """6 systems; a metric and lengths for 9 inputs, people for 6 of them, `worse` where less is better."""
    folder = tmp_path_factory.mktemp("scores")
    rng = np.random.default_rng(1)
    rows: dict[str, list[str]] = {"metrics": [], "human": []}
    for system in range(6):
        for number in range(9):
            truth = system / 2 + rng.normal()
            key = {"instance_id": f"d{number}", "summarizer_id": f"s{system}"}
            key["summarizer_type"] = "peer"
            made = {
                "good": {"f1": truth + 0.2 * rng.normal()},
                "worse": -truth + rng.normal(),
                "length": 50 + 5 * truth + 10 * rng.normal(),
            }
            rows["metrics"].append(json.dumps(key | {"metrics": made}))
            if number < 6:
                judged = {"likert": round(truth), "consistent": int(truth > 1)}
                rows["human"].append(json.dumps(key | {"metrics": judged}))
    paths = [folder / f"{name}.jsonl" for name in rows]
    for path, lines in zip(paths, rows.values(), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


@pytest.fixture
def scores(files: list[Path]) -> list[object]:
    return ["--scores", *files, "--summarizer-type", "peer", "--rounds", 50]


def matrices(files: list[Path], *names: str) -> list[np.ndarray]:
    table, _ = join_scores(files, list(names))
    return [table.matrix(name) for name in names]


def result(answer: Any) -> Any:
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_pairwise_is_the_library(rubrica: Run, files: list[Path], scores: list[object]) -> None:
    found = result(
        rubrica("pairwise", "--measures", "good_f1", "worse", "--human", "likert", *scores,
                "--lower-is-better", "worse", "--variants", "acc_eq", "13", "--gap", 1,
                "--format", "json")
    )  # fmt: skip
    x, y, z = matrices(files, "good.f1", "worse", "likert")
    good, worse = found["metrics"]["good.f1"], found["metrics"]["worse"]
    assert good["calibrated"]["value"] == calibrate_ties(x, z).value
    assert worse["calibrated"]["value"] == calibrate_ties(-y, z).value
    assert "thresholds" not in good["calibrated"]
    assert set(good) >= {"acc_eq", "tau-13", "kendall-like", "difference-pearson", "decisions"}
    assert good["decisions"]["pairs"] == 15
    assert "seed:12345" in good["soft-pairwise-accuracy"]["signature"]
    assert found["lower_is_better"] == ["worse"]
    assert found["join"]["dropped_missing"] == {"likert": 18}


def test_tied_rounds_can_follow_the_published_code(
    rubrica: Run, files: list[Path], scores: list[object]
) -> None:
    words = ["pairwise", "--measures", "good.f1", "--human", "likert", *scores, "--format", "json"]
    found = result(rubrica(*words, "--tied-rounds", "second"))["metrics"]["good.f1"]["decisions"]
    assert "ties:second" in found["signature"]
    equal = np.ones((2, 5))
    assert decision_agreement(equal, equal, tied="second").confusion[1][1] == 1
    assert decision_agreement(equal, equal).confusion[2][2] == 1


def test_a_table_has_both_kinds_of_pairs(rubrica: Run, scores: list[object]) -> None:
    answer = rubrica("pairwise", "--human", "likert", *scores)
    assert answer.code == 0
    assert "pairs of summaries (within inputs), likert" in answer.out
    assert "pairs of systems, likert" in answer.out
    assert all(name in answer.out for name in ("good.f1", "worse", "length"))
    assert "not counted as metrics, since they look like human scores: consistent;" in answer.err


def test_system_ranking_uses_all_inputs_unless_told(
    rubrica: Run, files: list[Path], scores: list[object]
) -> None:
    words = ["system-ranking", "--measures", "good.f1", "--human", "likert", *scores]
    found = result(rubrica(*words, "--format", "json"))["metrics"]["good.f1"]
    whole = found["system_level"]
    assert (whole["metric_inputs"], whole["judged_inputs"], whole["systems"]) == (9, 6, 6)
    judged = result(rubrica(*words, "--inputs", "judged", "--format", "json"))
    x, z = matrices(files, "good.f1", "likert")
    one = judged["metrics"]["good.f1"]["system_level"]
    assert one["metric_inputs"] == 6
    assert one["value"] == unpaired_correlation(x, z).value


def test_published_lists_of_sizes_may_exceed_the_systems(
    rubrica: Run, scores: list[object]
) -> None:
    words = ["system-ranking", "--measures", "good.f1", "--human", "likert", *scores]
    answer = rubrica(*words, "--top-sizes", 15, 6, 4, "--sizes", 2, 40, "--step", 50)
    assert answer.code == 0, answer.err
    assert "best 6" in answer.out
    assert "best 15" not in answer.out
    assert [line.split()[0] for line in answer.out.splitlines() if "%  " in line] == ["50%", "100%"]


def test_what_is_beyond_length(rubrica: Run, files: list[Path], scores: list[object]) -> None:
    scores = scores[:-2]
    words = ["partial-correlation", "--measures", "good.f1", "--human", "likert", *scores]
    found = result(rubrica(*words, "--length", "length", "--format", "json"))
    x, z, size = matrices(files, "good.f1", "likert", "length")
    one = found["metrics"]["good.f1"]["given_length"]["global"]["spearman"]
    expected = partial_given_length(x, z, size, level="global", coefficient="spearman")
    assert one["beyond"]["value"] == expected.value
    assert set(one) == {"metric", "length", "metric_with_length", "beyond"}
    alone = rubrica(*words, "--coefficients", "pearson")
    assert alone.code == 0
    assert "given the system" in alone.out
    assert "beyond" not in alone.out


def test_thresholds_are_chosen_where_told(
    rubrica: Run, files: list[Path], scores: list[object], tmp_path: Path
) -> None:
    words = ["threshold", "--measures", "good.f1", "--human", "consistent", *scores]
    answer = rubrica(*words, "--format", "json")
    assert "chosen on the data they are measured on" in answer.err
    assert result(answer)["chosen_on"] == "test"
    answer = rubrica(*words, "--validation-jsonl-files", *files, "--format", "json")
    assert "chosen on the data" not in answer.err
    assert result(answer)["chosen_on"] == "validation"
    fixed = result(rubrica(*words, "--threshold", 1, "--format", "json"))["metrics"]["good.f1"]
    assert (fixed["value"], "threshold" in fixed) == (1.0, False)
    assert fixed["accuracy"]["positives"] + fixed["accuracy"]["negatives"] == 36
    refused = rubrica("threshold", "--measures", "good.f1", "--human", "likert", *scores)
    assert refused.code == 1
    assert "likert: judgments must be 0 or 1, found" in refused.err
    assert "must be 0 or 1" in refused.err
    assert "--positive-from" in refused.err
    split = rubrica(
        "threshold", "--measures", "good.f1", "--human", "likert", *scores, "--positive-from", 2
    )
    assert split.code == 0, split.err


def test_thresholds_of_measures_that_are_better_lower_are_told_as_they_are(
    rubrica: Run, files: list[Path], scores: list[object]
) -> None:
    words = ["threshold", "--human", "consistent", *scores, "--format", "json"]
    lower = [*words, "--measures", "worse", "--lower-is-better", "worse"]
    chosen = result(rubrica(*lower))["metrics"]["worse"]
    worse, consistent = matrices(files, "worse", "consistent")
    right = (worse < chosen["value"]) == (consistent == 1)
    shares = [right[consistent == kind].mean() for kind in (0, 1)]
    assert chosen["accuracy"]["accuracy"] == pytest.approx(np.mean(shares))
    assert chosen["threshold"]["value"] == chosen["value"]
    again = result(rubrica(*lower, "--threshold", chosen["value"]))["metrics"]["worse"]
    assert again["accuracy"] == chosen["accuracy"]


def test_judgments_that_are_better_lower_are_turned_round(
    rubrica: Run, scores: list[object]
) -> None:
    words = ["threshold", "--measures", "good.f1", *scores, "--format", "json"]
    binary = [*words, "--human", "consistent"]
    plain = result(rubrica(*binary))["metrics"]["good.f1"]["roc_auc"]["value"]
    turned = result(rubrica(*binary, "--lower-is-better", "consistent"))["metrics"]["good.f1"]
    assert turned["roc_auc"]["value"] == pytest.approx(1 - plain)
    graded = [*words, "--human", "likert", "--positive-from", 1, "--lower-is-better", "likert"]
    few = result(rubrica(*graded))["metrics"]["good.f1"]["accuracy"]["positives"]
    many = result(rubrica(*graded[:-2]))["metrics"]["good.f1"]["accuracy"]["positives"]
    # Those of exactly 1 are among both.
    assert few + many > 36


def test_one_kind_of_judgment_has_no_threshold(rubrica: Run, scores: list[object]) -> None:
    words = ["threshold", "--measures", "good.f1", "--human", "likert", *scores]
    answer = rubrica(*words, "--positive-from", -99)
    assert answer.code == 0
    assert "all judgments are equal" in answer.err
    assert "undefined" in answer.out


def test_agreement_of_the_sample_data(rubrica: Run, news: Path, tmp_path: Path) -> None:
    out = tmp_path / "agreement.json"
    answer = rubrica("agreement", news / "human.jsonl", "--rounds", 50, "--output", out)
    assert answer.code == 0, answer.err
    assert "do not say who judged" in answer.err
    found = json.loads(out.read_text())["labels"]
    assert set(found) == {"relevance", "fluency", "faithfulness"}
    one = found["relevance"]
    assert (one["scale"], len(one["judges"]), one["alpha"]["units"]) == ("ordinal", 3, 108)
    assert 0 < one["alpha"]["lower"] < one["alpha"]["value"] < one["alpha"]["upper"] < 1
    assert one["noise_ceiling"]["ceiling"] > 0.9
    assert "cohen_kappa" not in one


def test_judgments_are_read_from_any_table_with_the_usual_names_of_ids(
    rubrica: Run, tmp_path: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "instance_id": [str(at // 2) for at in range(12)],
            "summarizer_id": ["a", "b"] * 6,
            "ann": [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 2, 2],
            "bob": [2, 2, 3, 5, 5, 1, 1, 3, 4, 4, 2, 3],
        }
    )
    usual = frame.rename(columns={"instance_id": "id", "summarizer_id": "model"})
    frame.to_csv(tmp_path / "ours.csv", index=False)
    usual.to_csv(tmp_path / "theirs.csv", index=False)
    usual.to_json(tmp_path / "theirs.json", orient="records")
    names = ["ours.csv", "theirs.csv", "theirs.json"]
    if importlib.util.find_spec("openpyxl"):
        usual.to_excel(tmp_path / "theirs.xlsx", index=False)
        names.append("theirs.xlsx")
    words = ["--judges", "ann", "bob", "--rounds", 20, "--format", "json"]
    labels = [result(rubrica("agreement", tmp_path / name, *words))["labels"] for name in names]
    assert labels == [labels[0]] * len(names)
    named = rubrica("agreement", tmp_path / "theirs.csv", *words, "--unit", "id", "model")
    assert result(named)["labels"] == labels[0]
    choices = "doc_id,first,second,preferred\n1,a,b,a\n2,a,b,tie\n3,b,a,a\n"
    (tmp_path / "choices.csv").write_text(choices)
    assert rubrica("preferences", tmp_path / "choices.csv").code == 0


def test_agreement_of_named_judges(rubrica: Run, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,ann,bob,cy\n1,low,low,low\n2,high,low,high\n3,mid,mid,high\n4,low,low,\n")
    words = ["agreement", path, "--judges", "ann", "bob", "cy", "--unit", "item"]
    found = result(rubrica(*words, "--rounds", 20, "--format", "json"))["labels"]["labels"]
    assert found["scale"] == "nominal"
    assert [(one["first"], one["second"]) for one in found["cohen_kappa"]] == [
        ("ann", "bob"), ("ann", "cy"), ("bob", "cy"),
    ]  # fmt: skip
    ordered = [*words, "--order", "low", "mid", "high", "--weights", "quadratic"]
    found = result(rubrica(*ordered, "--format", "json"))["labels"]["labels"]
    assert found["scale"] == "ordinal"
    refused = rubrica(*words, "--weights", "linear")
    assert (refused.code, "order" in refused.err) == (1, True)
    assert rubrica(*words, "--judge", "ann").code == 2


def test_power_of_two_systems_and_of_two_metrics(
    rubrica: Run, files: list[Path], scores: list[object]
) -> None:
    words = ["power", *scores, "--sizes", 40, 5, "--format", "json"]
    found = result(rubrica(*words, "--measures", "good.f1", "--systems", "s5", "s0"))
    (x,) = matrices(files[:1], "good.f1")
    curve = power_of_means(x[5], x[0], [5, 40])
    assert found["curve"]["effect"] == pytest.approx(curve.effect)
    assert [one["size"] for one in found["curve"]["points"]] == [5, 40]
    assert found["needed"] in (5, 40)
    metrics = ["--measures", "good.f1", "length", "--human", "likert"]
    found = result(rubrica(*words, *metrics, "--over", "systems"))
    assert found["metrics"] == ["good.f1", "length"]
    assert "over:systems" in found["curve"]["signature"]
    told = rubrica("power", *scores, *metrics, "--sizes", 4, "--power", 0.999)
    assert "not reached with the documents tried" in told.out
    unknown = rubrica(*words, "--measures", "good.f1", "--systems", "s5", "s9")
    assert (unknown.code, "no system 's9'" in unknown.err) == (1, True)
    for wrong in (
        ["--measures", "good.f1"],
        ["--measures", "good.f1", "length", "--systems", "s1", "s2"],
        [*metrics, "--difference", 1],
        ["--measures", "good.f1", "--systems", "s1", "s2", "--over", "systems"],
    ):
        assert rubrica(*words, *wrong).code == 2


def test_preferences_with_and_without_metrics(
    rubrica: Run, files: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "instance_id,a,b,choice\nd1,s5,s0,s5\nd2,s0,s5,tie\nd1,s1,s5,second\nd3,s1,s0,first\n"
        "d9,s0,s1,1\n"
    )
    columns = ["--first", "a", "--second", "b", "--preferred", "choice", "--rounds", 20]
    alone = result(rubrica("preferences", path, *columns, "--format", "json"))
    assert alone["metrics"] == {}
    assert set(alone["strengths"]["systems"]) == {"s0", "s1", "s5"}
    with_metric = ["--measures", "good.f1", "worse", "--scores", files[0]]
    found = result(
        rubrica("preferences", path, *columns, *with_metric, "--lower-is-better", "worse",
                "--format", "json")
    )  # fmt: skip
    one = found["metrics"]["good.f1"]
    assert (one["pairs"], one["left_out"], one["human_ties"]) == (4, 1, 1)
    table = rubrica("preferences", path, *columns, *with_metric)
    assert "log strength" in table.out
    assert rubrica("preferences", path, *columns, "--measures", "good.f1").code == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["pairwise", "--epsilon", -1], "--epsilon must not be negative"),
        (["pairwise", "--confidence", 40], "at least 50"),
        (["pairwise", "--measures", "likert"], "likert is named twice"),
        (["system-ranking", "--rounds", 0], "--rounds must be at least 1"),
        (["threshold", "--threshold", 1, "--validation-jsonl-files", "x"], "pass only one"),
    ],
)
def test_words_that_do_not_fit_are_told(
    rubrica: Run, scores: list[object], words: list[object], told: str
) -> None:
    answer = rubrica(words[0], "--human", "likert", *scores, *words[1:])
    assert answer.code == 2
    assert told in answer.err

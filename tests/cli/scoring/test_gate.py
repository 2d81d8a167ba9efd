"""`rubrica gate` and the pytest plugin: closed when outputs are worse, open otherwise, and its mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.comparison import assert_not_worse, judge
from rubrica.comparison.baseline import StoredRow
from rubrica.data.metrics import MetricsDict
from rubrica.metrics import ReferenceBasedMetric, Rouge

pytest_plugins = ["pytester"]


@pytest.fixture
def plain(news: Path) -> Path:
    return news / "plain"


@pytest.fixture
def words(plain: Path) -> list[object]:
    return ["-r", plain / "references.A.txt", "-r", plain / "references.B.txt"]


def test_the_gate_from_the_first_baseline_to_a_worse_system(
    rubrica: Any, plain: Path, words: list[object], tmp_path: Path
) -> None:
    store = tmp_path / "store.jsonl"
    gate = [*words, "--baseline", store, "--measures", "rouge-2.f1", "--alpha", "0.05"]
    answer = rubrica("gate", plain / "lead3.txt", *gate)
    assert answer.code == 1
    assert "--save stores these scores" in answer.err
    answer = rubrica("gate", plain / "lead3.txt", *gate, "--save")
    assert (answer.code, answer.out) == (0, "")
    saved = store.read_bytes()
    # The same again, a better one, and a worse one.
    assert rubrica("gate", plain / "lead3.txt", *gate).code == 0
    assert rubrica("gate", plain / "abstractor.txt", *gate).code == 0
    answer = rubrica("gate", plain / "rambler.txt", *gate, "--save")
    assert answer.code == 4
    assert "FAIL" in answer.out
    assert "null hypothesis: new and stored outputs are exchangeable" in answer.out
    assert store.read_bytes() == saved
    # A passed gate with --save moves the baseline.
    assert rubrica("gate", plain / "abstractor.txt", *gate, "--save").code == 0
    assert store.read_bytes() != saved
    assert rubrica("gate", plain / "lead3.txt", *gate).code == 4


def test_a_baseline_may_have_the_ending_json(rubrica: Any, news: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.json"
    words: list[object] = ["-r", news / "plain" / "references.A.txt"]
    words += ["--baseline", store, "--measures", "rouge-1.f1"]
    assert rubrica("gate", news / "plain" / "lead3.txt", *words, "--save").code == 0
    answer = rubrica("gate", news / "plain" / "lead3.txt", *words)
    assert answer.code == 0, answer.err
    assert "+0.0000" in answer.out
    answer = rubrica("compare", store, "--no-tests", "-f", "csv")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[1].startswith("lead3,12,rouge-1.f1,")


def test_tables_of_scores_pass_the_gate_by_the_columns_that_are_named(
    rubrica: Any, tmp_path: Path
) -> None:
    for name, shift in (("old", 0), ("new", 1)):
        lines = ["article,quality", *(f"a{at},{at % 5 + shift}" for at in range(20))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    words = ["--baseline", tmp_path / "old.csv", "--fields", "instance_id=article"]
    answer = rubrica("gate", tmp_path / "new.csv", *words, "--measures", "quality")
    assert answer.code == 0, answer.err
    assert "+1.0000" in answer.out
    assert "system 'new'" in answer.err


def test_a_margin_asks_for_proof(
    rubrica: Any, plain: Path, words: list[object], tmp_path: Path
) -> None:
    gate = [*words, "--baseline", plain / "lead3.txt", "--measures", "rouge-1.f1", "-f", "json"]
    same = json.loads(rubrica("gate", plain / "lead3.txt", *gate, "--margin", "0").out)
    assert same["measures"][0]["loss"] == 0
    assert same["passed"]
    # Not significantly worse, and yet not shown to be as good.
    assert rubrica("gate", plain / "compressor.txt", *gate).code == 0
    assert rubrica("gate", plain / "compressor.txt", *gate, "--margin", "1").code == 4
    assert rubrica("gate", plain / "compressor.txt", *gate, "--margin", "20").code == 0


def test_a_system_score_of_statistics_and_one_where_lower_is_better(
    rubrica: Any, plain: Path, words: list[object], tmp_path: Path
) -> None:
    store = tmp_path / "store.jsonl"
    gate = [*words, "--baseline", store, "--measures", "chrf", "bleu", "rouge-1.f1", "rouge-2.f1"]
    assert rubrica("gate", plain / "lead3.txt", *gate, "--save").code == 0
    answer = rubrica("gate", plain / "rambler.txt", *gate, "-f", "json")
    found = json.loads(answer.out)["measures"]
    assert [one["measure"] for one in found] == ["chrf", "bleu", "rouge-1.f1", "rouge-2.f1"]
    assert all(one["adjusted"] >= one["p_value"] for one in found)
    chrf = rubrica("chrf", "--p", plain / "rambler.txt", "--r", *words[1::2]).out
    assert found[0]["new"] == pytest.approx(float(chrf.removeprefix("chrf: ")), rel=1e-12)
    rows = tmp_path / "rows.jsonl"
    rubrica("rouge", "evaluate", tmp_path / "m.json", rows, "--input-files", plain / "rambler.txt",
            "--references", *words[1::2])  # fmt: skip
    shorter = ["--measures", "rouge-1.f1", "--lower-is-better", "rouge-1.f1"]
    assert rubrica("gate", rows, "--baseline", store, *shorter).code == 1
    twin = tmp_path / "twin.jsonl"
    rubrica("rouge", "evaluate", tmp_path / "m.json", twin, "--input-files", plain / "lead3.txt",
            "--references", *words[1::2])  # fmt: skip
    assert rubrica("gate", rows, "--baseline", twin, *shorter[:2]).code == 4
    assert rubrica("gate", rows, "--baseline", twin, *shorter).code == 0


def test_what_does_not_fit_together_is_refused(
    rubrica: Any, plain: Path, words: list[object], tmp_path: Path
) -> None:
    store = tmp_path / "store.jsonl"
    gate = ["--baseline", store, "--measures", "rouge-2.f1"]
    rubrica("gate", plain / "lead3.txt", *words, *gate, "--save")
    other = rubrica("gate", plain / "lead3.txt", "-r", plain / "references.C.txt", *gate)
    assert "the references or documents are not those of the baseline" in other.err
    ways = rubrica("gate", plain / "lead3.txt", *words, *gate, "-m", "rouge,use_porter_stemmer=no")
    assert "scored in another way" in ways.err
    store.write_bytes(b"".join(store.read_bytes().splitlines(keepends=True)[:5]))
    assert (
        "the baseline has 5 inputs and the new scores 12"
        in rubrica("gate", plain / "lead3.txt", *words, *gate).err
    )
    assert (
        "no metric computes 'sense'"
        in rubrica(
            "gate",
            plain / "lead3.txt",
            *words,
            "--baseline",
            plain / "lead3.txt",
            "--measures",
            "sense",
        ).err
    )
    assert "pass one file of new summaries" in rubrica("gate", "a", "b", *gate).err
    assert "alpha must lie" in rubrica("gate", store, *gate, "--alpha", "7").err
    assert "a margin is 0 or more" in rubrica("gate", store, *gate, "--margin", "-1").err


TEXTS = [f"the ferry number {number} left the harbour late" for number in range(20)]
BAD = ["rain"] * 20


def test_assert_not_worse_in_python() -> None:
    verdicts = assert_not_worse(TEXTS, BAD, TEXTS, ["rouge-1.f1", "rouge-l.f1"], rounds=500)
    assert all(one.passed for one in verdicts)
    with pytest.raises(AssertionError, match=r"rouge-1.f1: 100.0000 before, 0.0000 now"):
        assert_not_worse(BAD, TEXTS, TEXTS, "rouge-1.f1", rounds=500)
    metric = Rouge(1, profile="rouge-score")
    with pytest.raises(AssertionError, match=r"worse by 1.0000 at most, 0.5 allowed"):
        assert_not_worse(BAD, TEXTS, TEXTS, "rouge-1.f1", metric=metric, margin=0.5, rounds=500)


@pytest.mark.slow
def test_the_plugin_saves_a_baseline_and_fails_a_worse_model(
    pytester: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        model=f"TEXTS = {TEXTS!r}\nSAYS = TEXTS",
        test_model="""
        import model

        def test_summaries(assert_not_worse):
            assert_not_worse(model.SAYS, "baseline.jsonl", model.TEXTS, "rouge-2.f1", rounds=500)
        """,
    )
    pytester.syspathinsert()
    plugin = ["-p", "rubrica.pytest_plugin"]
    missing = pytester.runpytest_subprocess(*plugin)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*no baseline*--rubrica-save writes it*"])
    # The first run was that of a user; what is compared now does not depend on the process.
    pytester.runpytest_inprocess(*plugin, "--rubrica-save").assert_outcomes(passed=1)
    pytester.runpytest_inprocess(*plugin).assert_outcomes(passed=1)
    pytester.makepyfile(model=f"TEXTS = {TEXTS!r}\nSAYS = {BAD!r}")
    worse = pytester.runpytest_inprocess(*plugin)
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*rouge-2.f1: 100.0000 before, 0.0000 now*"])
    failure = worse.stdout.str().partition("short test summary")[0]
    assert failure.count("100.0000 before") == 1


@pytest.mark.slow
def test_rows_say_that_their_metrics_score_is_no_mean(
    rubrica: Any, plain: Path, words: list[object], tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rubrica("meteor", "evaluate", tmp_path / "m.json", rows, "--input-files", plain / "lead3.txt",
            "--references", *words[1::2])  # fmt: skip
    gate = ["--baseline", rows, "--measures", "METEOR"]
    assert "hold no statistics" in rubrica("gate", rows, *gate).err
    assert "hold no statistics" in rubrica("gate", rows, *gate, "-m", "meteor").err
    store = tmp_path / "store.jsonl"
    saved = [*words, "--baseline", store, "--measures", "METEOR", "-m", "meteor"]
    assert rubrica("gate", plain / "lead3.txt", *saved, "--save").code == 0
    assert rubrica("gate", plain / "lead3.txt", *saved).code == 0
    assert rubrica("gate", plain / "headliner.txt", *saved).code == 4
    assert rubrica("gate", store, "--baseline", store, "--measures", "METEOR").code == 0


def test_a_measure_without_a_better_direction_is_refused(
    rubrica: Any, plain: Path, tmp_path: Path
) -> None:
    documents = tmp_path / "documents.txt"
    documents.write_bytes((plain / "references.A.txt").read_bytes())
    gate = ["-d", documents, "--baseline", plain / "lead3.txt", "-m", "data-stats"]
    words = ["gate", plain / "rambler.txt", *gate, "--measures", "coverage"]
    answer = rubrica(*words)
    assert answer.code == 1
    assert "neither direction is better for coverage" in answer.err
    assert rubrica(*words, "--lower-is-better", "coverage").code in (0, 4)


class Length(ReferenceBasedMetric):
    """A metric of one's own of which shorter is better."""

    direction = "lower"

    def score_one(self, summary: str, references: list[str]) -> dict[str, float]:
        return {"characters": float(len(summary))}


def test_the_direction_of_a_metric_of_ones_own_counts() -> None:
    assert assert_not_worse(BAD, TEXTS, TEXTS, "characters", metric=Length(), rounds=500)[0].passed
    with pytest.raises(AssertionError, match="worse"):
        assert_not_worse(TEXTS, BAD, TEXTS, "characters", metric=Length(), rounds=500)


@pytest.mark.slow
def test_a_margin_is_kept_as_often_as_promised_also_on_few_inputs() -> None:
    """Truly worse by exactly the margin: the gate may pass in a share alpha of all cases."""
    random = np.random.default_rng(5)
    for inputs in (8, 40):
        passed = 0
        for seed in range(300):
            losses = random.normal(1.0, 4.0, inputs)
            rows = [
                [
                    StoredRow(str(n), system, "peer", MetricsDict({"x": value}))
                    for n, value in enumerate(np.atleast_1d(values))
                ]
                for system, values in (("old", np.zeros(inputs)), ("new", -losses))
            ]
            (verdict,) = judge(rows[0], rows[1], {"x": None}, margin=1.0, rounds=200, seed=seed)
            passed += verdict.passed
        assert 0.01 <= passed / 300 <= 0.09, inputs


@pytest.mark.slow
def test_the_plugin_tells_what_does_not_fit_without_a_traceback(
    pytester: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        f"""
        import pytest

        TEXTS = {TEXTS!r}

        @pytest.mark.parametrize("references", [TEXTS, TEXTS[::-1]])
        def test_summaries(assert_not_worse, references, request):
            request.config.option.rubrica_save = references is TEXTS
            assert_not_worse(TEXTS, "baseline.jsonl", references, "rouge-2.f1", rounds=500)
        """
    )
    answer = pytester.runpytest_subprocess("-p", "rubrica.pytest_plugin")
    answer.assert_outcomes(passed=1, failed=1)
    answer.stdout.fnmatch_lines(["*references or documents are not those of the baseline*"])
    answer.stdout.no_fnmatch_line("*MismatchError*")


def test_a_measure_without_its_part_is_f1(
    rubrica: Any, plain: Path, words: list[object], tmp_path: Path
) -> None:
    gate = [*words, "--baseline", tmp_path / "store.jsonl", "--measures"]
    assert rubrica("gate", plain / "lead3.txt", *gate, "rouge-2.f1", "--save").code == 0
    answer = rubrica("gate", plain / "lead3.txt", *gate, "rouge-2", "-f", "json")
    assert answer.code == 0
    assert json.loads(answer.out)["measures"][0]["measure"] == "rouge-2.f1"


def test_no_new_summaries_are_told(rubrica: Any, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    empty = tmp_path / "empty.txt"
    words = ["gate", empty, "-r", empty, "--baseline", empty, "--measures", "rouge-1.f1"]
    answer = rubrica(*words)
    assert (answer.code, answer.out) == (1, "")
    assert "there are no new summaries" in answer.err


def test_a_name_that_holds_several_measures_is_answered_with_them() -> None:
    from rubrica.comparison.baseline import StoredRow, measure_rows
    from rubrica.errors import UnknownNameError

    scores = MetricsDict({"m-1": {"f1": 1.0, "recall": None}, "units": {"x": 1.0, "y": 2.0}})
    rows = [StoredRow(name, "s", "peer", scores) for name in "ab"]
    with pytest.raises(UnknownNameError, match=r"no measure 'units'; did you mean 'units\.[xy]'"):
        measure_rows("units", None, rows)
    for name in ("m-1_f1", "m-1"):
        names, values = measure_rows(name, None, rows)
        assert (names, values.tolist()) == (("m-1.f1",), [[[1.0], [1.0]]])


def stored(path: Path, system: str, values: list[str]) -> Path:
    """A file of scores with these values of x, as JSON has them."""
    lines = (
        f'{{"instance_id": "d{at}", "summarizer_id": "{system}", "summarizer_type": "peer", '
        f'"metrics": {{"x": {value}}}}}\n'
        for at, value in enumerate(values)
    )
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize(
    ("inputs", "more", "reason"),
    [
        (4, [], "no loss on 4 inputs can have p <= 0.05"),
        (5, [], ""),
        (5, ["--alpha", "0.01"], "no loss on 5 inputs can have p <= 0.01"),
        (40, ["--rounds", "18"], "no loss on 40 inputs can have p <= 0.05 in 18 rounds"),
        (2, ["--test", "t"], ""),
        (12, ["--cluster", "id:^d1?"], "no loss on 2 clusters can have p <= 0.05"),
    ],
)
def test_a_gate_that_no_loss_can_fail_is_closed(
    rubrica: Any, tmp_path: Path, inputs: int, more: list[str], reason: str
) -> None:
    old = stored(tmp_path / "old.jsonl", "old", [f"{n % 3 + 5}" for n in range(inputs)])
    new = stored(tmp_path / "new.jsonl", "new", [f"{n % 3 + 1}.5" for n in range(inputs)])
    answer = rubrica("gate", new, "--baseline", old, "--measures", "x", *more)
    assert answer.code == 4, answer.out
    assert reason in answer.out
    assert ("can have" in answer.out) == bool(reason), answer.out
    # What is as good, or better, passes on any number of inputs.
    assert rubrica("gate", old, "--baseline", old, "--measures", "x", *more).code == 0
    assert rubrica("gate", old, "--baseline", new, "--measures", "x", *more).code == 0


@pytest.mark.parametrize("more", [[], ["--margin", "1"]])
def test_undefined_values_close_the_gate(rubrica: Any, tmp_path: Path, more: list[str]) -> None:
    old = stored(tmp_path / "old.jsonl", "old", ["1.0"] * 200)
    new = stored(tmp_path / "new.jsonl", "new", ["2.0"] + ["null"] * 199)
    gate = ["gate", new, "--baseline", old, "--measures", "x", *more]
    answer = rubrica(*gate)
    assert answer.code == 4
    assert "x: 199 of 200 inputs without a value" in answer.out
    # One value is not enough to compare, even when it may be missing elsewhere.
    assert rubrica(*gate, "--allow-undefined").code == 4
    some = stored(new, "new", ["null"] * 3 + ["1.5"] * 197)
    assert some == new
    answer = rubrica(*gate)
    assert answer.code == 4
    assert "3 of 200 inputs without a value; --allow-undefined leaves them out" in answer.out
    answer = rubrica(*gate, "--allow-undefined")
    assert answer.code == 0
    assert "x: 3 inputs without a value are left out" in answer.out
    found = json.loads(rubrica(*gate, "--allow-undefined", "-f", "json").out)["measures"][0]
    assert (found["inputs"], found["undefined"], found["new"]) == (197, 3, 1.5)


def test_inputs_without_a_value_are_left_out_of_both_sides(rubrica: Any, tmp_path: Path) -> None:
    """A system must not gain by having no value where inputs are hard."""
    old = stored(tmp_path / "old.jsonl", "old", ["0.0"] * 5 + ["9.0"] * 20)
    new = stored(tmp_path / "new.jsonl", "new", ["null"] * 5 + ["8.0"] * 20)
    gate = ["gate", new, "--baseline", old, "--measures", "x", "--allow-undefined"]
    answer = rubrica(*gate, "-f", "json")
    assert answer.code == 4
    assert json.loads(answer.out)["measures"][0]["difference"] == -1


@pytest.mark.parametrize("value", ["-1e999", "1e999", "-1e308"])
@pytest.mark.parametrize("more", [[], ["--allow-undefined"], ["--margin", "5"]])
def test_infinite_values_close_the_gate(
    rubrica: Any, tmp_path: Path, value: str, more: list[str]
) -> None:
    old = stored(tmp_path / "old.jsonl", "old", ["1.0"] * 20)
    new = stored(tmp_path / "new.jsonl", "new", [value] + ["2.0"] * 19)
    answer = rubrica("gate", new, "--baseline", old, "--measures", "x", *more)
    assert answer.code != 0
    assert "infinite" in answer.out + answer.err or "inf" in answer.out + answer.err


def test_the_gate_tests_clusters_as_units_and_by_any_one_sided_test(
    rubrica: Any, tmp_path: Path
) -> None:
    old = stored(tmp_path / "old.jsonl", "old", ["1.0"] * 20)
    losses = [f"{1 - 0.1 * (1 + at % 3)}" for at in range(20)]
    new = stored(tmp_path / "new.jsonl", "new", losses)
    gate = ["gate", new, "--baseline", old, "--measures", "x"]
    for test in ("ar", "bs", "t"):
        assert rubrica(*gate, "--test", test).code == 4
    # Two clusters can never be significant.
    clustered = rubrica(*gate, "--cluster", "id:^d1?")
    assert clustered.code == 4
    assert "no loss on 2 clusters can have p <= 0.05" in clustered.out
    assert "exchangeable on every cluster" in clustered.out
    assert "invalid choice" in rubrica(*gate, "--test", "bs-sacrebleu").err

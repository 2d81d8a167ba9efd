"""correlate, stat-sig-test and partial-conjunction-test on the sample data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of ROUGE, made once, and of TER, made up: it is slow, and only its name matters here."""
    from rubrica.cli.app import main

    folder = tmp_path_factory.mktemp("scores")
    news = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"
    rouge = folder / "rouge.jsonl"
    assert main(["rouge", "score", str(rouge), "--silent", "--input-files", str(news)]) == 0
    rows = [json.loads(line) for line in rouge.read_text().splitlines()]
    for row in rows:
        row["metrics"] = {"ter": 100 - row["metrics"]["rouge-2_jk"]["recall"]}
    (folder / "ter.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def files(scores: Path, news: Path) -> list[object]:
    human = news / "human.jsonl"
    return ["--scores", scores / "rouge.jsonl", scores / "ter.jsonl", human]


def correlate(*more: object) -> list[object]:
    return [
        "correlate",
        "--measures",
        "rouge-1_f1",
        "relevance",
        "--summarizer-type",
        "peer",
        *more,
    ]


def test_correlate_has_the_keys_of_sacrerouge(
    rubrica: Run, files: list[object], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "result.json"
    answer = rubrica(*correlate(*files, "--rounds", 200, "--output", out))
    assert answer.code == 0
    result = json.loads(out.read_text())
    assert [result[k] for k in ("metric1", "metric2", "summarizer_type")] == [
        "rouge-1_f1",
        "relevance",
        "peer",
    ]
    summary = result["summary_level"]
    assert (summary["num_summary_groups"], summary["ci_method"]) == (12, "jackknife")
    assert (summary["alpha"], summary["two_tailed"]) == (0.05, True)
    assert summary["pearson"]["r"] == pytest.approx(0.7671, abs=1e-4)
    assert "p_value" not in summary["pearson"]
    system = result["system_level"]
    assert (system["num_summarizers"], system["num_instances"]) == (6, 12)
    assert set(system["spearman"]) >= {"rho", "p_value", "lower", "upper"}
    assert result["global"]["num_summaries"] == 72
    assert result["global"]["kendall"]["lower"] < result["global"]["kendall"]["tau"]
    assert result["join"]["dropped_type"] == {"reference": 36}
    assert result["join"]["merged"] == 216
    assert "0.7671" in answer.out
    assert "level:summary+system+global|coef:pearson+spearman+kendall" in answer.out
    assert "dropped 36 of 108 summaries: of type 'reference'" in answer.err


def test_the_seed_decides(rubrica: Run, files: list[object]) -> None:
    def run(*more: object) -> Any:
        method = "--confidence-interval-method", "bootstrap-both"
        words = correlate(*files, "--format", "json", "--rounds", 50, *method, *more)
        return json.loads(rubrica(*words).out)["system_level"]["pearson"]

    assert run() == run()
    assert run("--workers", 1) == run("--workers", 3)
    assert run()["lower"] != run("--seed", 7)["lower"]


def test_levels_and_coefficients_can_be_chosen(rubrica: Run, files: list[object]) -> None:
    words = correlate(
        *files, "--skip-summary-level", "--skip-global", "--coefficients", "tau-a", "tau-c"
    )
    answer = rubrica(*words, "--format", "json", "--confidence-interval-method", "fisher")
    result = json.loads(answer.out)
    assert "summary_level" not in result
    assert "global" not in result
    assert "tau" in result["system_level"]["tau-a"]
    assert result["system_level"]["tau-c"]["lower"] is not None


def test_rounds_by_level_and_coefficient(rubrica: Run, files: list[object]) -> None:
    kwargs = {"num_samples": 30, "global": {"num_samples": 20, "kendall": {"num_samples": 10}}}
    words = correlate(
        *files, "--format", "json", "--confidence-interval-kwargs", json.dumps(kwargs)
    )
    words += ["--confidence-interval-method", "bootstrap-both"]
    result = json.loads(rubrica(*words).out)
    assert "|bs:30|" in result["system_level"]["kendall"]["signature"]
    assert "|bs:20|" in result["global"]["pearson"]["signature"]
    assert "|bs:10|" in result["global"]["kendall"]["signature"]


def test_references_have_jackknifed_scores_only_beside_peers(
    rubrica: Run, files: list[object]
) -> None:
    words = ["correlate", "--measures", "rouge-1_jk.f1", "relevance", "--summarizer-type", "all"]
    answer = rubrica(*words, *files, "--rounds", 20, "--format", "json")
    assert json.loads(answer.out)["system_level"]["num_summarizers"] == 9


def test_a_test_reverses_a_lower_metric_and_shows_its_plain_correlation(
    rubrica: Run, files: list[object]
) -> None:
    words = ["stat-sig-test", "--human", "relevance", "--summarizer-type", "peer"]
    words += ["--measures", "rouge-1_f1", "ter", "--rounds", "200"]
    answer = rubrica(*words, *files, "--format", "json")
    result = json.loads(answer.out)
    assert "lower is better: ter; correlations are plain coefficients" in answer.err
    assert result["H1"] == "r(rouge-1_f1, relevance) > -r(ter, relevance)"
    assert result["lower_is_better"] == ["ter"]
    assert result["system_level"]["pearson"]["metric_B"] < 0
    answer = rubrica(*correlate(*files, "--rounds", 20, "--lower-is-better", "rouge-1.f1"))
    assert "lower is better: rouge-1.f1; correlations are plain coefficients" in answer.err


def test_stat_sig_test_has_the_keys_of_sacrerouge(
    rubrica: Run, files: list[object], tmp_path: Path
) -> None:
    words: list[object] = ["stat-sig-test", "--human", "relevance"]
    words += ["--measures", "rouge-1_f1", "rouge-2_f1", "--summarizer-type", "peer"]
    words += [*files, "--rounds", 200, "--seed", 4]
    out = tmp_path / "p.json"
    answer = rubrica(*words, "--output", out)
    result = json.loads(out.read_text())
    assert result["H0"] == "r(rouge-1_f1, relevance) <= r(rouge-2_f1, relevance)"
    assert result["H1"] == "r(rouge-1_f1, relevance) > r(rouge-2_f1, relevance)"
    assert (result["test_method"], result["alpha"]) == ("permutation-two-way", 0.05)
    entry = result["global"]["kendall"]
    assert entry["is_significant"] == (entry["pvalue"] <= 0.05)
    assert "scheme:systems+inputs+cells|p:plus-one|perms:200|seed:4" in answer.out
    two = json.loads(rubrica(*words, "--num-tails", 2, "--format", "json").out)
    assert "==" in two["H0"]
    holm = json.loads(rubrica(*words, "--correction", "holm", "--format", "json").out)
    entry = holm["system_level"]["pearson"]
    assert entry["adjusted_pvalue"] >= entry["pvalue"]
    for test in ("bootstrap-both", "permutation-input", "williams"):
        assert rubrica(*words, "--hypothesis-test", test).code == 0
    names = ["--names", "one", "two", "--pvalue-json-files", out, out]
    answer = rubrica("partial-conjunction-test", *names, "--alpha", 0.99, "--format", "json")
    found = json.loads(answer.out)
    assert found["method"] == "bonferroni"
    assert set(found["summary_level"]["pearson"]) == {"k", "significant"}
    assert rubrica("partial-conjunction-test", *names).out.startswith("level")


def test_a_missing_p_value_counts_as_one(rubrica: Run, tmp_path: Path) -> None:
    for name, p in (("a", 0.001), ("b", None)):
        level = {"pearson": {"pvalue": p, "is_significant": False}}
        (tmp_path / name).write_text(json.dumps({"system_level": level}))
    words = ["--pvalue-json-files", tmp_path / "a", tmp_path / "b", "--names", "A", "B"]
    answer = rubrica("partial-conjunction-test", *words, "--format", "json")
    assert json.loads(answer.out)["system_level"]["pearson"] == {"k": 1, "significant": ["A"]}
    assert "has no p-value; it counts as 1" in answer.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "head", "style"),
    [("svg", b"<svg", []), ("png", b"\x89PNG", []), ("pdf", b"%PDF", ["--plot-style", "acl"])],
)
def test_plots_are_drawn(
    rubrica: Run, files: list[object], tmp_path: Path, ending: str, head: bytes, style: list[str]
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    system, whole = tmp_path / f"s.{ending}", tmp_path / f"g.{ending}"
    words = ["--system-level-output-plot", system, "--global-output-plot", whole, *style]
    answer = rubrica(*correlate(*files, *words, "--confidence-interval-method", "none"))
    assert answer.code == 0
    assert system.read_bytes().startswith(head)
    assert whole.read_bytes().startswith(head)


def test_without_the_plot_libraries_the_remedy_is_told(
    rubrica: Run, files: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    answer = rubrica(*correlate(*files, "--global-output-plot", "x.svg"))
    assert (answer.code, "pip install 'rubrica[plots]'" in answer.err) == (3, True)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--measures", "rouge-1_f2", "relevance"], 1, "did you mean 'rouge-1.f1'"),
        (["--measures", "relevance"], 2, "expected 2 arguments"),
        (["--confidence", "0"], 2, "--confidence must lie between 0 and 100"),
        (["--rounds", "0"], 2, "--rounds must be at least 1"),
        (["--seed", "-1"], 2, "--seed must be a whole number from 0"),
        (["--undefined", "skip"], 2, "invalid choice: 'skip'"),
        (["--confidence-interval-method", "bootstrap"], 2, "invalid choice: 'bootstrap'"),
        (["--confidence-interval-kwargs", "{"], 2, "not valid JSON"),
        (["--confidence-interval-kwargs", "[]"], 2, "must be a JSON object"),
        (["--confidence-interval-kwargs", '{"samples": 3}'], 2, "no key 'samples'"),
        (["--confidence-interval-kwargs", '{"num_samples": 0}'], 2, "whole number from 1 on"),
        (["--skip-summary-level", "--skip-system-level", "--skip-global"], 2, "every level"),
        (["--global-output-plot", "a.gif"], 2, "ends in .svg, .png or .pdf"),
        (["--skip-global", "--global-output-plot", "a.svg"], 2, "that level is skipped"),
        (["--lower-is-better", "relevanc"], 2, "did you mean relevance?"),
        (["--output-fil", "x"], 2, "did you mean --output"),
        (["--num-tails", "1", "--confidence", "40"], 1, "needs a confidence above 50"),
    ],
)
def test_mistakes_are_told(
    rubrica: Run, files: list[object], words: list[object], code: int, told: str
) -> None:
    answer = rubrica(*correlate(*files), "--rounds", 9, *words)
    assert (answer.code, told in answer.err) == (code, True), answer.err


def test_nothing_left_says_why(rubrica: Run, news: Path, tmp_path: Path) -> None:
    words = ["correlate", "--measures", "relevance", "fluency", "--summarizer-type", "reference"]
    row = {"instance_id": "d", "summarizer_id": "s", "summarizer_type": "peer"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({**row, "metrics": {"relevance": 1, "fluency": 2}}))
    answer = rubrica(*words, "--scores", path)
    assert answer.code == 1
    assert "no summary is left to compare; dropped 1 of 1 summaries: of type 'peer'" in answer.err
    path.write_text("")
    answer = rubrica(*words, "--scores", path)
    assert (answer.code, f"no rows of scores in {path}" in answer.err) == (1, True)


def test_partial_conjunction_mistakes(rubrica: Run, tmp_path: Path) -> None:
    good, bad, other = (tmp_path / name for name in ("good", "bad", "other"))
    good.write_text('{"global": {"pearson": {"pvalue": 0.1}}}')
    bad.write_text('{"global": {"pearson": {"pvalue": 7}}}')
    other.write_text('{"system_level": {}}')

    def run(files: list[Path], *more: object) -> Any:
        names = [path.name for path in files]
        return rubrica(
            "partial-conjunction-test", "--pvalue-json-files", *files, "--names", *names, *more
        )

    assert (
        "1 files but 2 names"
        in rubrica("partial-conjunction-test", "--pvalue-json-files", good, "--names", "a", "b").err
    )
    assert "not a p-value: 7" in run([bad]).err
    assert "which the first file has" in run([good, other]).err
    assert "--alpha must lie between" in run([good], "--alpha", 2).err
    good.write_text("[1]")
    assert "not a result of stat-sig-test" in run([good]).err
    good.write_text("{")
    assert "not valid JSON" in run([good]).err


def test_significant_inputs_are_an_addition(rubrica: Run, files: list[object]) -> None:
    words = correlate(*files, "--rounds", 50, "--max-input-p", 0.05)
    answer = rubrica(*words)
    assert "summary, p <= 0.05" in answer.out
    found = json.loads(rubrica(*words, "--format", "json").out)["summary_level"]["kendall"]
    some = found["significant_inputs"]
    assert (some["used"] + some["ignored"], some["value"] > found["tau"]) == (12, True)
    assert "max-p:0.05" in some["signature"]
    assert rubrica(*words[:-1], 0).code == 2
    assert rubrica(*words, "--skip-summary-level").code == 2


def test_every_command_gives_a_correlation_the_same_sign(rubrica: Run, files: list[object]) -> None:
    """Lower TER is better, so it correlates negatively with relevance: by every command."""
    rest = ["--summarizer-type", "peer", *files, "--rounds", 20, "--format", "json"]
    human = ["--human", "relevance", "--measures", "ter"]

    def run(*words: object) -> Any:
        return json.loads(rubrica(*words, *rest).out)

    plain = run("correlate", "--measures", "ter", "relevance")["system_level"]["kendall"]["tau"]
    assert plain < 0
    whole = run("meta-evaluate", "--human", "relevance", "--measures", "ter", "rouge-1.f1")
    ranking = next(
        one
        for one in whole["rankings"]
        if (one["level"], one["coefficient"]) == ("system", "kendall")
    )
    ter = next(one for one in ranking["metrics"] if one["metric"] == "ter")
    assert (ter["value"], ter["sign"]) == (plain, -1)
    curve = next(one for one in whole["curves"] if one["metric"] == "ter")
    assert curve["top_systems"][0]["value"] == plain
    words = ["stat-sig-test", "--human", "relevance", "--measures", "rouge-1.f1"]
    assert run(*words, "ter")["system_level"]["kendall"]["metric_B"] == plain
    ranked = run("system-ranking", *human)["metrics"]["ter"]
    assert ranked["system_level"]["value"] == plain
    assert ranked["interval"]["upper"] < 1
    assert ranked["top_systems"][0]["value"] == ranked["close_pairs"][-1]["tau"] == plain
    pairs = run("pairwise", *human)["metrics"]["ter"]
    summary = run("correlate", "--measures", "ter", "relevance")["summary_level"]
    assert pairs["tau-b"]["value"] == pytest.approx(summary["kendall"]["tau"])
    assert pairs["difference-pearson"]["value"] < 0
    assert pairs["acc_eq"]["value"] > 0.5, "TER orders pairs as people do, lower first"
    command: list[object] = [
        "partial-correlation",
        *human,
        "--summarizer-type",
        "peer",
        *files,
        "--format",
        "json",
    ]
    partial = json.loads(rubrica(*command).out)["metrics"]["ter"]["given_system"]
    assert partial["kendall"]["plain"] < 0


def test_inputs_of_one_cluster_are_resampled_together(rubrica: Run, files: list[object]) -> None:
    words = correlate(*files, "--coefficients", "pearson", "--format", "json")
    plain, clustered = (
        json.loads(rubrica(*words, *more).out)["summary_level"]["pearson"]
        for more in ([], ["--cluster", "id:.$"])
    )
    assert plain["r"] == clustered["r"]
    assert plain["lower"] != clustered["lower"]
    assert "clusters:" in clustered["signature"]
    assert "clusters:" not in plain["signature"]


def test_a_cluster_rule_that_no_id_matches_is_an_error(rubrica: Run, files: list[object]) -> None:
    answer = rubrica(*correlate(*files, "--cluster", "id:nothing-like-it"))
    assert answer.code != 0
    assert "no cluster for input" in answer.err

"""meta-evaluate on made-up scores: every format, the file that reproduces a result, mistakes."""

from __future__ import annotations

import csv
import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow

Run = Callable[..., Any]
METRICS = ["good_f1", "fair", "pair_wise.f1"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three metrics and two human scores of 6 systems on 9 inputs; one peer metric has gaps."""
    folder = tmp_path_factory.mktemp("scores")
    rng = np.random.default_rng(1)
    rows: dict[str, list[str]] = {"metrics": [], "human": []}
    for system in range(6):
        for number in range(9):
            truth = system / 2 + rng.normal()
            key = {"instance_id": f"d{number}", "summarizer_id": f"s{system}"}
            key["topic"] = f"t{number // 3}"
            key["summarizer_type"] = "reference" if system == 5 else "peer"
            made = {
                "good": {"f1": truth + 0.2 * rng.normal()},
                "fair": truth + rng.normal(),
                "pair_wise": {"f1": -truth + 3 * rng.normal()},
                "note": "text",
            }
            if number:
                made["gappy"] = 1.0
            rows["metrics"].append(json.dumps(key | {"metrics": made}))
            judged = {"likert": [round(truth), round(truth + rng.normal())], "fluency": truth}
            rows["human"].append(json.dumps(key | {"metrics": judged}))
    paths = [folder / f"{name}.jsonl" for name in rows]
    for path, lines in zip(paths, rows.values(), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


@pytest.fixture
def words(files: list[Path]) -> list[object]:
    return [
        *["meta-evaluate", "--scores", *files, "--human", "likert"],
        *["--summarizer-type", "peer", "--rounds", 199],
    ]


def test_the_json_has_all_rankings(rubrica: Run, words: list[object]) -> None:
    test = "--hypothesis-test", "permutation-both"
    answer = rubrica(*words, "--measures", *METRICS, "--format", "json", *test)
    assert answer.code == 0, answer.err
    result = json.loads(answer.out)
    keys = [(one["human"], one["level"], one["coefficient"]) for one in result["rankings"]]
    levels, names = ("summary", "system", "global"), ("pearson", "spearman", "kendall")
    assert keys == [("likert", level, name) for level in levels for name in names]
    first = result["rankings"][6]
    assert [one["metric"] for one in first["metrics"]] == ["good.f1", "fair", "pair_wise.f1"]
    assert first["metrics"][0]["cluster"] == 1
    assert first["metrics"][0]["beats"][-1] == "pair_wise.f1"
    assert first["metrics"][0]["lower"] < first["metrics"][0]["value"]
    assert first["p_values"][0][0] is None
    assert first["p_values"][0][2] <= first["adjusted_p_values"][0][2]
    assert "|test:permutation-both|" in first["signature"]
    assert result["join"]["dropped_type"] == {"reference": 9}
    assert "dropped 9 of 54 summaries: of type 'reference'" in answer.err


def test_inputs_of_one_cluster_are_resampled_together(
    rubrica: Run, words: list[object], tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    more = ["--measures", *METRICS, "--coefficients", "pearson", "--format", "json"]
    plain, clustered, repeated = (
        json.loads(rubrica(*answer).out)["rankings"][0]
        for answer in (
            [*words, *more],
            [*words, *more, "--cluster", "topic", "--output-config", config],
            ["meta-evaluate", "--config", config, "--format", "json"],
        )
    )
    assert plain["metrics"][0]["value"] == clustered["metrics"][0]["value"]
    assert plain["metrics"][0]["lower"] != clustered["metrics"][0]["lower"]
    assert "|input-clusters:3|" in clustered["signature"]
    assert repeated == clustered


def test_it_agrees_with_the_commands_for_one_and_two_metrics(
    rubrica: Run, words: list[object]
) -> None:
    result = json.loads(rubrica(*words, "--measures", *METRICS, "--format", "json").out)
    ranking = result["rankings"][0]
    rest = [*words[1:4], *words[6:], "--format", "json"]
    one = json.loads(rubrica("correlate", "--measures", "good_f1", "likert", *rest).out)
    found, mine = one["summary_level"]["pearson"], ranking["metrics"][0]
    assert [mine[key] for key in ("value", "lower", "upper")] == [
        found[key] for key in ("r", "lower", "upper")
    ]
    pair = ["--measures", "good_f1", "pair_wise.f1", "--human", "likert"]
    test = json.loads(rubrica("stat-sig-test", *pair, *rest).out)
    assert ranking["p_values"][0][2] == test["summary_level"]["pearson"]["pvalue"]


def test_all_other_measures_by_default(rubrica: Run, words: list[object]) -> None:
    answer = rubrica(*words, "--human", "fluency", "--format", "json")
    assert answer.code == 0, answer.err
    assert "left out, since some summaries lack them: gappy" in answer.err
    result = json.loads(answer.out)
    assert result["config"]["measures"] == ["good.f1", "fair", "pair_wise.f1"]
    assert {one["human"] for one in result["rankings"]} == {"likert", "fluency"}


def test_table_and_markdown(rubrica: Run, words: list[object]) -> None:
    out = rubrica(*words, "--measures", *METRICS).out
    assert out.count("likert, ") == 3
    assert "\n\nbeats: letters of the metrics that this one significantly beats\n" in out
    assert "likert, global level" in out
    row = next(line for line in out.partition("global level")[2].splitlines() if "good.f1" in line)
    assert row.startswith("a  good.f1")
    assert row.split()[5] == "1"
    out = rubrica(*words, "--measures", *METRICS, "--format", "markdown").out
    assert "### likert, system level\n\n|  | metric | pearson | interval | cluster | beats |" in out
    assert out.count("| a | good.f1 |") == 3


def test_other_human_scores_are_no_metrics(rubrica: Run, words: list[object]) -> None:
    answer = rubrica(*words, "--format", "json")
    assert "since they look like human scores: fluency; name them with --measures" in answer.err
    assert json.loads(answer.out)["config"]["measures"] == ["good.f1", "fair", "pair_wise.f1"]
    named = rubrica(*words, "--format", "json", "--measures", "fluency", "fair")
    assert json.loads(named.out)["config"]["measures"] == ["fluency", "fair"]


def test_latex_is_escaped_and_has_superscripts(rubrica: Run, words: list[object]) -> None:
    test = "--hypothesis-test", "permutation-both"
    out = rubrica(*words, "--measures", *METRICS, "--format", "latex", *test).out
    for told in (r"\toprule", r"\bottomrule", r"pair\_wise.f1", r"$^{\mathrm{", r"\end{table"):
        assert told in out
    body = [line for line in out.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in body} == {1 + 3 * 3}
    captions = [line for line in out.splitlines() if line.startswith(r"\caption{")]
    assert captions[0].startswith(
        r"\caption{Correlations with likert at the summary level. The best is bold."
    )
    # The best of each level and coefficient.
    assert out.count(r"$\mathbf{") == 3 * 3


def test_latex_with_several_human_scores_has_minus_signs_and_sentences(
    rubrica: Run, words: list[object]
) -> None:
    at = words.index("likert") + 1
    options = "--coefficients", "pearson", "--skip-global", "--format", "latex"
    out = rubrica(*words[:at], "fluency", *words[at:], "--measures", *METRICS, *options).out
    first = out.partition(r"\end{table")[0]
    assert "Pearson correlations with human scores at the summary level. The best of each" in first
    assert "$-$0." in first
    assert " -0." not in first


def test_csv_has_full_digits(rubrica: Run, words: list[object]) -> None:
    out = rubrica(*words, "--measures", *METRICS, "--format", "csv").out
    rows = list(csv.DictReader(out.splitlines()))
    assert len(rows) == 3 * 3 * 3
    result = json.loads(rubrica(*words, "--measures", *METRICS, "--format", "json").out)
    assert float(rows[0]["value"]) == result["rankings"][0]["metrics"][0]["value"]
    assert rows[0]["beats"].split() == result["rankings"][0]["metrics"][0]["beats"]


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.json", "{"),
        ("r.md", "### "),
        ("r.tex", "% Needs"),
        ("r.csv", "human,"),
        ("r.txt", "lik"),
    ],
)
def test_the_ending_decides_what_a_file_holds(
    rubrica: Run, words: list[object], tmp_path: Path, name: str, begins: str
) -> None:
    out = tmp_path / "new" / name
    words += ["--measures", "fair", "good_f1", "--skip-global", "--rounds", 9]
    assert rubrica(*words, "--output", out).code == 0
    assert out.read_text().startswith(begins)


def test_a_file_reproduces_a_result_to_the_byte(
    rubrica: Run, words: list[object], tmp_path: Path
) -> None:
    first, second, third = (tmp_path / f"{n}.json" for n in range(3))
    toml = tmp_path / "again.toml"
    more = ["--coefficients", "kendall", "pearson", "--skip-global", "--seed", 7, "--signed"]
    more += ["--lower-is-better", "fair", "--correction", "benjamini-hochberg"]
    more += ["--confidence", 90, "--test-tails", 2, "--clusters", "layers"]
    answer = rubrica(*words, *more, "--output", first, "--output-config", toml)
    assert answer.code == 0, answer.err
    assert rubrica("meta-evaluate", "--config", toml, "--output", second).code == 0
    assert first.read_bytes() == second.read_bytes()
    one = ["--workers", 1, "--output", third]
    assert rubrica("meta-evaluate", f"--config={first}", *one).code == 0
    assert first.read_bytes() == third.read_bytes()
    assert tomllib.loads(toml.read_text()) == json.loads(first.read_text())["config"]
    changed = rubrica("meta-evaluate", "--config", toml, "--seed", 8, "--format", "json").out
    assert json.loads(changed)["config"]["seed"] == 8


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ('humans = ["likert"]', 1, "{path} has no key 'humans'; did you mean 'human'"),
        ("rounds = 0", 2, "--rounds must be at least 1"),
        ('rounds = "many"', 2, "argument --rounds: invalid int value"),
        ("skip_global = 3", 1, "'skip_global' must be true or false, not 3"),
        ("seed = true", 1, "'seed' must be a text, a number or a list"),
        ("measures = [[1]]", 1, "'measures' must be a text, a number or a list of them"),
        ('measures = ["fair", "--output=x"]', 1, "'measures' must not hold options: '--output=x'"),
        ("seed = ", 1, "not valid TOML"),
    ],
)
def test_mistakes_in_a_file(
    rubrica: Run, words: list[object], tmp_path: Path, text: str, code: int, told: str
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    answer = rubrica(*words[:-2], "--config", path)
    assert (answer.code, told.format(path=path) in answer.err) == (code, True), answer.err


def test_a_file_imports_no_package_that_the_command_line_does_not_name(
    rubrica: Run, words: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named_in_a_file.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "named_in_a_file", raising=False)
    config = tmp_path / "a.toml"
    config.write_text('include_packages = ["named_in_a_file"]')
    refused = rubrica(*words, "--config", config)
    assert (refused.code, "named_in_a_file" in sys.modules) == (1, False)
    assert (
        "'include_packages' imports code; if you trust it: --include-packages named" in refused.err
    )
    answer = rubrica(*words, "--config", config, "--include-packages", "named_in_a_file")
    assert (answer.code, "named_in_a_file" in sys.modules) == (0, True), answer.err
    monkeypatch.delitem(sys.modules, "named_in_a_file")


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--human", "likerd"], 1, "no measure 'likerd'; did you mean 'likert'"),
        (["--measures", "god"], 1, "no measure 'god'; did you mean 'good.f1'"),
        (["--measures", "likert"], 1, "named as a metric and as a human score"),
        (["--measures", "fair", "fair"], 1, "metric 'fair' is named twice"),
        (["--measures", "note"], 1, "is not a number: 'text'"),
        (["--format", "html"], 2, "invalid choice: 'html'"),
        (["--config"], 2, "argument --config: expected one argument"),
        (["--config", "nowhere.toml"], 1, "nowhere.toml"),
        (["--corection", "holm"], 2, "did you mean --correction"),
        (["--summarizer-type", "reference", "--measures", "nothing"], 1, "no measure 'nothing'"),
    ],
)
def test_mistakes(
    rubrica: Run, words: list[object], more: list[object], code: int, told: str
) -> None:
    answer = rubrica(*words, *more)
    assert (answer.code, told in answer.err) == (code, True), answer.err


def test_too_few_rounds_for_the_correction_are_told(rubrica: Run, words: list[object]) -> None:
    answer = rubrica(*words, "--rounds", 99, "--skip-global")
    assert "with 99 rounds and 6 tests no adjusted p-value is below 0.06" in answer.err


def test_plots_name_the_metrics(rubrica: Run, words: list[object], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    words += ["--measures", "fair", "good_f1", "--skip-summary-level", "--coefficients", "pearson"]
    answer = rubrica(*words, "--plots", tmp_path, "--plot-format", "svg", "png")
    assert (answer.code, f"written: 20 plots in {tmp_path}" in answer.err) == (0, True)
    names = {"top-systems-likert", "close-pairs-likert"}
    for level in ("system", "global"):
        names |= {f"forest-likert-{level}", f"tests-likert-{level}-pearson"}
        names |= {f"scatter-likert-{metric}-{level}" for metric in ("fair", "good.f1")}
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{ending}" for name in names for ending in ("svg", "png")
    }
    for path in tmp_path.iterdir():
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
            continue
        text = path.read_text()
        shown = ["good.f1", "fair"]
        if path.name.startswith("scatter"):
            shown = ["likert", "s0", "s4"]
        assert all(f">{name}<" in text for name in shown), path.name


def test_a_scatter_plot_marks_a_measure_whose_lower_values_are_better(
    rubrica: Run, words: list[object], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    words += ["--measures", "fair", "good_f1", "--skip-summary-level", "--skip-global"]
    words += ["--coefficients", "pearson", "--lower-is-better", "fair", "--plots", tmp_path]
    assert rubrica(*words).code == 0
    note = "↓ lower is better"
    assert note in (tmp_path / "scatter-likert-fair-system.svg").read_text()
    assert note not in (tmp_path / "scatter-likert-good.f1-system.svg").read_text()

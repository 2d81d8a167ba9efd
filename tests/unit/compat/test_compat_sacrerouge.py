"""Code, configurations and command lines written for SacreROUGE run on `rubrica.compat.sacrerouge`."""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rubrica import score
from rubrica.compat import sacrerouge
from rubrica.compat.sacrerouge import modules
from rubrica.compat.sacrerouge.__main__ import main
from rubrica.compat.sacrerouge.commands.correlate import compute_correlation
from rubrica.compat.sacrerouge.commands.score import score_instances
from rubrica.compat.sacrerouge.common import ConfigurationError, Params
from rubrica.compat.sacrerouge.data import EvalInstance, Jackknifer, Metrics, MetricsDict, Pyramid
from rubrica.compat.sacrerouge.data.fields import Fields, ReferencesField, SummaryField
from rubrica.compat.sacrerouge.io import JsonlReader, JsonlWriter
from rubrica.compat.sacrerouge.metrics import (
    BertScore,
    Meteor,
    Metric,
    PythonRouge,
    ReferenceBasedMetric,
    Rouge,
    SentBleu,
)
from rubrica.compat.sacrerouge.stats import (
    bootstrap_ci,
    bootstrap_system_sample,
    corr_diff_test,
    global_corr,
)
from rubrica.datasets.readers import DatasetReader
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric import METRICS

SUMMARY = "Dan walked to the bakery this morning."
REFERENCE = "Dan went to buy scones earlier this morning."


@pytest.fixture
def installed() -> Any:
    before = list(sys.meta_path), set(sys.modules)
    sacrerouge.install()
    yield importlib.import_module("sacrerouge")
    sys.meta_path[:] = before[0]
    for name in [n for n in sys.modules if n.partition(".")[0] == "sacrerouge"]:
        del sys.modules[name]


def rows_file(folder: Path) -> str:
    """Two inputs, peers 1 and 2, references A and B, each row without its own reference."""
    texts = {"A": "the cat sat on the mat", "B": "a cat was on a mat", "C": "the mat had a cat"}
    rows = []
    for instance in ("d1", "d2"):
        for system, text in (("1", "the cat sat"), ("2", "a dog sat on the mat")):
            references = [{"text": f"{one} {instance}"} for one in texts.values()]
            rows.append(row(instance, system, "peer", text, references))
        for system in ("A", "B"):
            others = [{"text": f"{t} {instance}"} for name, t in texts.items() if name != system]
            rows.append(row(instance, system, "reference", texts[system], others))
    path = folder / "summaries.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return str(path)


def row(instance: str, system: str, kind: str, text: str, references: Any) -> dict[str, Any]:
    return {
        "instance_id": instance,
        "summarizer_id": system,
        "summarizer_type": kind,
        "summary": {"text": text},
        "references": references,
    }


class TestModules:
    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("sacrerouge.metrics", "SUPERT"),
            ("sacrerouge.metrics", "SummaryBasedMetric"),
            ("sacrerouge.metrics", "ReferenceFreeMetric"),
            ("sacrerouge.metrics.rouge", "Rouge"),
            ("sacrerouge.metrics.qaeval", "QAEVAL_INSTALLED"),
            ("sacrerouge.metrics.docker", "DockerBluert"),
            ("sacrerouge.metrics.python_rouge", "shorten_summary"),
            ("sacrerouge.data", "EvalInstance"),
            ("sacrerouge.data.metrics_dict", "MetricsDict"),
            ("sacrerouge.data.jackknifers", "ReferencesJackknifer"),
            ("sacrerouge.data.types", "SummaryType"),
            ("sacrerouge.data.fields", "PyramidAnnotationField"),
            ("sacrerouge.data.dataset_readers", "SummaryOnlyDatasetReader"),
            ("sacrerouge.data.dataset_readers.document_based", "flatten_document"),
            ("sacrerouge.commands", "DatasetSetupSubcommand"),
            ("sacrerouge.commands.subcommand", "RootSubcommand"),
            ("sacrerouge.commands.stat_sig_test", "run_hypothesis_tests"),
            ("sacrerouge.io.jsonl_reader", "JsonlReader"),
            ("sacrerouge.common.testing.util", "command_exists"),
            ("sacrerouge.common.from_params", "construct_arg"),
            ("sacrerouge.stats", "williams_diff_test"),
            ("sacrerouge.scripts.create_correlations_table", "main"),
        ],
    )
    def test_a_module_path_imports(self, installed: Any, path: str, name: str) -> None:
        assert hasattr(importlib.import_module(path), name)

    @pytest.mark.parametrize("name", ["SUPERT", "Blanc", "SumQE"])
    def test_a_class_cuts_sentences_as_the_original_does(self, name: str) -> None:
        metric = getattr(importlib.import_module("rubrica.compat.sacrerouge.metrics"), name)()
        assert metric.rubrica.sentence_splitter == "punkt"

    def test_both_names_of_a_module_are_one_module(self, installed: Any) -> None:
        assert importlib.import_module("sacrerouge.metrics.metric").Metric is Metric
        assert importlib.import_module("rubrica.compat.sacrerouge.metrics.rouge").Rouge is Rouge

    def test_every_alias_points_at_a_module(self) -> None:
        for address in modules.ALIASES.values():
            importlib.import_module(f"{modules.OURS}.{address}".rstrip("."))

    def test_a_module_that_sacrerouge_lacks_does_not_import(self, installed: Any) -> None:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("sacrerouge.metrics.nonsense")

    @pytest.mark.slow
    def test_the_shim_runs_its_command_lines(self, tmp_path: Path) -> None:
        shim = Path(__file__).parents[3] / "packages" / "rubrica-sacrerouge" / "src"
        script = (
            f"import sys; sys.path.insert(0, {str(shim)!r})\n"
            "from sacrerouge.metrics import Rouge\n"
            "import runpy; sys.argv = ['sacrerouge', 'setup-metric']\n"
            "runpy.run_module('sacrerouge', run_name='__main__', alter_sys=True)"
        )
        command = [sys.executable, "-c", script]
        run = subprocess.run(command, check=False, capture_output=True, text=True)
        assert "python-rouge" in run.stdout

    def test_the_shim_runs_scripts_by_their_names_in_sacrerouge(self) -> None:
        shim = Path(__file__).parents[3] / "packages" / "rubrica-sacrerouge" / "src"
        command = [sys.executable, "-m", "sacrerouge.scripts.create_correlations_table", "--help"]
        environment = {**os.environ, "PYTHONPATH": str(shim)}
        run = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        assert run.returncode == 0, run.stderr
        assert "--input" in run.stdout


class TestMetricsDict:
    def test_reading_a_missing_key_creates_it(self) -> None:
        scores = MetricsDict()
        scores["rouge-1"]["f1"] = 4
        assert scores == {"rouge-1": {"f1": 4}}
        assert isinstance(scores["rouge-1"], MetricsDict)

    def test_sums_keep_their_type(self) -> None:
        total = sum([MetricsDict({"a": {"b": 1}}), MetricsDict({"a": {"b": 3}})]) / 2
        assert total == {"a": {"b": 2}}
        assert total["c"] == {}

    def test_rows_change_in_place(self) -> None:
        metrics = Metrics("d1", "1", "peer", {"r": {"f1": [1, 3]}})
        metrics.flatten_keys()
        metrics.average_values()
        metrics.merge(Metrics("d1", "1", "peer", {"x": 1}))
        assert metrics.metrics == {"r_f1": 2, "x": 1}

    def test_of_two_paths_with_one_name_the_last_counts(self) -> None:
        assert MetricsDict({"a": {"b_c": 1}, "a_b": {"c": 2}}).flatten_keys() == {"a_b_c": 2}


class TestMetrics:
    def test_rouge_has_the_scores_of_its_readme(self) -> None:
        scores = Rouge(max_ngram=2).score(SUMMARY, [REFERENCE])
        assert scores["rouge-1"]["f1"] == pytest.approx(53.333)
        assert scores["rouge-2"]["recall"] == pytest.approx(14.286)

    def test_parameters_of_the_original_are_accepted(self) -> None:
        metric = BertScore(nthreads=2, batch_size=8, verbose=True, idf=True)
        assert metric.rubrica.parameters()["idf"] is True
        assert metric.rubrica.parameters()["lang"] == "en"
        assert SentBleu(lowercase=True).rubrica.parameters()["lowercase"] is True

    def test_every_metric_with_a_model_takes_the_models_of_the_original(self) -> None:
        assert BertScore().rubrica.model_type == "roberta-large"  # type: ignore[attr-defined]

    def test_meteor_without_its_table_says_where_to_get_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(MissingResourceError, match="pycocoevalcap"):
            Meteor(str(tmp_path))

    def test_other_scripts_score_zero_as_in_perl(self) -> None:
        with pytest.warns(UserWarning, match="drops most letters"):
            scores = Rouge(max_ngram=1).score("สวัสดี", ["สวัสดี"])
        assert scores["rouge-1"]["f1"] == 0

    def test_python_rouge_has_the_steps_that_users_call(self) -> None:
        metric = PythonRouge(max_words=3, remove_stopwords=True)
        assert metric.preprocess_summary("The dogs were walking home") == [["dog"]]
        assert metric.normalize_and_tokenize_sentence("Dogs!") == ["dog"]

    def test_all_registered_names_of_the_original_exist(self) -> None:
        # As in the original, all modules are imported for the command line.
        sacrerouge.build_argument_parser()
        names = set(Metric.list_available())
        assert {"apes", "bewte", "docker-rouge", "pyreval", "qa-eval", "sum-qe"} <= names


class First(Jackknifer):
    """Leaves out the first reference only."""

    def get_jackknifing_fields_list(self, fields: Fields) -> list[Fields] | None:
        references = fields["references"].to_input()[1:]
        return [Fields({"references": ReferencesField(references)})] if references else None


class Count(ReferenceBasedMetric):
    """The number of references."""

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        return [
            [MetricsDict({"count": len(references)}) for _ in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]


class TestScoring:
    def instance(self, kind: str, references: list[str]) -> EvalInstance:
        fields = {"summary": SummaryField("a"), "references": ReferencesField([*references])}
        return EvalInstance("d1", "1", kind, Fields(fields))

    def test_a_jackknifer_needs_only_the_method_of_sacrerouge(self) -> None:
        metric = Count()
        metric.jackknifer = First()
        scores = score_instances([self.instance("peer", ["x", "y", "z"])], [metric])
        assert scores["d1"]["1"].metrics == {"count": 3, "count_jk": 2}

    def test_a_reference_is_scored_against_its_row_as_it_is(self) -> None:
        scores = score_instances([self.instance("reference", ["a", "y"])], [Count()])
        assert scores["d1"]["1"].metrics == {"count_jk": 2}

    def test_one_reference_leaves_nothing_out(self) -> None:
        scores = score_instances([self.instance("peer", ["x"])], [Count()])
        assert scores["d1"]["1"].metrics == {"count": 1}

    def test_scores_equal_those_of_rubrica(self, tmp_path: Path) -> None:
        file = rows_file(tmp_path)
        out = tmp_path / "scores.jsonl"
        words = ["python-rouge", "score", "--dataset-reader", "reference-based"]
        assert main([*words, "--input-files", file, "--output-jsonl", str(out), "--silent"]) == 0
        reader = DatasetReader.from_config("reference-based")
        expected = score(reader.read(file), [METRICS.make("python-rouge")])
        for ours, theirs in zip(expected, JsonlReader(out, Metrics).read(), strict=True):
            assert theirs.metrics.approx_equal(ours.metrics)


class TestConfigurations:
    def test_overrides_are_merged_deeply(self, tmp_path: Path) -> None:
        path = tmp_path / "config.json"
        path.write_text(json.dumps({"metrics": [{"type": "rouge", "max_ngram": 4}], "a": {"b": 1}}))
        params = Params.from_file(path, '{"metrics.0.max_ngram": 2, "a": {"c": "None"}}')
        assert params.as_dict() == {
            "metrics": [{"type": "rouge", "max_ngram": 2}],
            "a": {"b": 1, "c": None},
        }

    def test_jsonnet_is_evaluated(self, tmp_path: Path) -> None:
        pytest.importorskip("_jsonnet")
        path = tmp_path / "config.jsonnet"
        path.write_text("local n = 2; { metrics: [{ type: 'rouge', max_ngram: n }] }")
        assert Params.from_file(path)["metrics"][0]["max_ngram"] == 2

    def test_without_jsonnet_the_extra_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "_jsonnet", None)
        path = tmp_path / "config.jsonnet"
        path.write_text("{ a: 1 }")
        with pytest.raises(MissingResourceError, match=r"rubrica\[jsonnet\]"):
            Params.from_file(path)

    def test_an_unknown_parameter_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="Extra parameters passed to"):
            Metric.from_params(Params({"type": "rouge", "max_ngrams": 2}))

    def test_evaluate_writes_its_two_files(self, tmp_path: Path) -> None:
        config = tmp_path / "config.json"
        values = {
            "dataset_reader": {"type": "reference-based"},
            "metrics": [{"type": "rouge", "max_ngram": 2}, {"type": "chrf"}],
            "input_files": rows_file(tmp_path),
        }
        config.write_text(json.dumps(values))
        macro, micro = tmp_path / "out" / "macro.json", tmp_path / "out" / "micro.jsonl"
        words = ["--macro-output-json", str(macro), "--micro-output-jsonl", str(micro)]
        assert main(["evaluate", "--config", str(config), *words, "--silent"]) == 0
        assert list(json.loads(macro.read_text())["metrics"]) == ["rouge-1", "rouge-2", "chrf"]
        rows = JsonlReader(micro).read()
        assert [one["summarizer_id"] for one in rows] == ["1", "2", "A", "B"] * 2
        assert list(rows[0]) == list(Metrics.serialized_keys)

    def test_a_misspelt_reader_names_the_readers(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = ["rouge", "score", "--dataset-reader", "referencebased", "--input-files", "x"]
        assert main([*words, "--output-jsonl", str(tmp_path / "o"), "--silent"]) == 1
        assert "reference-based" in capsys.readouterr().err


class TestFiles:
    def test_bare_nan_is_read_and_written(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.jsonl.gz"
        with JsonlWriter(path) as out:
            out.write(Metrics("d", "1", "peer", {"x": math.nan}))
        (row,) = JsonlReader(path, Metrics).read()
        assert math.isnan(row.metrics["x"])

    def test_pyramids_have_lists(self, tmp_path: Path) -> None:
        path = tmp_path / "pyramids.jsonl"
        unit = {"scu_id": 1, "label": "x", "contributors": []}
        unit["contributors"] = [
            {"summary_index": at, "label": "x", "parts": [{"text": "x", "start": 0, "end": 1}]}
            for at in (0, 1)
        ]
        record = {
            "instance_id": "d1",
            "summaries": ["x", "x"],
            "summarizer_ids": ["A", "B"],
            "scus": [unit],
        }
        path.write_text(json.dumps(record))
        (pyramid,) = JsonlReader(path, Pyramid).read()
        assert pyramid.remove_summary(0).summarizer_ids == ["B"]
        assert pyramid.get_annotation(1).get_scu_id_set() == {1}


class TestStatistics:
    def matrices(self) -> Any:
        generator = np.random.RandomState(5)
        return generator.rand(3, 9, 6)

    def loop(self, correlate: Any, sample: Any, x: Any, y: Any) -> tuple[float, float]:
        drawn = [correlate(*sample(x, y)) for _ in range(200)]
        lower, upper = np.percentile(drawn, [2.5, 97.5])
        return lower, upper

    def test_intervals_are_those_of_one_sample_at_a_time(self) -> None:
        x, y, _ = self.matrices()
        correlate = partial(global_corr, stats.pearsonr)
        np.random.seed(4)
        expected = self.loop(correlate, bootstrap_system_sample, x, y)
        np.random.seed(4)
        found = bootstrap_ci(correlate, x, y, bootstrap_system_sample, num_samples=200)
        assert found == pytest.approx(expected)

    @pytest.mark.parametrize("method", ["bootstrap-both", "permutation-input", "permutation-both"])
    def test_tests_of_coefficients_that_rubrica_does_not_know_agree(self, method: str) -> None:
        x, y, z = self.matrices()
        options = {"num_samples": 100} if method.startswith("boot") else {"num_permutations": 100}
        values = []
        for coefficient in (stats.spearmanr, lambda a, b: stats.spearmanr(a, b)):
            np.random.seed(11)
            correlate = partial(global_corr, coefficient)
            values.append(corr_diff_test(correlate, x, y, z, method, False, kwargs=options))
        assert values[0] == values[1]

    def test_a_measure_that_no_row_has_is_named(self) -> None:
        with pytest.raises(ValueError, match="no row has nonsense"):
            compute_correlation([Metrics("d", "1", "peer", {"a": 1})], "a", "nonsense", "peer")

    @pytest.mark.slow
    def test_plots_are_written_as_pdf(self, tmp_path: Path) -> None:
        rows = [
            Metrics(f"d{i}", str(s), "peer", {"a": i + s, "b": i * s})
            for i in range(3)
            for s in range(3)
        ]
        plot = tmp_path / "plot.pdf"
        result = compute_correlation(rows, "a", "b", "peer", system_level_output_plot=str(plot))
        assert plot.read_bytes().startswith(b"%PDF")
        assert result["system_level"]["pearson"]["r"] == pytest.approx(1)

    def test_a_table_of_correlations_is_written(self, tmp_path: Path) -> None:
        result = tmp_path / "r.json"
        values = {"pearson": {"r": 0.5}, "spearman": {"rho": None}, "kendall": {"tau": 0.25}}
        result.write_text(json.dumps({"global": values}))
        table = tmp_path / "table.html"
        script = [
            sys.executable,
            "-m",
            "rubrica.compat.sacrerouge.scripts.create_correlations_table",
        ]
        words = [str(table), "global", "--input", str(result), "R<1>", "TAC"]
        subprocess.run([*script, *words], check=True)
        assert "<td>R&lt;1&gt;</td>\n<td>0.50</td>\n<td></td>\n<td>0.25</td>" in table.read_text()

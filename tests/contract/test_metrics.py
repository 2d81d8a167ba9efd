"""What holds for every registered metric, now and later."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

import rubrica
from rubrica.data import EvalInstance, Fields, Metrics, MetricsDict
from rubrica.data.jsonl import convert, read_jsonl
from rubrica.data.measures import MeasureGroup
from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.data.votes import UnitVotes
from rubrica.errors import RubricaError
from rubrica.metrics import ADDRESSES, Metric
from rubrica.metrics.base import program
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.parameters import parameters_of
from support.fake_programs import PROGRAMS, execute_here, write_program
from support.neural_samples import neural_parameters

ROOT = Path(__file__).resolve().parents[2]
NEWS = ROOT / "examples" / "news"
type_of_measures = tuple[MeasureGroup, ...]

# Metrics that cannot be made without parameters, or whose default is too slow here: a sample of each.
SAMPLE_PARAMETERS: dict[str, dict[str, Any]] = {
    # By itself an input has no rare words.
    "cider": {"corpus": str(NEWS / "plain" / "references.A.txt")},
    "s3": {"embeddings_file": "glove-6b-50d"},
}
# Metrics so slow that they see only the first sentence of every text.
SLOW = {"ter"}
# Metrics whose texts are lists of basic elements.
OF_ELEMENTS = {"rouge-be"}
# Metrics whose texts are dependency parses.
OF_PARSES = {"bewte-ud"}
# Metrics that are meant to depend on the order of references, as their originals do.
ORDERED = {"autosummeng"}


@pytest.fixture(scope="session", autouse=True)
def _fake_programs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Write the programs that metrics run."""
    for name in PROGRAMS:
        SAMPLE_PARAMETERS[name] = write_program(name, tmp_path_factory.mktemp(name))


@pytest.fixture(autouse=True)
def _run_programs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "execute", execute_here)


def make(name: str) -> Metric:
    parameters = SAMPLE_PARAMETERS.get(name) or neural_parameters(name, terse=True)
    return Metric.from_config({"type": name, **parameters})


@cache
def shared(name: str) -> Metric:
    """The metric of tests that leave it as it was, whose model is loaded once."""
    return make(name)


def sample(metric: Metric) -> list[dict[str, Any]]:
    """Rows with every field a metric may need: two inputs, three systems."""
    rows = [dict(row) for row in _rows()]
    if isinstance(metric, NeuralMetric):
        for row in rows:
            row["documents"] = [one[:2] for one in row["documents"]]
    if metric.name in OF_ELEMENTS:
        for row in rows:
            row["summary"] = as_elements(row["summary"])
            row["references"] = [as_elements(one) for one in row["references"]]
    if metric.name in OF_PARSES:
        for row in rows:
            row["summary"] = as_parse(row["summary"])
            row["references"] = [as_parse(one) for one in row["references"]]
    if metric.name in SLOW or isinstance(metric, NeuralMetric):
        for row in rows:
            row["summary"] = row["summary"][:1]
            row["references"] = [one[:1] for one in row["references"]]
    return rows


def as_elements(text: Any) -> list[str]:
    """A text for metrics of basic elements: each word with the one before it as its modifier."""
    words = " ".join([text] if isinstance(text, str) else text).replace("|", " ").split()
    return [f"{word}|{before}|mod" for before, word in pairwise(words)]


def as_parse(text: Any) -> list[str]:
    """A text for metrics of parses: sentences whose words are nouns that modify the one after them."""
    sentences = [text] if isinstance(text, str) else text
    parses = []
    for words in (sentence.split() for sentence in sentences):
        heads = [*range(2, len(words) + 1), 0]
        lines = [
            f"{n}\t{word}\t{word.lower()}\tNOUN\tNN\t_\t{head}\tcompound\t_\t_\n"
            for n, (word, head) in enumerate(zip(words, heads, strict=True), 1)
        ]
        parses.append("".join(lines))
    return parses


def _needed(metric: Metric) -> list[str]:
    return [*metric.required_summary_fields, *metric.required_context_fields]


@cache
def _rows() -> list[dict[str, Any]]:
    return list(_read_rows())


def _read_rows() -> Iterator[dict[str, Any]]:
    file = NEWS / "pyramids.jsonl"
    pyramids = {
        row["instance_id"]: convert(row, Pyramid, str(file), n) for n, row in read_jsonl(file)
    }
    annotations = {
        (row["instance_id"], row["summarizer_id"]): convert(row, PyramidAnnotation, "", n)
        for n, row in read_jsonl(NEWS / "pyramid-annotations.jsonl")
    }
    documents = {
        row["instance_id"]: [row["document"]["text"]]
        for _, row in read_jsonl(NEWS / "documents.jsonl")
    }
    for _, row in read_jsonl(NEWS / "summaries.jsonl"):
        doc, who = row["instance_id"], row["summarizer_id"]
        if doc in ("d01", "d02") and who in ("lead3", "abstractor", "headliner"):
            yield {
                "doc": doc,
                "summary": row["summary"]["text"],
                "references": [one["text"] for one in row["references"]],
                "documents": documents[doc],
                "pyramid": pyramids[doc],
                "annotation": annotations[doc, who],
                "votes": [UnitVotes((True, who == "lead3", False)), UnitVotes((False, True, True))],
            }


def columns(metric: Metric, rows: list[dict[str, Any]]) -> list[list[Any]]:
    return [[row[name] for row in rows] for name in _needed(metric)]


def grouped(metric: Metric, rows: list[dict[str, Any]]) -> list[list[Any]]:
    by_doc: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_doc.setdefault(row["doc"], []).append(row)
    summaries = [
        [[row[name] for row in group] for group in by_doc.values()]
        for name in metric.required_summary_fields
    ]
    contexts = [
        [group[0][name] for group in by_doc.values()] for name in metric.required_context_fields
    ]
    return [*summaries, *contexts]


ALL = pytest.mark.parametrize("name", sorted(ADDRESSES))


@ALL
def test_the_five_methods_agree(name: str) -> None:
    metric = make(name)
    rows = sample(metric)
    expected = metric.score_all(*columns(metric, rows))
    assert len(expected) == len(rows) == 6
    assert [metric.score(*(row[n] for n in _needed(metric))) for row in rows] == expected
    groups = metric.score_multi_all(*grouped(metric, rows))
    assert [row for group in groups for row in group] == expected
    first = grouped(metric, rows[:3])
    assert metric.score_multi(*(column[0] for column in first)) == expected[:3]
    macro, micro = metric.evaluate(*columns(metric, rows))
    assert micro == expected
    assert macro.measure_names() == expected[0].measure_names()


@ALL
def test_the_order_of_summaries_does_not_matter(name: str) -> None:
    metric = shared(name)
    rows = sample(metric)
    forward = metric.score_all(*columns(metric, rows))
    assert metric.score_all(*columns(metric, rows[::-1])) == forward[::-1]
    macro, _ = metric.evaluate(*columns(metric, rows))
    backward, _ = metric.evaluate(*columns(metric, rows[::-1]))
    # ROUGE-1.5.5's average is a mean of resamples that are drawn by place, so it moves a little.
    assert backward.approx_equal(macro, rel=1e-2 if name in ("rouge", "rouge-be") else 1e-12)


@ALL
def test_the_order_of_references_does_not_matter(name: str) -> None:
    metric = shared(name)
    rows = sample(metric)
    if "references" not in _needed(metric) or name in ORDERED:
        return
    turned = [{**row, "references": row["references"][::-1]} for row in rows]
    forward = metric.score_all(*columns(metric, rows))
    for one, two in zip(forward, metric.score_all(*columns(metric, turned)), strict=True):
        assert one.approx_equal(two, rel=1e-9), "depends on the order of references"


@ALL
def test_values_are_numbers_within_the_declared_range(name: str) -> None:
    metric = shared(name)
    for row in metric.score_all(*columns(metric, sample(metric))):
        assert isinstance(row, MetricsDict)
        assert row
        for path, value in row.leaves():
            low, high = metric.range_of(".".join(path))
            # A float may pass its bound by a rounding: sacrebleu's BLEU of equal texts does.
            assert value is None or low - 1e-9 <= value <= high + 1e-9, (path, value)
            assert metric.direction_of(".".join(path)) in ("higher", "lower", "none")


@ALL
def test_names_are_stable(name: str) -> None:
    metric = shared(name)
    rows = metric.score_all(*columns(metric, sample(metric)))
    assert len({tuple(row.measure_names()) for row in rows}) == 1
    assert not any(key.endswith("_jk") or "." in key for key in rows[0])


def scored(metric: Metric) -> Metrics:
    """A row of `score`, jackknifed where the metric allows it."""
    fields = sample(metric)[0]
    chosen = Fields({field: fields[field] for field in _needed(metric)})
    [row] = rubrica.score([EvalInstance("d01", "lead3", "peer", chosen)], [metric], workers=1)
    return row


@ALL
def test_a_row_says_what_its_values_are(name: str) -> None:
    metric = shared(name)
    row = scored(metric)
    known = Measures([row])
    for path, _ in row.metrics.leaves():
        group, measure = known.group(path), ".".join(path)
        assert group in row.measures, measure
        assert (group.metric, group.direction) == (name, metric.direction_of(measure))
        assert group.sentence_level == metric.corpus_statistics
        bounds = [bound if math.isfinite(bound) else None for bound in metric.range_of(measure)]
        assert list(group.range) == bounds
    names = [one for group in row.measures for one in group.names]
    assert len(names) == len(set(names))
    assert msgspec.json.decode(msgspec.json.encode(row.measures), type=type_of_measures) == (
        row.measures
    )


@ALL
def test_a_key_of_its_own_does_not_change_what_its_values_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = shared(name)
    plain = scored(metric)
    monkeypatch.setattr(metric, "output_key", "mine")
    row = scored(metric)
    for path, _ in row.metrics.leaves():
        before, now = Measures([plain]).group(path[1:]), Measures([row]).group(path)
        assert now in row.measures
        assert msgspec.structs.replace(now, names=before.names) == before


@ALL
def test_without_that_its_measures_tell_their_direction_by_name(name: str) -> None:
    metric = shared(name)
    row, *_ = metric.score_all(*columns(metric, sample(metric)[:1]))
    for path, _ in row.leaves():
        lower = metric.direction_of(".".join(path)) == "lower"
        for spelled in (path, (*path[:-1], f"{path[-1]}_jk")):
            assert (Measures().group(spelled).direction == "lower") == lower, spelled


@ALL
def test_empty_texts_have_decided_scores(name: str) -> None:
    metric = shared(name)
    if "summary" not in _needed(metric):
        return
    row = sample(metric)[0]
    variants: list[dict[str, Any]] = [{**row, "summary": empty} for empty in ("", [], [""], " \n")]
    if "references" in row:
        variants += [{**row, "references": [""]}, {**row, "summary": "", "references": ["", ""]}]
    if "documents" in row:
        variants += [{**row, "documents": [""]}, {**row, "documents": [[]]}]
    for variant in variants:
        scored = metric.score(*(variant[n] for n in _needed(metric)))
        assert (
            scored.measure_names()
            == metric.score(*(row[n] for n in _needed(metric))).measure_names()
        )
        for path, value in scored.leaves():
            assert value is None or math.isfinite(value), path


@ALL
def test_a_string_scores_as_a_list_of_one(name: str) -> None:
    metric = shared(name)
    if "summary" not in _needed(metric):
        return
    text = "council|nil|subj" if name in OF_ELEMENTS else "The council voted to reopen the library."
    text = as_parse(text)[0] if name in OF_PARSES else text
    row = {**sample(metric)[0], "summary": text}
    listed = {**row, "summary": [row["summary"]]}
    assert metric.score(*(row[n] for n in _needed(metric))) == metric.score(
        *(listed[n] for n in _needed(metric))
    )


@ALL
def test_jackknifed_values_equal_the_definition(name: str) -> None:
    metric = shared(name)
    if metric.jackknifer is None:
        return
    rows = sample(metric)
    fast = metric.score_with_jackknife(*grouped(metric, rows))
    plain = Metric.score_with_jackknife(metric, *grouped(metric, rows))
    for (value, left_out), (same, expected) in zip(
        [both for group in fast for both in group],
        [both for group in plain for both in group],
        strict=True,
    ):
        assert value == same
        assert left_out is not None
        assert expected is not None
        assert left_out.approx_equal(expected, rel=1e-12)


@ALL
def test_it_pickles(name: str) -> None:
    metric = shared(name)
    other = pickle.loads(pickle.dumps(metric))
    arguments = columns(metric, sample(metric))
    assert other.score_all(*arguments) == metric.score_all(*arguments)
    assert other.signature() == metric.signature()
    other.output_key = "elsewhere"
    assert pickle.loads(pickle.dumps(other)).output_key == "elsewhere"


@ALL
def test_its_configuration_makes_it_again(name: str) -> None:
    metric = shared(name)
    config = json.loads(json.dumps(metric.to_config()))
    assert Metric.from_config(config).signature() == metric.signature()
    explicit = {"type": name, **json.loads(json.dumps(metric.parameters()))}
    again = Metric.from_config(explicit)
    arguments = columns(metric, sample(metric))
    assert again.score_all(*arguments) == metric.score_all(*arguments)


@ALL
def test_a_subclass_may_have_a_constructor_of_its_own(name: str) -> None:
    metric = shared(name)
    base: Any = type(metric)

    class Own(base):
        def __init__(self) -> None:
            super().__init__(**metric.parameters())

    assert Own().signature().name == name


@ALL
def test_an_unknown_parameter_is_refused(name: str) -> None:
    with pytest.raises(RubricaError, match="no_such_parameter"):
        Metric.from_config({"type": name, "no_such_parameter": 1})


@ALL
def test_every_parameter_is_described_and_typed(name: str) -> None:
    cls = Metric.by_name(name)
    for parameter in parameters_of(cls):
        assert parameter.help, f"{name}: {parameter.name} has no description in Args:"
        assert parameter.annotation is not Any, f"{name}: {parameter.name} has no type"


@ALL
def test_it_says_what_it_is(name: str) -> None:
    cls = Metric.by_name(name)
    assert cls.name == name
    assert (cls.__doc__ or "").strip()
    assert cls.citation.strip().startswith("@")


@ALL
def test_both_commands_have_help(name: str, rubrica: Any) -> None:
    for task in ("evaluate", "score"):
        answer = rubrica(name, task, "--help")
        assert answer.code == 0
        for parameter in parameters_of(Metric.by_name(name)):
            assert f"--{parameter.name}" in answer.out
            assert f"--{parameter.name.replace('_', '-')}" in answer.out


# What SacreROUGE's constructors take, in its order: calls without names carry over, too.
SACREROUGE = {
    "apes": "environment_name apes_root verbose",
    "autosummeng": "min_n max_n d_window min_score max_score autosummeng_root verbose",
    "bewte": "bewte_root verbose",
    "meteor": "meteor_root",
    "pyramid-score": "name_override",
    "pyreval": "environment_name pyreval_root verbose",
    "s3": "environment_name s3_root embeddings_file model_dir verbose",
    "simetrix": "use_stemmer remove_stopwords simetrix_root",
}


@pytest.mark.parametrize("name", SACREROUGE)
def test_parameters_begin_with_those_of_sacrerouge(name: str) -> None:
    known = [parameter.name for parameter in parameters_of(Metric.by_name(name))]
    theirs = SACREROUGE[name].split()
    assert known[: len(theirs)] == theirs

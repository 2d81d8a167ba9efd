"""Tables of a study: scored with hashes, merged with care, selected from, and pickles held at bay."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.data.metrics import MetricsDict
from rubrica.data.scores.rows import write_score_rows
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.metrics import Metric, ReferenceBasedMetric
from rubrica.metrics.base.metric import METRICS
from rubrica.study.layout import find_systems
from rubrica.study.merge import merge_tables
from rubrica.study.pickles import read_score_dict, write_score_dict
from rubrica.study.realsumm import SHORT_NAMES, old_scores, other_model
from rubrica.study.rows import StudyRow, read_table
from rubrica.study.score import (
    References,
    SkippedLines,
    score_study,
    study_instances,
)
from rubrica.study.select import select_documents


def named(name: str) -> Metric:
    """Return a metric by REALSumm's short name or its own."""
    return Metric.from_config(SHORT_NAMES.get(name, name))


def folder(root: Path) -> Path:
    files = {
        "ext/bart/out.txt": "<t> the cat sat </t>\n### NO MATCH FOUND ###\n\n",
        "ext/bart/ref.txt": "<t> the cat sat </t>\n<t> a dog </t>\n<t> birds </t>\n",
        "abs/bart/out_v1.txt": "<t> a cat </t> <t> it sat </t>\n<t> a dog </t>\n<t> birds </t>\n",
        "abs/bart/ref.txt": "<t> THE CAT SAT </t>\n<t> a dog </t>\n<t> birds </t>\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def rows(root: Path, **options: Any) -> list[StudyRow]:
    instances = study_instances(find_systems(root), **options)
    return list(score_study(instances, [named("rouge")], workers=1))


def test_every_system_is_scored_against_its_own_references(tmp_path: Path) -> None:
    skipped = SkippedLines()
    made = rows(folder(tmp_path), skipped=skipped)
    assert [row.key for row in made] == [
        ("0", "ext/bart_out"), ("2", "ext/bart_out"),
        ("0", "abs/bart_out_v1"), ("1", "abs/bart_out_v1"), ("2", "abs/bart_out_v1"),
    ]  # fmt: skip
    assert (skipped.missing, skipped.empty) == ({"ext/bart_out": 1}, {"ext/bart_out": 1})
    assert made[0].values()["rouge-l.recall"] == 100.0
    assert made[1].values()["rouge-1.f1"] == 0.0
    assert made[2].references == [["THE CAT SAT"]]
    assert made[0].summary_digest != made[2].summary_digest
    assert (
        made[0]
        .signatures[0]
        .startswith("rouge|profile:rouge-1.5.5|max_ngram:2|compute_rouge_l:yes")
    )


def test_all_systems_may_be_scored_against_one_systems_references(tmp_path: Path) -> None:
    root = folder(tmp_path)
    own, common = rows(root), rows(root, common=root / "ext/bart/ref.txt")
    assert [row.references for row in common][2] == [["the cat sat"]]
    assert own[2].reference_digest != common[2].reference_digest
    with pytest.raises(MismatchError, match="different texts"):
        merge_tables([("own", own), ("common", common)])


def test_several_references_are_split_and_counted(tmp_path: Path) -> None:
    root = folder(tmp_path)
    (root / "ext/bart/ref.txt").write_text(
        "<t> a </t> ||sep|| <t> the cat sat </t>\nx||sep||y\nx||sep||y\n"
    )
    (root / "abs/bart/ref.txt").write_text("a||sep||b\n" * 3)
    made = rows(root, references=References(2))
    assert made[0].references == [["a"], ["the cat sat"]]
    with pytest.raises(DataError, match=r"ref\.txt:1: 2 references, expected 1"):
        rows(root)


def test_files_of_different_lengths_are_refused(tmp_path: Path) -> None:
    root = folder(tmp_path)
    (root / "abs/bart/ref.txt").write_text("x\n")
    with pytest.raises(MismatchError, match="the same number of lines"):
        rows(root)


def test_short_names_lead_to_registered_metrics() -> None:
    assert named("rouge").parameters()["compute_rouge_l"] is True
    assert named("chrf").label == "chrf"
    for config in SHORT_NAMES.values():
        assert config["type"] in METRICS


def test_a_metric_with_another_model_than_realsumms_is_warned_of() -> None:
    warning = other_model(named("wms"))
    assert warning is not None
    assert "wms uses glove-6b-50d, not REALSumm's model" in warning
    assert "-m wms,embeddings=" in warning
    assert other_model(named("js2")) is None
    assert other_model(named("rouge")) is None


REALSUMM_BERTSCORE = "bertscore|model_type:roberta-large|layer:17|rescale_with_baseline:yes|v:0.1.0"
OTHER_BERTSCORE = "bertscore|model_type:all-MiniLM-L6-v2|layer:5|note:not-roberta-large|v:0.1.0"


def test_scores_of_another_model_are_not_exported_under_a_name_of_realsumms() -> None:
    values = {"bertscore.f1": 0.5, "rouge-1.recall": 40.0}
    assert old_scores(values, [REALSUMM_BERTSCORE]) == {
        "bert_f_score": 0.5, "rouge_1_recall": 0.4
    }  # fmt: skip
    for signatures in ([OTHER_BERTSCORE], [], [REALSUMM_BERTSCORE, OTHER_BERTSCORE]):
        with pytest.raises(
            DataError, match="'bert_f_score' in REALSumm's dicts means roberta-large"
        ):
            old_scores(values, signatures)
    renamed = old_scores({"mine.bertscore.f1": 0.5}, [OTHER_BERTSCORE])
    assert renamed == {"mine_bertscore_f1": 0.5}
    own = "wms|embeddings:/data/en_core_web_md.vec|v:0.1.0"
    assert old_scores({"wms": 0.5}, [own]) == old_scores({"wms": 0.5}, []) == {"wms": 0.5}
    with pytest.raises(DataError, match="GloVe vectors of spaCy"):
        old_scores({"wms": 0.5}, ["wms|embeddings:glove-6b-50d|v:0.1.0"])


def score_dict() -> dict[int, Any]:
    """Documents out of order, a reference each, a summary whose tags cannot be rebuilt."""
    texts = {7: "<t> seven . </t>", 0: "<t> nought . </t>  <t> cut off", 3: "<t> <t> three </t>"}
    return {
        doc: {
            "doc_id": doc,
            "ref_summ": f"<t> reference of {doc} . </t>  <t> more . </t>",
            "system_summaries": {
                "bart_out.txt": {"system_summary": text, "scores": {"js-2": -0.1 * doc, "wms": 0.5}}
            },
        }
        for doc, text in texts.items()
    }


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_import_and_export_of_a_score_dict_lose_nothing(ending: str, tmp_path: Path) -> None:
    (tmp_path / "in.pkl").write_bytes(pickle.dumps(score_dict()))
    write_score_rows(
        tmp_path / f"t.{ending}", list(read_score_dict(str(tmp_path / "in.pkl"), "ext"))
    )
    table = list(read_table(tmp_path / f"t.{ending}"))
    assert [row.instance_id for row in table] == ["7", "0", "3"]
    assert table[0].references == [["reference of 7 .", "more ."]]
    assert table[0].reference_digest == ""
    write_score_dict(str(tmp_path / "out.pkl"), table)
    written = pickle.loads((tmp_path / "out.pkl").read_bytes())
    assert written == score_dict()
    assert list(written) == [7, 0, 3]


def test_exported_documents_keep_their_ids_or_get_numbers_by_a_file_of_ids(tmp_path: Path) -> None:
    (tmp_path / "in.pkl").write_bytes(pickle.dumps(score_dict()))
    table = list(read_score_dict(str(tmp_path / "in.pkl")))
    ids = [f"cnndm{n}" for n in range(8)]
    for row in table:
        row.instance_id = ids[int(row.instance_id)]
    write_score_dict(str(tmp_path / "out.pkl"), table)
    assert list(pickle.loads((tmp_path / "out.pkl").read_bytes())) == ["cnndm7", "cnndm0", "cnndm3"]
    write_score_dict(str(tmp_path / "out.pkl"), table, ids)
    assert pickle.loads((tmp_path / "out.pkl").read_bytes()) == score_dict()
    with pytest.raises(DataError, match="'cnndm7' is not in the file of ids"):
        write_score_dict(str(tmp_path / "out.pkl"), table, ids[:3])


def test_any_registered_metric_scores_a_study(tmp_path: Path) -> None:
    @Metric.register("study-length", replace=True)
    class StudyLength(ReferenceBasedMetric):
        def score_one(self, summary: Any, references: Any) -> dict[str, float]:
            return {"length": float(len(summary))}

    instances = study_instances(find_systems(folder(tmp_path)))
    made = list(score_study(instances, [StudyLength()], workers=1, texts=False))
    assert [row.metrics["length"] for row in made] == [1.0, 0.0, 2.0, 1.0, 1.0]
    assert made[0].summary is None


@pytest.mark.parametrize("name", ["table.jsonl", "table.jsonl.gz", "table.parquet"])
def test_tables_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    made = rows(folder(tmp_path / "study"))
    write_score_rows(tmp_path / name, made)
    assert len(made) == 5
    assert list(read_table(tmp_path / name)) == made


def row(text: str = "x", ref: str = "r", **metrics: float) -> StudyRow:
    return StudyRow(
        instance_id="1", summarizer_id="s", summarizer_type="peer", metrics=MetricsDict(metrics),
        summary_digest=text, reference_digest=ref,
    )  # fmt: skip


def test_tables_of_the_same_texts_are_merged() -> None:
    (merged,) = merge_tables([("a", [row(m=1.0)]), ("b", [row(ref="", n=2.0, m=1.0)])])
    assert merged.metrics == {"m": 1.0, "n": 2.0}
    assert merged.reference_digest == "r"


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (row("y", n=1.0), "a and b scored different texts"),
        (row(ref="q", n=1.0), r"different texts \(references\)"),
        (row(m=2.0), "two different values of 'm'"),
    ],
)
def test_tables_that_disagree_are_refused(other: StudyRow, told: str) -> None:
    with pytest.raises(MismatchError, match=told):
        merge_tables([("a", [row(m=1.0)]), ("b", [other])])


def test_two_rows_of_one_summary_in_a_table_are_refused() -> None:
    with pytest.raises(MismatchError, match="a: summary 's' of input '1' has two rows"):
        merge_tables([("a", [row(m=1.0), row(m=1.0)])])


# Pickles


def test_a_score_dict_survives_export_and_import(tmp_path: Path) -> None:
    made = [one for one in rows(folder(tmp_path)) if one.summarizer_id.startswith("abs")]
    path = str(tmp_path / "abs.pkl")
    assert write_score_dict(path, made) == 3
    with open(path, "rb") as stream:
        plain = pickle.load(stream)
    assert plain[0]["system_summaries"]["bart_out_v1.txt"]["system_summary"] == (
        "<t> a cat </t>  <t> it sat </t>"
    )
    assert plain[0]["ref_summ"] == "<t> THE CAT SAT </t>"
    back = list(read_score_dict(path, "abs"))
    assert [one.summary_digest for one in back] == [one.summary_digest for one in made]
    assert back[0].metrics["rouge_1_recall"] == pytest.approx(
        made[0].values()["rouge-1.recall"] / 100
    )


def test_one_key_for_two_systems_is_refused(tmp_path: Path) -> None:
    both = [
        StudyRow(
            instance_id="0",
            summarizer_id=f"{split}/b",
            summarizer_type="peer",
            metrics=MetricsDict(),
            summary=["x"],
        )
        for split in ("ext", "abs")
    ]
    with pytest.raises(DataError, match=r"would both be 'b\.txt'"):
        write_score_dict(str(tmp_path / "x.pkl"), both)


@pytest.mark.parametrize("protocol", range(6))
def test_numpy_scalars_are_read_without_numpy(protocol: int, tmp_path: Path) -> None:
    scores = {"a": np.float64(0.1), "b": np.float32(0.5), "c": 0.25, "d": np.int64(3)}
    content = {
        0: {
            "doc_id": 0,
            "system_summaries": {"m": {"system_summary": "<t> x </t>", "scores": scores}},
        }
    }
    path = tmp_path / "s.pkl"
    path.write_bytes(pickle.dumps(content, protocol=protocol))
    (one,) = read_score_dict(str(path))
    assert one.metrics == {"a": 0.1, "b": 0.5, "c": 0.25, "d": 3.0}


@pytest.mark.parametrize(
    "content",
    [[1], {0: 1}, {0: {"system_summaries": {"m": 3}}}, {0: {"system_summaries": {"m": {"system_summary": "x", "scores": {"a": "b"}}}}}],
)  # fmt: skip
def test_pickles_of_another_shape_are_told(content: Any, tmp_path: Path) -> None:
    (tmp_path / "s.pkl").write_bytes(pickle.dumps(content))
    with pytest.raises(DataError):
        list(read_score_dict(str(tmp_path / "s.pkl")))


@pytest.mark.parametrize("score", [float("inf"), -float("inf"), 10**400])
def test_infinite_scores_in_pickles_are_told(score: float, tmp_path: Path) -> None:
    one = {"system_summary": "<t> x </t>", "scores": {"a": 0.5, "b": score}}
    (tmp_path / "s.pkl").write_bytes(pickle.dumps({0: {"system_summaries": {"m": one}}}))
    with pytest.raises(DataError, match="has an infinite 'b'"):
        list(read_score_dict(str(tmp_path / "s.pkl")))


# Selection


def table(documents: int = 100) -> ScoreTable:
    chance = np.random.default_rng(3)
    values = chance.normal(size=(6, documents, 2)) + chance.normal(size=(1, documents, 1))
    return ScoreTable.from_array(values, measures=["a", "b"])


def test_every_cell_gives_one_document_and_none_twice() -> None:
    made = select_documents(table(), ["a", "b"], mean_bins=5, spread_bins=4, seed=1)
    assert len(made.chosen) == 40
    assert len(set(made.names())) == 40
    cells = {(one.metric, one.mean_bin, one.spread_bin) for one in made.chosen}
    assert len(cells) == 40
    by_bin = [
        [one.mean for one in made.chosen if (one.metric, one.mean_bin) == ("a", b)]
        for b in range(5)
    ]
    assert all(max(low) <= min(high) for low, high in itertools.pairwise(by_bin))
    for b in range(5):
        spreads = [one.spread for one in made.chosen if (one.metric, one.mean_bin) == ("a", b)]
        assert spreads == sorted(spreads)


def test_the_seed_decides_and_is_kept() -> None:
    one, two = (select_documents(table(), ["a"], seed=seed).names() for seed in (1, 2))
    assert one == select_documents(table(), ["a"], seed=1).names()
    assert one != two
    assert select_documents(table(), ["a"], seed=1).manifest(x=1)["selected"] == one


@pytest.mark.parametrize("bins", [{"mean_bins": 10**12}, {"spread_bins": 2**31}])
def test_more_cells_than_memory_holds_are_refused(bins: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match="more than 1,000,000 cells"):
        select_documents(table(), ["a"], **bins)


def test_cells_without_a_document_are_told() -> None:
    made = select_documents(table(3), ["a", "b"], mean_bins=2, spread_bins=2)
    assert len(made.chosen) == 3
    assert len(made.short) == 5
    with pytest.raises(ParameterError):
        select_documents(table(3), [])
    with pytest.raises(ParameterError):
        select_documents(table(3), ["a"], per_cell=0)


def test_values_that_differ_by_rounding_are_merged_and_others_are_not() -> None:
    (merged,) = merge_tables([("a", [row(m=0.1 + 0.2)]), ("b", [row(m=0.3)])])
    assert merged.metrics["m"] == pytest.approx(0.3, abs=1e-15)
    with pytest.raises(MismatchError, match="two different values of 'm'"):
        merge_tables([("a", [row(m=0.3)]), ("b", [row(m=0.3 + 1e-9)])])

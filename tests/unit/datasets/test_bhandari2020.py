"""REALSumm: cross-checks tell the place and can be skipped; all outputs are joined to the judged ones."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets import setup_dataset
from rubrica.datasets.base import Prepared
from rubrica.datasets.benchmarks.bhandari2020 import Bhandari2020
from rubrica.errors import DataError, MissingResourceError
from support.dataset_samples import SAMPLES
from support.dataset_samples.build import Tree, put
from support.dataset_samples.realsumm import LENGTH, all_realsumm_outputs

RATINGS = "human_annotations/SCUs_and_annotations/SCU_rating_results_abs_systems"
UNILM = f"{RATINGS}/unilm_out_v1_Batch_crowd_3.csv"
UNITS = "human_annotations/SCUs_and_annotations/SCUs_list.csv"
PICKLE = "scores_dicts/abs.2b56592.pkl"


def made(tree: Tree, folder: Path, *, all_outputs: bool | None = None, **options: Any) -> Prepared:
    put(folder / "raw", tree)
    return setup_dataset(
        Bhandari2020(all_outputs), folder / "raw", folder / "out", offline=True, **options
    )


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out" / name).read_text("utf-8").splitlines()]


def changed(tree: Tree, path: str, old: str, new: str, count: int = 1) -> Tree:
    assert old in tree[path]
    return {**tree, path: tree[path].replace(old, new, count)}


def with_pickle(tree: Tree, change: Any) -> Tree:
    content = pickle.loads(tree[PICKLE])
    change(content)
    return {**tree, PICKLE: pickle.dumps(content, protocol=3)}


def no_unilm(content: Any) -> None:
    del content[1]["system_summaries"]["unilm_out_v1.txt"]


def no_score(content: Any) -> None:
    del content[1]["system_summaries"]["unilm_out_v1.txt"]["scores"]["js-2"]


def far_document(content: Any) -> None:
    content[1]["doc_id"] = 7


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        # Two raters of three change their minds.
        (lambda t: changed(t, UNILM, ",n,p,p\n", ",n,n,n\n", 2), r"unilm_out_v1_Batch_crowd_3\.csv: document 0 by unilm_out_v1: the votes give"),
        (lambda t: changed(t, UNILM, ",n,p,p\n", ",n,perhaps,p\n"), r"unilm_out_v1_Batch_crowd_3\.csv:\d+: unknown answer 'perhaps'"),
        (lambda t: changed(t, UNILM, "cnndm19", "cnndm77"), r"unilm_out_v1_Batch_crowd_3\.csv:\d+: document 'cnndm77' is not among"),
        (lambda t: changed(t, UNILM, "['0'", "['zero'"), r"unilm_out_v1_Batch_crowd_3\.csv:\d+: 'Input\.qIdList' is not a list"),
        (lambda t: changed(t, UNITS, "cnndm1017,1,B", "cnndm1018,1,B"), r"SCUs_list\.csv:3: document 'cnndm1018' is not among"),
        (lambda t: with_pickle(t, no_unilm), r"abs\.2b56592\.pkl: document 1 by 'unilm_out_v1\.txt': no summary"),
        (lambda t: with_pickle(t, no_score), r"abs\.2b56592\.pkl: document 1 by 'unilm_out_v1\.txt': not as released \(KeyError"),
        (lambda t: with_pickle(t, far_document), r"abs\.2b56592\.pkl: document 7 by bart_out_abs: there are 2 documents"),
    ],
    ids=["score", "answer", "document", "ids", "unit", "no summary", "no score", "far"],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_its_place_and_can_be_skipped(
    spoilt: Any, told: str, tmp_path: Path
) -> None:
    tree = spoilt(SAMPLES["bhandari2020"]())
    with pytest.raises(DataError, match=told):
        made(tree, tmp_path)
    assert not list((tmp_path / "out").glob("*.jsonl"))
    done = made(tree, tmp_path, skip_malformed=True)
    assert done.left_out["malformed records"] == len(done.skipped) > 0
    assert rows(tmp_path, "ext.metrics.jsonl")


def test_a_summary_whose_votes_do_not_fit_is_left_out_everywhere(tmp_path: Path) -> None:
    tree = changed(SAMPLES["bhandari2020"](), UNILM, ",n,p,p\n", ",n,n,n\n", 2)
    made(tree, tmp_path, skip_malformed=True)
    key = ("0", "unilm_out_v1")
    for kind in ("summaries", "metrics", "published-metrics", "pyramid-annotations", "votes"):
        found = {
            (r["instance_id"], r["summarizer_id"]) for r in rows(tmp_path, f"abs.{kind}.jsonl")
        }
        assert key not in found, kind
        assert ("1", "unilm_out_v1") in found, kind


def test_votes_that_are_not_there_are_told_even_where_the_score_is_zero(tmp_path: Path) -> None:
    tree = SAMPLES["bhandari2020"]()
    # The second document of UniLM has the score 0; without votes it would have it too.
    lines = tree[UNILM].splitlines(keepends=True)
    tree[UNILM] = "".join(line for line in lines if "cnndm19" not in line)
    with pytest.raises(
        DataError, match=r"unilm_out_v1_Batch_crowd_3\.csv: document 1 by unilm_out_v1: no votes"
    ):
        made(tree, tmp_path)


def test_a_document_without_units_and_a_short_file_are_told(tmp_path: Path) -> None:
    tree = SAMPLES["bhandari2020"]()
    with pytest.raises(DataError, match=r"SCUs_list\.csv: no content units of document 1 \(cnndm"):
        made(changed(tree, UNITS, "C slept.", "BLANK"), tmp_path / "a")
    path = "selected_docs_for_human_eval/abs/unilm/ref.txt"
    with pytest.raises(DataError, match=r"unilm.ref\.txt: 3 lines, expected .* 2 documents"):
        made(changed(tree, path, "\n", "\n\n"), tmp_path / "b")


def test_all_outputs_are_joined_to_the_judged_ones_by_line(tmp_path: Path) -> None:
    done = made({**SAMPLES["bhandari2020"](), **all_realsumm_outputs()}, tmp_path, all_outputs=True)
    found = rows(tmp_path, "all.summaries.jsonl")
    assert {(row["summarizer_id"], row["kind"]) for row in found} == {
        ("bart_out_abs", "abs"),
        ("bart_out_ext", "ext"),
        ("neusumm_out", "ext"),
        ("t5_out_small", "abs"),
        ("unilm_out_v1", "abs"),
    }
    assert len(found) == 5 * (LENGTH - 2)
    assert done.left_out["documents without an aligned summary of a system"] == 10
    judged = {r["summarizer_id"]: r for r in found if r["instance_id"] == "cnndm1017"}
    assert judged["bart_out_abs"]["judged_as"] == "0"
    assert judged["bart_out_abs"]["summary"]["text"] == ["bart_out abs 0 .", "more ."]
    assert judged["bart_out_ext"]["references"][0]["text"] == ["A sat .", "B ran ."]
    assert {row.get("judged_as") for row in found} == {None, "0", "1"}
    documents = rows(tmp_path, "all.documents.jsonl")
    assert len(documents) == LENGTH
    assert documents[19] == {"instance_id": "cnndm19", "documents": [{"text": ["b"]}]}


def test_a_wide_space_inside_a_sentence_does_not_end_it(tmp_path: Path) -> None:
    whole = all_realsumm_outputs()
    place = "aligned/abs/unilm/out_v1.txt"
    whole[place] = whole[place].replace("unilm_out_v1 0 .", "unilm \u00a0 v1 0 .")
    made({**SAMPLES["bhandari2020"](), **whole}, tmp_path)
    summaries = [row for row in rows(tmp_path, "all.summaries.jsonl") if row["kind"] == "abs"]
    assert ["unilm \u00a0 v1 0 ."] in [row["summary"]["text"] for row in summaries]


def test_what_was_judged_is_the_same_with_all_outputs_below_from(tmp_path: Path) -> None:
    made(SAMPLES["bhandari2020"](), tmp_path / "without")
    made(
        {**SAMPLES["bhandari2020"](), **all_realsumm_outputs()}, tmp_path / "with", all_outputs=True
    )
    before = {p.name: p.read_bytes() for p in (tmp_path / "without/out").glob("*.jsonl")}
    assert before == {
        p.name: p.read_bytes()
        for p in (tmp_path / "with/out").glob("*.jsonl")
        if not p.name.startswith("all.")
    }


def test_a_folder_per_system_will_do_and_its_wrong_documents_are_not_taken(tmp_path: Path) -> None:
    tree, whole = SAMPLES["bhandari2020"](), all_realsumm_outputs()
    for system, place in (
        ("bart_out", "ext/bart/out.txt"),
        ("presumm_out_ext_abs", "abs/t5/out_small.txt"),
        ("unilm_out_v1", "abs/unilm/out_v1.txt"),
    ):
        tree[f"raw/{system}/out.txt"] = whole[f"aligned/{place}"]
        tree[f"raw/{system}/ref.txt"] = whole["aligned/abs/t5/ref.txt"]
        tree[f"raw/{system}/src.txt"] = f"<t> {system} </t>\n" * LENGTH
    made(tree, tmp_path, all_outputs=True)
    found = rows(tmp_path, "all.summaries.jsonl")
    assert {row["summarizer_id"] for row in found} >= {"bart_out_ext", "unilm_out_v1"}
    assert rows(tmp_path, "all.documents.jsonl")[0]["documents"] == [{"text": ["bart_out"]}]


def test_files_that_are_not_aligned_are_told(tmp_path: Path) -> None:
    whole = all_realsumm_outputs()
    lines = whole["aligned/abs/unilm/out_v1.txt"].split("\n")
    whole["aligned/abs/unilm/out_v1.txt"] = "\n".join([*lines[1:], lines[0]])
    with pytest.raises(DataError, match=r"out_v1\.txt:20: is not the summary of document 1"):
        made({**SAMPLES["bhandari2020"](), **whole}, tmp_path / "a", all_outputs=True)
    whole["aligned/abs/unilm/out_v1.txt"] = "\n".join(lines[:-1])
    with pytest.raises(DataError, match=r"out_v1\.txt: 1,099 lines, but the file beside it has"):
        made({**SAMPLES["bhandari2020"](), **whole}, tmp_path / "b", all_outputs=True)
    shorter = whole["aligned/abs/unilm/ref.txt"].rpartition("\n")[0]
    whole["aligned/abs/unilm/ref.txt"] = shorter
    with pytest.raises(DataError, match=r"out_v1\.txt: 1,099 lines, but .*out.*\.txt has 1,100"):
        made({**SAMPLES["bhandari2020"](), **whole}, tmp_path / "d", all_outputs=True)
    with pytest.raises(MissingResourceError, match=r"aligned/\{abs,ext\}/MODEL/out"):
        made(SAMPLES["bhandari2020"](), tmp_path / "c", all_outputs=True)

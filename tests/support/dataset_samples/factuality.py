"""FRANK, AggreFact, LLM-AggreFact, TofuEval, UniSumEval."""

from __future__ import annotations

import json
from typing import Any

from support.dataset_samples.build import Tree, json_lines, table, workbook


def frank() -> Tree:
    base = {"hash": "b71b", "model_name": "bart", "dataset": "cnndm", "split": "test"}
    other = {
        **base,
        "hash": "357",
        "dataset": "bbc",
        "model_name": "TranS2S",
        "split": "valid",
    }
    text = {"article": "Article.", "summary": "Summary.", "reference": "Reference."}
    errors = {
        "Factuality": 0.5,
        "Semantic_Frame_Errors": 1.0,
        "RelE": 1.0,
        "EntE": 0.5,
        "Flip_RelE": 1.0,
    }
    sentence = {
        "summary_sentences": ["Summary."],
        "summary_sentences_annotations": [{"annotator_0": ["NoE"], "annotator_1": ["EntE"]}],
    }
    return {
        "data/benchmark_data.json": json.dumps([{**base, **text}, {**other, **text}]),
        "data/human_annotations.json": json.dumps([{**base, **errors}, {**other, **errors}]),
        "data/baseline_factuality_metrics_outputs.json": json.dumps(
            [{**base, "Rouge 1": 0.5, "FEQA": None}]
        ),
        "data/human_annotations_sentence.json": json.dumps([{**base, **sentence}]),
    }


def aggrefact() -> Tree:
    names = [
        "dataset",
        "origin",
        "id",
        "doc",
        "summary",
        "model_name",
        "label",
        "cut",
        "DAE_score",
        "DAE_label",
    ]
    rows = [
        ["FRANK", "cnndm", "1", "A, document\nwith lines.", "One.", "BART", 1, "test", 0.5, 1],
        ["FRANK", "cnndm", "1", "A, document\nwith lines.", "Two.", "BART", 0, "test", "", ""],
        # The same id, another document.
        ["FRANK", "cnndm", "1", "Other document.", "One.", "BART", 1, "test", 0.25, 0],
        ["XSumFaith", "xsum", "9", "Doc.", "S.", "PtGen", 0, "val", 0.1, ""],
        # Two systems wrote the same.
        ["XSumFaith", "xsum", "9", "Doc.", "S.", "BERTS2S", 0, "val", 0.1, ""],
        ["Goyal21", "cnndm", "3", "Doc.", "It's so.", "BART", 0, "val", 0.1, ""],
        # Neither id nor system are told.
        ["FactCC", "cnndm", "", "Doc. 1", "Claim one.", "", 1, "val", 0.1, ""],
        ["FactCC", "cnndm", "", "Doc. 2", "Claim two.", "", 0, "val", 0.1, ""],
    ]
    # Sheets of CNN/DM and of XSum have other columns; the data sets have other names than above,
    # the texts other blanks; a summary stands in the sheet of each of its types.
    cnn = ["dataset", "id", "summ", "model_name", "label", "cut", "error_type", "category"]
    both = "['intrinsic-NP', 'extrinsic-predicate']"
    xsum = ["annotated_span", "cut", "dataset", "doc", "error_type", "id", "label", "model_name"]
    xsum += ["origin", "summ", "category"]
    spans = "[nan, 'a span', \"it\\'s\"]"
    frank = ["frank", "1", "two .", "BART", 0, "test", both, "SOTA"]
    tests: dict[str, list[list[Any]]] = {
        "cnn_in_np": [cnn, frank, ["frank", "7", "absent", "BART", 0, "test", "['noise']", "SOTA"]],
        "cnn_ex_pred": [cnn, frank],
    }
    kind = "['extrinsic-NP']"
    faith = [spans, "val", "xsumfaith", "Doc.", kind, "9", 0, "PtGen", "xsum", "s.", "OLD"]
    other = [None, "val", "xsumfaith", "Doc.", "['extrinsic-entire_sent']", "9", 0, "BERTS2S"]
    other += ["xsum", "s.", "Early Trans"]
    goyal = ["GoyalDurrett2021", "3", "it's so .", "BART", 0, "val", "['noise', 'intrinsic-NP']"]
    vals: dict[str, list[list[Any]]] = {
        "xsum_ex_np": [xsum, faith],
        "xsum_ex_sent": [xsum, other],
        "cnn_in_np": [cnn, [*goyal, "SOTA"]],
    }
    return {
        "data/AggreFact-Unified-test.xlsx": workbook(tests),
        "data/AggreFact-Unified-val.xlsx": workbook(vals),
        "data/aggre_fact_final.csv": table(names, *rows),
        "data/aggre_fact_sota.csv": table(names, rows[0]),
    }


def llm_aggrefact() -> Tree:
    rows = [
        {
            "dataset": "TofuEval-MediaS",
            "doc": "Doc.",
            "claim": claim,
            "label": label,
            "contamination_identifier": "x" * 64,
        }
        for claim, label in (("Supported.", 1), ("Not.", 0))
    ]
    return {"data/dev.jsonl": json_lines(rows[0]), "data/test.jsonl": json_lines(*rows)}


def tofueval() -> Tree:
    names = [
        "doc_id",
        "annotation_id",
        "topic",
        "model_name",
        "sent_idx",
        "summ_sent",
        "sent_label",
        "exp",
        "type",
    ]
    rows = [
        ["NPR-1", 1, "Cost", "model_A", 2, "Second.", "no", "why", "Extrinsic Information"],
        ["NPR-1", 1, "Cost", "model_A", 1, "First.", "yes", "", ""],
        ["NPR-1", 1, "Cost", "Model-Extra", 1, "Only.", "yes", "", ""],
    ]
    files: Tree = {}
    for source in ("mediasum", "meetingbank"):
        for split in ("dev", "test"):
            files[f"factual_consistency/{source}_factual_eval_{split}.csv"] = table(names, *rows)
        # A list as Python writes it; a topic without key points has an empty cell.
        points = [
            ["NPR-1", 1, "Cost", "[\"1. It's dear.\", '2. Much.']"],
            ["NPR-1", 1, "Empty", ""],
        ]
        files[f"completeness/{source}_completeness_final.csv"] = table(
            ["doc_id", "annotation_id", "topic", "key_points"], *points
        )
        files[f"topic_category/{source}_topic_category.json"] = json.dumps({"Cost": "main"})
    files["mediasum_test_doc.csv"] = table(["doc_id", "source"], ["NPR-1", "A: hello"])
    files["mediasum_dev_doc.csv"] = table(["doc_id", "source"], ["NPR-1", "A: hello\nB: hi"])
    return files


def unisumeval() -> Tree:
    base = {
        "uid": "DISL_1",
        "doc_id": 7,
        "source": "cnn",
        "domain": "news",
        "length": "Short",
        "input_type": "Non-Dialogue",
        "redact_type": "unredact",
        "model": "gpt",
        "reference": "Ref.",
        "summary": "Sum.",
        "sentences": ["Sum."],
    }
    failed = {**base, "model": "bad", "summary_success_state": "fail"}
    # A redacted input is another input; this copy has the document.
    redacted = {**base, "redact_type": "redact", "document": "Redacted text."}
    return {
        "unisumeval_faithfulness.jsonl": json_lines(
            {
                **base,
                "faithfulness_score": 0.5,
                "fact_verification_label": [1],
                "fact_verification_error_type": ["out-of-article"],
            },
            failed,
            {**redacted, "faithfulness_score": 1.0, "error_type": ["none"]},
        ),
        "unisumeval_keyfact.jsonl": json_lines(
            {
                **base,
                "keyfact": ["F one.", "F two."],
                "keyfact_label": [1, 0],
                "completeness": 0.5,
                "sentence_label": [1],
                "conciseness": 1.0,
            }
        ),
    }


SAMPLES = {
    "frank": frank,
    "aggrefact": aggrefact,
    "llm-aggrefact": llm_aggrefact,
    "tofueval": tofueval,
    "unisumeval": unisumeval,
}

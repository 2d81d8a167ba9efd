"""RoSE, TL;DR feedback, SEAHORSE, BASSE, the WMT layout."""

from __future__ import annotations

from typing import Any

from support.dataset_samples.build import Tree, json_lines, table


def rose() -> Tree:
    def judged(*labels: int, **more: float) -> dict[str, object]:
        return {
            "acu_labels": list(labels),
            "acu": sum(labels) / max(len(labels), 1),
            "normalized_acu": 0.25,
            **more,
        }

    row = {
        "source": "Source.",
        "reference": "Ref one.\nRef two.",
        "reference_acus": ["One.", "Two."],
        "count_id": 0,
        "example_id": "000571",
        "annotations": {"bart": judged(1, 0), "gold": judged(1, 1)},
        "system_outputs": {"bart": "B.", "gold": "G."},
    }
    protocol = {
        **row,
        "annotations": {
            "bart": judged(1, 0, prior=4, ref_free=3, ref_based=2),
            # HuggingFace's copy has -1 where the reference was not judged.
            "reference": {
                "acu_labels": [],
                "acu": -1,
                "normalized_acu": -1,
                "prior": 5.0,
                "ref_free": 4.0,
                "ref_based": -1,
            },
        },
        "system_outputs": {"bart": "B."},
    }
    bare = {
        key: value for key, value in row.items() if key not in ("source", "reference", "example_id")
    }
    return {
        "cnndm_test.jsonl": json_lines(row),
        "cnndm_protocol_gpt3.jsonl": json_lines(protocol),
        "rose_data/samsum.test.acus.aggregated.jsonl": json_lines(bare),
    }


def tldr() -> Tree:
    post = {"id": "t3_1", "post": "A post.", "title": "T", "subreddit": "r"}

    def compared(choice: int, text: str) -> dict[str, object]:
        summaries = [
            {"text": f" {text}", "policy": "sup4", "note": None},
            {"text": "Human.", "policy": "ref", "note": "n"},
        ]
        return {
            "info": post,
            "summaries": summaries,
            "choice": choice,
            "worker": "w1",
            "batch": "batch9",
            "split": "train",
            "extra": {"confidence": 8},
        }

    rated: dict[str, Any] = {
        "info": {"id": "167f", "site": "dailymail", "title": "T", "article": "Article."},
        "split": "test",
        "worker": "w2",
        "batch": "cnndm1",
        "summary": {
            "text": "Rated.",
            "policy": "ref",
            "note": "",
            "axes": {"overall": 3, "accuracy": 5, "coverage": None},
        },
    }
    again = {**rated, "worker": "w3"}
    return {
        # One policy gave two texts.
        "comparisons/batch9.json": json_lines(compared(1, "First."), compared(0, "Other.")),
        "axis_evals/cnndm1.json": json_lines(
            rated, again, {**rated, "summary": {**rated["summary"], "policy": "sup4", "text": "S."}}
        ),
    }


def seahorse() -> Tree:
    names = ["gem_id", "worker_lang", "summary", "model", *(f"question{n}" for n in range(1, 7))]
    rows = [
        [
            "xlsum_english-validation-6416",
            "en-US",
            "Schools are urged.",
            "t5_base",
            *["Yes"] * 5,
            "No",
        ],
        ["xlsum_english-validation-6416", "en-US", "Garbage.", "1shot", "No", *[""] * 5],
        ["xlsum_english-validation-6416", "en-US", "The reference.", "reference", *["Yes"] * 6],
    ]
    tsv = table(names, *rows, delimiter="\t")
    return {
        "seahorse_data.zip": {
            "seahorse_data/train.tsv": table(names, rows[0], delimiter="\t"),
            "seahorse_data/validation.tsv": tsv,
            # Items with several raters, which overlap with the other files.
            "seahorse_data/duplicates/validation.tsv": table(names, rows[1], delimiter="\t"),
        }
    }


def basse() -> Tree:
    anns = {
        name: [5.0, 4.0] for name in ("Coherence", "Consistency", "Fluency", "Relevance", "5W1H")
    }
    row = {
        "idx": "https://x.eus/1",
        "round": 1,
        "original_document": "Dokumentua.",
        "reference_summaries": ["Bat.", "Bi."],
        "model_summaries": {
            "human-ann1": {"summ": "Bat.", "anns": anns},
            "human-ann2": {"summ": "Bi.", "anns": anns},
            "claude-base": {"summ": "Hiru.", "anns": anns},
            "subhead": {"summ": "Lau.", "anns": anns},
        },
    }
    third = {
        **row,
        "idx": "https://x.eus/2",
        "round": 3,
        "reference_summaries": ["Bakarra.", "Bestea."],
        "model_summaries": {"subhead": {"summ": "Bost.", "anns": anns}},
    }
    pilot = {
        **row,
        "round": 0,
        "reference_summaries": [],
        "model_summaries": {
            "subhead": {"summ": "Lau.", "anns": {**anns, "Fluency": [float("nan"), 5.0]}}
        },
    }
    return {
        "data/eu/BASSE.eu.jsonl": json_lines(row, third),
        "data/eu/BASSE.eu.round_0.jsonl": json_lines(pilot),
        "data/es/BASSE.es.jsonl": json_lines(row),
        "data/es/BASSE.es.round_0.jsonl": json_lines(pilot),
    }


def wmt() -> Tree:
    return {
        "wmt22": {
            "sources/en-de.txt": "One.\nTwo.\n",
            "documents/en-de.docs": "news d1\nspeech d2\n",
            "references/en-de.refA.txt": "Eins.\nZwei.\n",
            "system-outputs/en-de/refA.txt": "Eins.\nZwei.\n",
            "system-outputs/en-de/M1.txt": "Ein.\n[No translation supplied]\n",
            "human-scores/en-de.mqm.seg.score": "M1 -1.0\nM1 None\nrefA 0\nrefA -2\n",
            "human-scores/en-de.mqm.sys.score": "M1 -1.0\nrefA -0.5\n",
            "metric-scores/en-de/BLEU-refA.seg.score": "M1 0.5\nM1 0.25\n",
        }
    }


SAMPLES = {"rose": rose, "tldr": tldr, "seahorse": seahorse, "basse": basse, "wmt": wmt}

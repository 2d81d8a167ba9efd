"""REALSumm: pickles with numpy scalars, a wrong BART, references in several spellings."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from support.dataset_samples.build import Tree, table

LINES = ("1017", "19")
# Lines of the files with all outputs; here not 11,490.
LENGTH = 1100
UNITS = {"cnndm1017": ["A sat.", "B ran.", "BLANK"], "cnndm19": ["C slept.", "BLANK", "BLANK"]}
# Votes per unit by three raters, of documents 0 and 1.
VOTES = {
    "bart_out": {"abs": (["ppn", "nnn"], ["ppp"]), "ext": (["ppp", "ppn"], ["nnn"])},
    "unilm_out_v1": {"abs": (["ppp", "ppp"], ["pnn"])},
    "bottom_up_out": {"abs": (["ppp", "nnn"], ["ppp"])},
    "neusumm_out": {"ext": (["pppn", "ppnn"], ["ppp"])},
    "refresh_out": {"ext": (["ppp", "nnn"], ["ppp"])},
}
MEASURES = ("rouge_1", "rouge_2", "rouge_l")


def scores(recall: float, shift: float, *, numpy: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        f"{m}_{p}": 0.25 + shift for m in MEASURES for p in ("recall", "precision", "f_score")
    }
    values |= {
        "bert_recall_score": 0.5,
        "bert_precision_score": 0.25,
        "bert_f_score": 0.375,
        "mover_score": 0.125,
        "js-2": -0.5,
    }
    if numpy:
        values["bert_f_score"] = np.float32(0.375)
        values["mover_score"] = np.float64(0.125)
    return {**values, "litepyramid_recall": recall}


def recall(system: str, kind: str, document: int) -> float:
    units = VOTES[system][kind][document]
    return sum(2 * votes.count("p") > len(votes) for votes in units) / len(units)


def released(systems: dict[str, tuple[str, str]]) -> bytes:
    """Key in the file -> (system, kind) whose texts and scores stand there."""
    table_of = {
        at: {
            "doc_id": at,
            "ref_summ": "<t> a mixture . </t>",
            "system_summaries": {
                f"{key}.txt": {
                    "system_summary": f" <t> {system} {kind} {at} . </t>  <t> more . </t> ",
                    "scores": scores(recall(system, kind, at), at / 8, numpy=kind == "ext"),
                }
                for key, (system, kind) in systems.items()
            },
        }
        for at in range(2)
    }
    return pickle.dumps(table_of, protocol=3)


def ratings(system: str, kind: str) -> str:
    header = ["Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    header += [f"Input.statement_{n}" for n in (1, 2, 3)] + [
        f"Answer.S{n}Answer" for n in (3, 1, 2)
    ]
    rows, first = [], 0
    for at, (event, units) in enumerate(UNITS.items()):
        votes = VOTES[system][kind][at]
        for rater in range(len(votes[0])):
            answers = [v[rater] for v in votes] + ["n"] * (3 - len(votes))
            # Amazon sorts its columns as texts; here the third comes first.
            ids = str([str(first + n) for n in range(3)])
            rows.append([event, system, ids, "Shown text", *units, answers[2], *answers[:2]])
        first += 3
    return table(header, *rows)


def bhandari2020() -> Tree:
    listed, number = [], 0
    for event, units in UNITS.items():
        for text in units:
            listed.append([event, number, text, "N" if text == "BLANK" else "Y", "", event, 1])
            number += 1
    texts = "selected_docs_for_human_eval"
    ratings_of = "human_annotations/SCUs_and_annotations/SCU_rating_results_{}_systems"
    tagged = "<t> A sat . </t> <t> B ran . </t>\n<t> C slept . </t>"
    return {
        f"{texts}/selected_documents.md": f"# Selected\n\n```\n[{', '.join(LINES)}]\n```\n",
        f"{texts}/abs/bart/ref.txt": tagged,
        f"{texts}/abs/unilm/ref.txt": tagged.lower(),
        f"{texts}/abs/neusumm/ref.txt": tagged,
        f"{texts}/abs/ptr_generator/src.txt": "<t> the article . goes on . </t>\n<t> another . </t>",
        # One pair of tags around sentences with three blanks between them.
        f"{texts}/abs/bottom_up/ref.txt": "<t> A sat .   B ran . no . </t>\n<t> C slept . </t>",
        # Three blanks and no tags at all.
        f"{texts}/ext/refresh/ref.txt": "A sat . then   B ran .\nC slept .",
        # No tags: a splitter of sentences had made them.
        f"{texts}/ext/bart/ref.txt": "A sat . B ran .\nC slept .",
        # What was released has BART-ext under BART's name.
        "scores_dicts/abs.pkl": released(
            {
                "bart_out": ("bart_out", "ext"),
                "bottom_up_out": ("bottom_up_out", "abs"),
                "unilm_out_v1": ("unilm_out_v1", "abs"),
            }
        ),
        "scores_dicts/abs.2b56592.pkl": released(
            {
                "bart_out": ("bart_out", "abs"),
                "bottom_up_out": ("bottom_up_out", "abs"),
                "unilm_out_v1": ("unilm_out_v1", "abs"),
                "neusumm_out": ("neusumm_out", "ext"),
            }
        ),
        "scores_dicts/ext.pkl": released(
            {
                "bart_out": ("bart_out", "ext"),
                "neusumm_out": ("neusumm_out", "ext"),
                "refresh_out": ("refresh_out", "ext"),
            }
        ),
        "human_annotations/SCUs_and_annotations/SCUs_list.csv": table(
            [
                "eventId",
                "questionId",
                "questionText",
                "answer",
                "author",
                "sourceSummaryId",
                "forUse",
            ],
            *listed,
        ),
        f"{ratings_of.format('abs')}/bart_out_Batch_crowd_3.csv": ratings("bart_out", "abs"),
        f"{ratings_of.format('abs')}/unilm_out_v1_Batch_crowd_3.csv": ratings(
            "unilm_out_v1", "abs"
        ),
        f"{ratings_of.format('abs')}/neusumm_out_Batch_crowd_3.csv": ratings("neusumm_out", "ext"),
        f"{ratings_of.format('abs')}/bottom_up_out_Batch_crowd_3.csv": ratings(
            "bottom_up_out", "abs"
        ),
        f"{ratings_of.format('ext')}/bart_out.csv": ratings("bart_out", "ext"),
        f"{ratings_of.format('ext')}/refresh_out.csv": ratings("refresh_out", "ext"),
    }


def all_realsumm_outputs() -> Tree:
    """Lines of the whole test set, with the judged ones (1017 and 19) at their places."""

    def lines(judged: tuple[str, str], name: str) -> list[str]:
        found = [f"<t> {name} {number} . </t>" for number in range(LENGTH)]
        found[1017], found[19] = judged
        return found

    def outputs(system: str, kind: str) -> str:
        judged = [f"<t> {system} {kind} {at} . </t> <t> more . </t>" for at in (0, 1)]
        found = lines((judged[0], judged[1]), system)
        found[5], found[6] = "### NO MATCH FOUND ###", "<t>   </t>"
        return "\n".join(found)

    references = "\n".join(lines(("<t> A sat . </t> <t> B ran . </t>", "<t> C . </t>"), "ref"))
    made: Tree = {}
    for kind, model, file, system in (
        ("abs", "bart", "out.txt", "bart_out"),
        ("ext", "bart", "out.txt", "bart_out"),
        ("abs", "unilm", "out_v1.txt", "unilm_out_v1"),
    ):
        made[f"aligned/{kind}/{model}/{file}"] = outputs(system, kind)
        made[f"aligned/{kind}/{model}/ref.txt"] = references
    # NeuSumm stands among the abstractive systems; T5 was judged in another size only.
    made["aligned/abs/neusumm/out.txt"] = outputs("neusumm_out", "ext")
    made["aligned/abs/neusumm/ref.txt"] = references
    made["aligned/abs/t5/out_small.txt"] = outputs("t5", "abs")
    made["aligned/abs/t5/ref.txt"] = references
    made["aligned/abs/ptr_generator/src.txt"] = "\n".join(
        lines(("<t> a </t>", "<t> b </t>"), "src")
    )
    return made


SAMPLES = {"bhandari2020": bhandari2020}

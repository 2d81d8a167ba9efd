"""Judgments on CNN/DM: SummEval in two layouts, Chaganty, FactCC, BLANC, Newsroom, CNN/DM itself."""

from __future__ import annotations

import hashlib
import json

from support.dataset_samples.build import Tree, json_lines, table

STORY = "Paragraph one.\n\nParagraph two.\n\n@highlight\n\nFirst highlight\n\n@highlight\n\nSecond highlight\n"
EMPTY = hashlib.sha1(b"http://web.archive.org/2", usedforsecurity=False).hexdigest()
HASH = hashlib.sha1(b"http://web.archive.org/1", usedforsecurity=False).hexdigest()


def rating(value: int) -> dict[str, int]:
    return dict.fromkeys(("coherence", "consistency", "fluency", "relevance"), value)


def fabbri2020() -> Tree:
    topic = f"dm-test-{HASH}"
    row = {
        "id": topic,
        "model_id": "M8",
        "filepath": f"cnndm/dailymail/stories/{HASH}.story",
        "decoded": "the jud\u00e9ged text .",
        "references": ["Ground truth.", *(f"Crowd {n}." for n in range(1, 11))],
        "expert_annotations": [rating(5), rating(4), rating(5)],
        "turker_annotations": [rating(n) for n in (1, 2, 3, 4, 5)],
    }
    path = f"cnndm/dailymail/stories/{HASH}.story"
    other = {"filepath": "cnndm/dailymail/stories/abc.story", "reference": "other ."}
    outputs = json_lines(
        {
            "id": topic,
            "filepath": path,
            "decoded": "another text .",
            "reference": "ground truth .",
        },
        # The judged one, damaged by a wrong encoding.
        {
            "id": topic,
            "filepath": path,
            "decoded": "the jud\u00c3\u00a9ged text .",
            "reference": "ground truth .",
        },
        # An id that is a path, and a summary that is no text.
        {**other, "id": "cnndm/dailymail/stories/abc.story", "decoded": {}},
        {**other, "id": "dm-test-abc", "decoded": "again ."},
    )
    return {
        "model_annotations.aligned.jsonl": json_lines(
            row,
            {**row, "model_id": "M0", "decoded": "lead ."},
            # A row that was paired with its document.
            {**row, "id": "cnn-test-1", "model_id": "M0", "decoded": "l .", "text": "Paired."},
        ),
        "dailymail_stories.tgz": {
            f"dailymail/stories/{HASH}.story": STORY,
            "dailymail/stories/abc.story": "(CNN)\nA line without a stop\n\n@highlight\n\n'Said'\n",
        },
        "M8.tar.gz": {
            "M8/aligned/outputs_ptrgen+cov.aligned.jsonl": outputs,
            "M8/aligned/outputs_baseline.aligned.jsonl": "not read",
        },
        # The judged summary of this system is not among its outputs.
        "M0.tar.gz": {
            "M0/aligned/outputs.aligned.jsonl": json_lines(
                {**other, "id": "dm-test-abc", "decoded": "lead 3 ."}
            )
        },
    }


def chaganty2018() -> Tree:
    def task(system: str, text: str, topic: str = "006588") -> dict[str, object]:
        return {"input": {"contents": {"id": topic, "system": system, "text": text}}}

    automatic = {"bleu-2": 0.5, "bleu-4": 0.25, "meteor": 0.25, "ter": 0.5, "sim": 0.75}
    automatic |= {f"ROUGE-{n}": 0.5 for n in ("1", "2", "3", "4", "L", "SU4")}

    def scored(system: str) -> dict[str, object]:
        prompts = {
            name: {"human": [0.5, 1.0], "gold": 0.75, **automatic}
            for name in ("hter", "overall", "grammar", "redundancy")
        }
        return {"id": "006588", "system": system, "prompts": prompts}

    return {
        "articles.jsonl": json_lines({"id": "006588", "text": "The article."}),
        "data.tar.gz": {
            # Systems with equal summaries share a row; ml+rl is there twice.
            "./lqual.jsonl": json_lines(
                task("fastqa;snet", "Shared."),
                task("ml+rl", "First."),
                task("ml+rl", "Last."),
                task("reference", "The reference."),
                task("unjudged", "Nobody."),
            )
        },
        "lqual.jsonl": json_lines(
            scored("fastqa"), scored("snet"), scored("ml+rl"), scored("reference")
        ),
    }


def kryscinski2019() -> Tree:
    def claim(text: str, label: str) -> dict[str, str]:
        return {
            "id": f"cnn-test-{HASH}",
            "filepath": f"cnndm/cnn/stories/{HASH}.story",
            "claim": text,
            "label": label,
        }

    rows = json_lines(claim("Right.", "CORRECT"), claim("Wrong.", "INCORRECT"))
    return {
        "unpaired_annotated_data.tar.gz": {
            "unpaired_annotated_data/val/data-dev.jsonl": rows,
            "unpaired_annotated_data/test/data-dev.jsonl": rows,
        },
        "cnn/stories": {f"{HASH}.story": STORY},
    }


def vasilyev2020() -> Tree:
    def row(text: str, summary: str) -> dict[str, object]:
        return {
            "text": f" {text} ",
            "summary": summary,
            "scores": [1, 4],
            "annotators_ids": [5, 10],
        }

    plain = json.dumps([row("Same.", "One."), row("Same.", "Two."), row("Other.", "Three.")])
    aspects = {
        name: {"scores": [2, 3], "annotators_ids": [21, 13]}
        for name in ("Fluent", "Understandable", "Informative", "Compact", "Overall")
    }
    return {
        "CNN_DailyMail_555.json": plain,
        "DailyNews_300.json": plain,
        "DailyNews_300_aspects.json": json.dumps(
            [{"text": "Same.", "summary": "One.", "map_quality_scores": aspects}]
        ),
    }


def newsroom() -> Tree:
    names = ["System", "ArticleID", "ArticleText", "ArticleTitle", "SystemSummary"]
    names += [f"{a}Rating" for a in ("Coherence", "Fluency", "Informativeness", "Relevance")]
    article = "One <b>&amp;</b> two.</p><p>Three &lt;b&gt;."
    rows = [
        ["lead3", "7", article, "A &quot;title&quot;", "One<br>two.", 5, 4, 3, r] for r in (1, 2, 3)
    ]
    return {"newsroom-human-eval.csv": table(names, *rows)}


def summeval_lists() -> Tree:
    row = {
        "id": "dm-1",
        "text": "Hati.",
        "machine_summaries": ["Moja.", "Mbili."],
        "human_summaries": ["A.", "B."],
        "relevance": [5.0, 3.0],
        "coherence": [4.0, 2.0],
        "fluency": [5.0, 5.0],
        "consistency": [5.0, 1.0],
    }
    return {"summeval-sw.jsonl": json_lines(row)}


def cnndm() -> Tree:
    return {
        "cnn_stories.tgz": {
            f"cnn/stories/{HASH}.story": STORY,
            f"cnn/stories/{EMPTY}.story": "\n\n@highlight\n\nOf nothing\n",
        },
        "all_train.txt": "http://web.archive.org/1\nhttp://web.archive.org/2\n",
        "all_test.txt": "http://web.archive.org/1\n",
    }


SAMPLES = {
    "fabbri2020": fabbri2020,
    "chaganty2018": chaganty2018,
    "kryscinski2019": kryscinski2019,
    "vasilyev2020": vasilyev2020,
    "newsroom": newsroom,
    "summeval-lists": summeval_lists,
    "cnndm": cnndm,
}

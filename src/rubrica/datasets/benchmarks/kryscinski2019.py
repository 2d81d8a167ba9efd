"""FactCC's annotated data (Kryscinski et al. 2019): claims about CNN/DM stories, right or wrong."""

from __future__ import annotations

from collections import Counter

from rubrica.datasets.base import Dataset
from rubrica.datasets.benchmarks.stories import LICENCE, NEEDS, Stories
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

SPLITS = {"val": "valid", "test": "test"}
LABELS = {"CORRECT": 1, "INCORRECT": 0}


@Dataset.register("kryscinski2019")
class Kryscinski2019(Dataset):
    """FactCC: sentences of summaries, labelled consistent or not with their CNN/DM story."""

    licence = f"Annotations: BSD 3-Clause. {LICENCE}"
    homepage = "https://github.com/salesforce/factCC"
    size = "534 MB of stories, and the annotations"
    needs = (
        "unpaired_annotated_data.tar.gz, from https://storage.googleapis.com/"
        "sfr-factcc-data-research/unpaired_annotated_data.tar.gz",
        NEEDS,
    )
    citation = (
        "Kryscinski, McCann, Xiong, Socher. 2020. Evaluating the Factual Consistency of "
        "Abstractive Text Summarization. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `valid.*` and `test.*`; systems are unknown, so each claim about a story is one of its own."""
        stories = Stories(raw)
        tree = raw.part("unpaired_annotated_data.tar.gz")
        for folder, split in SPLITS.items():
            judgments, claims = Judgments(), Counter[str]()

            def add_claim(
                record: Record, judgments: Judgments = judgments, claims: Counter[str] = claims
            ) -> None:
                topic, label = record.identifier("id"), record.string("label")
                if label not in LABELS:
                    raise record.error(f"unknown label {label!r}: expected {' or '.join(LABELS)}")
                path = record.string("filepath")
                document = record.values.get("text") or (stories.article(path) if stories else None)
                if topic not in judgments.documents and document is not None:
                    judgments.add_documents(topic, [{"text": document}], filepath=path)
                claims[topic] += 1
                system = f"claim-{claims[topic]}"
                judgments.add_summary(topic, system, record.string("claim"))
                judgments.add_scores(topic, system, {"consistent": LABELS[label]})

            raw.for_each(tree.one(f"{folder}/data-dev.jsonl").records(), add_claim)
            judgments.write(out, f"{split}.")

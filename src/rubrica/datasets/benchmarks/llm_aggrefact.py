"""LLM-AggreFact (Tang et al. 2024): claims against grounding documents, of eleven data sets."""

from __future__ import annotations

from collections import Counter

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw


@Dataset.register("llm-aggrefact")
class LlmAggreFact(Dataset):
    """LLM-AggreFact: claims, supported (1) or not (0) by a document; an evaluation set only."""

    licence = "CC BY-ND 4.0; for evaluation only, not for training (access on request)"
    homepage = "https://huggingface.co/datasets/lytang/LLM-AggreFact"
    size = "53 MB"
    needs = (
        "data/dev-*.parquet and data/test-*.parquet of HuggingFace's lytang/LLM-AggreFact (accept "
        "its terms there first), or dev.jsonl and test.jsonl",
    )
    citation = (
        "Tang, Laban, Durrett. 2024. MiniCheck: Efficient Fact-Checking of LLMs on Grounding "
        "Documents. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{dev,test}.*`; systems are unknown, so each claim about a document is one of its own."""
        if not raw.some("dev*.*", "test*.*"):
            raise raw.missing("dev*.parquet or test*.parquet")
        for split in ("dev", "test"):
            judgments, topics = Judgments(), dict[tuple[str, str], str]()
            claims: Counter[str] = Counter()

            def add_claim(
                record: Record,
                judgments: Judgments = judgments,
                topics: dict[tuple[str, str], str] = topics,
                claims: Counter[str] = claims,
            ) -> None:
                source, document = record.string("dataset"), record.string("doc")
                topic = topics.setdefault((source, document), f"{source}-{len(topics) + 1}")
                if topic not in judgments.documents:
                    judgments.add_documents(topic, [{"text": document}], dataset=source)
                claims[topic] += 1
                system = f"claim-{claims[topic]}"
                mark = record.values.get("contamination_identifier")
                claim = record.string("claim")
                judgments.add_summary(topic, system, claim, contamination_identifier=mark)
                judgments.add_scores(topic, system, {"label": record.number("label")})

            for file in raw.some(f"{split}-*.parquet", f"{split}.parquet", f"{split}*.jsonl"):
                raw.for_each(file.records(), add_claim)
            judgments.write(out, f"{split}.")

"""UniSumEval (Lee et al. 2024): faithfulness, completeness and conciseness in several domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw
from rubrica.datasets.units import add_labels, add_units

ABOUT = ("source", "domain", "length", "input_type", "redact_type")
# The document itself is not among the fields that the authors describe; some copies have it.
DOCUMENT = ("document", "context", "transcript", "input")
# By sentence: 1 if it has a hallucination, its type, 1 if it states a key fact.
FAITHFULNESS = {
    "hallucinated_sentences": ("fact_verification_label",),
    "error_types": ("fact_verification_error_type", "error_type"),
}
CONCISENESS = {"key_fact_sentences": ("sentence_label",)}


@Dataset.register("unisumeval")
class UniSumEval(Dataset):
    """UniSumEval: LLM and other summarizers in several domains, judged by sentence and by key fact."""

    licence = "no licence stated; the sources have terms of their own"
    homepage = "https://github.com/DISL-Lab/UniSumEval-v1.0"
    size = "not stated"
    needs = (
        "unisumeval_faithfulness.jsonl and unisumeval_keyfact.jsonl, from a clone of "
        "https://github.com/DISL-Lab/UniSumEval-v1.0 (data/)",
    )
    citation = (
        "Lee, Yun, Cai, Su, Song. 2024. UniSumEval: Towards Unified, Fine-Grained, "
        "Multi-Dimensional Summarization Evaluation for LLMs. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write the scores of both files, and key facts as pyramids of weight 1."""
        judgments = Judgments()

        def summary(record: Record) -> tuple[str, str] | None:
            if record.values.get("summary_success_state", "success") != "success":
                out.leave_out("summaries that a model failed to give")
                return None
            topic = f"{record.identifier('source')}-{record.identifier('doc_id')}"
            if record.values.get("redact_type") == "redact":
                topic += "-redacted"
            system = record.identifier("model")
            reference = record.values.get("reference") or ""
            if reference and "reference" not in judgments.summaries.get(topic, {}):
                judgments.add_summary(topic, "reference", reference, kind="reference")
            name = next((name for name in DOCUMENT if record.values.get(name)), None)
            if topic not in judgments.documents and name is not None:
                about = {key: record.values.get(key) for key in ABOUT}
                judgments.add_documents(topic, [{"text": record.text(name)}], **about)
            text = record.string("summary")
            known = judgments.summaries.get(topic, {}).get(system)
            if known is None:
                judgments.add_summary(topic, system, text, sentences=record.values.get("sentences"))
            elif known.text != text:
                raise record.error(
                    f"the summary of {topic} by {system} differs from an earlier record"
                )
            return topic, system

        def faithfulness(record: Record) -> None:
            key = summary(record)
            if key is not None:
                judgments.add_scores(*key, {"faithfulness": record.number("faithfulness_score")})
                _add_labels(judgments, key, record, FAITHFULNESS)

        def key_facts(record: Record) -> None:
            key = summary(record)
            if key is None:
                return
            scores = {name: record.number(name) for name in ("completeness", "conciseness")}
            judgments.add_scores(*key, scores)
            _add_labels(judgments, key, record, CONCISENESS)
            facts, labels = record.strings("keyfact"), record.numbers("keyfact_label")
            if len(facts) != len(labels):
                raise record.error(f"{len(labels)} labels of {len(facts)} key facts")
            if facts:
                add_units(judgments, key[0], str(record.values.get("reference") or ""), facts)
                if len(judgments.pyramids[key[0]].scus) != len(facts):
                    raise record.error(f"the key facts of {key[0]} differ from an earlier record")
                add_labels(judgments, *key, record.string("summary"), labels)

        for name, read in (("faithfulness", faithfulness), ("keyfact", key_facts)):
            file = raw.one(f"unisumeval_{name}.jsonl")
            raw.for_each(file.records(), read)
        judgments.write(out)


def _add_labels(
    judgments: Judgments, key: tuple[str, str], record: Record, names: Mapping[str, Sequence[str]]
) -> None:
    """Add the sentence labels of a summary, under one name for each field's alternative names."""
    labels = {
        key_name: record.values[field]
        for key_name, fields in names.items()
        for field in fields
        if record.values.get(field) is not None
    }
    judgments.summaries[key[0]][key[1]].about.update(labels)

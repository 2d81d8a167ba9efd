"""RoSE (Liu et al. 2023): atomic content units (ACUs) on CNN/DM, XSum and SamSum."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw
from rubrica.datasets.units import add_labels, add_units

# Name of the part -> names of its file, as HuggingFace exports it and as the archive has it.
PARTS = {
    "cnndm_test": ("cnndm_test*.*", "cnndm.test.acus.aggregated.jsonl"),
    "cnndm_validation": ("cnndm_validation*.*", "cnndm.val.acus.aggregated.jsonl"),
    "cnndm_protocol": ("cnndm_protocol.*", "cnndm.test.protocols.aggregated.jsonl"),
    "cnndm_protocol_gpt3": ("cnndm_protocol_gpt3*.*", "cnndm.test.protocols-gpt3.aggregated.jsonl"),
    "xsum": ("xsum*.*", "xsum.test.acus.aggregated.jsonl"),
    "samsum": ("samsum*.*", "samsum.test.acus.aggregated.jsonl"),
}
SCORES = ("acu", "normalized_acu", "prior", "ref_free", "ref_based")


@Dataset.register("rose")
class Rose(Dataset):
    """RoSE: 22,000 summaries judged by atomic content units, and four protocols compared."""

    licence = "BSD 3-Clause (annotations); CNN/DM, XSum and SamSum texts have terms of their own"
    homepage = "https://huggingface.co/datasets/Salesforce/rose"
    size = "not stated"
    needs = (
        "{cnndm_test,cnndm_validation,cnndm_protocol,cnndm_protocol_gpt3,xsum,samsum}"
        ".{jsonl,parquet}, saved from HuggingFace's Salesforce/rose; or rose_data.tar.gz, which has "
        "neither documents nor references, from https://storage.googleapis.com/"
        "sfr-rose-data-research/rose_data.tar.gz",
    )
    citation = (
        "Liu et al. 2023. Revisiting the Gold Standard: Grounding Summarization Evaluation with "
        "Robust Human Evaluation. ACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `PART.*` for each part that is there; ACUs as pyramids of weight 1."""
        for part, names in PARTS.items():
            file = raw.maybe(names[1]) or raw.maybe(names[0])
            if file is None:
                continue
            judgments = Judgments()

            def add_record(record: Record, judgments: Judgments = judgments) -> None:
                name = "example_id" if record.values.get("example_id") else "count_id"
                _add(record, record.identifier(name), judgments, out)

            raw.for_each(file.records(), add_record)
            judgments.write(out, f"{part}.")


def _add(record: Record, topic: str, judgments: Judgments, out: Output) -> None:
    reference = record.values.get("reference") or ""
    if topic in judgments.summaries:
        raise record.error(f"duplicate input {topic!r}")
    if record.values.get("source"):
        judgments.add_documents(topic, [{"text": record.string("source")}])
    if reference:
        judgments.add_summary(topic, "reference", reference, kind="reference")
    units = record.strings("reference_acus") if record.values.get("reference_acus") else []
    if units:
        add_units(judgments, topic, reference, units)
    outputs, annotations = record.inner("system_outputs"), record.inner("annotations")
    for system in annotations.values:
        judged = annotations.inner(system)
        if system != "reference":
            judgments.add_summary(topic, system, outputs.string(system))
        elif not reference:
            out.leave_out("scores of a reference that is not there")
            continue
        # HuggingFace's copy has -1 where references were not judged.
        scores = {
            name: judged.number(name)
            for name in SCORES
            if judged.values.get(name) not in (None, -1)
        }
        judgments.add_scores(topic, system, scores)
        labels = judged.values.get("acu_labels")
        if units and labels:
            values = judged.numbers("acu_labels")
            if len(values) != len(units):
                raise record.error(f"{len(values)} labels of {len(units)} ACUs for {system!r}")
            add_labels(judgments, topic, system, outputs.string(system), values)

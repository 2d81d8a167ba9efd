"""Chaganty et al. (2018): CNN/DM summaries with edit distances and ratings by the crowd."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

PROMPTS = ("hter", "overall", "grammar", "redundancy")
AUTOMATIC = ("bleu-2", "bleu-4", "meteor", "ter", "sim")
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "ROUGE-SU4")
BUNDLES = "https://worksheets.codalab.org/rest/bundles"


@Dataset.register("chaganty2018")
class Chaganty2018(Dataset):
    """Chaganty et al. 2018: CNN/DM systems with post-editing distance and crowd ratings."""

    licence = "no licence stated; CNN/Daily Mail texts belong to their publishers"
    homepage = "https://worksheets.codalab.org/worksheets/0x88644b5ee189402eb19d39d721d1005c"
    size = "not stated"
    needs = (
        f"articles.jsonl, from {BUNDLES}/0x8dabd302e6674c65b0098a2a258fffb2/contents/blob/",
        f"data.tar.gz, from {BUNDLES}/0x6c53667688d74786aaba63ba3bcc8e0e/contents/blob/",
        f"lqual.jsonl, from {BUNDLES}/0x57d766e803fe4e00882d58fabf9e6101/contents/blob/",
    )
    citation = (
        "Chaganty, Mussmann, Liang. 2018. The price of debiasing automatic metrics in natural "
        "language evaluation. ACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `documents`, `references`, `summaries`, `metrics`."""
        judgments = Judgments()

        def document(record: Record) -> None:
            text = record.text("text")
            judgments.add_documents(record.identifier("id"), [{"text": text}])

        def summary(record: Record) -> None:
            contents = record.inner("input").inner("contents")
            topic = contents.identifier("id")
            # Systems with the same summary share a row: "a;b". One row is a duplicate: the last counts.
            for system in contents.string("system").split(";"):
                kind = "reference" if system == "reference" else "peer"
                text = contents.text("text")
                judgments.add_summary(topic, system, text, kind=kind, again="last")

        def scores(record: Record) -> None:
            prompts = record.inner("prompts")
            key = record.identifier("id"), record.identifier("system")
            values = {name: prompts.inner(name).numbers("human") for name in PROMPTS}
            judgments.add_scores(*key, {"chaganty2018": values})
            # Automatic scores are the same in all prompts.
            automatic = prompts.inner("hter")
            published: dict[str, object] = {
                name: automatic.number(name) for name in AUTOMATIC if name in automatic.values
            }
            for name in ROUGE:
                if name in automatic.values:
                    published[name.lower()] = {"recall": automatic.number(name)}
            judgments.add_published(*key, published)

        tasks = raw.part("data.tar.gz").one("lqual.jsonl")
        for file, read in (
            (raw.one("articles.jsonl"), document),
            (tasks, summary),
            (_scores(raw, tasks), scores),
        ):
            raw.for_each(file.records(), read)
        judged = {(i, s) for i, systems in judgments.scores.items() for s in systems}
        for topic, systems in judgments.summaries.items():
            for system in [s for s in systems if (topic, s) not in judged and s != "reference"]:
                del systems[system]
                out.leave_out("summaries that nobody judged")
        judgments.write(out)


def _scores(raw: Raw, tasks: RawFile) -> RawFile:
    """Return the file of scores, which has the same name as the tasks and may be unpacked beside them."""
    files = [file for file in raw.some("lqual.jsonl") if file.place != tasks.place]
    if len(files) != 1:
        raise raw.missing("lqual.jsonl, one, outside of data.tar.gz,")
    return files[0]

"""MultiLing 2015: Wikipedia articles with submitted summaries, and clusters of news texts."""

from __future__ import annotations

from collections import defaultdict

from rubrica.datasets.judgments import Judgments, write_parts
from rubrica.datasets.multiling.languages import (
    CODES,
    MultiLingDataset,
    add_document,
    code_of,
)
from rubrica.datasets.multiling.wikipedia import add_articles, article
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw

# In the test archive too, and not evaluated.
TRAINING = ("M001", "M002", "M003")


@MultiLingDataset.register("multiling2015")
class MultiLing2015(MultiLingDataset):
    """MultiLing 2015: single documents (38 languages) with submissions; clusters (10 languages)."""

    needs = (
        "the archive of multilingMss2015Eval/{body,summary}/, and that of "
        "Evaluation_MultiLing2015_MSS/mss-submits/original/ (single documents), or",
        "the training and test archives of clusters, unpacked",
    )
    citation = "Giannakopoulos et al. 2015. MultiLing 2015: Multilingual Summarization of Single and Multi-Documents, On-line Fora, and Call-center Conversations. SIGDIAL"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `sds.LANGUAGE.*`, `mds.train.LANGUAGE.*`, `mds.test.LANGUAGE.*`."""
        singles: dict[str, Judgments] = defaultdict(Judgments)
        submitted = raw.some("mss-submits/original/*/*/*/*.txt")
        people = {f"{f.path.split('/')[-4]}-{f.folder}" for f in submitted}
        people = {name for name in people if name.startswith("human")}
        add_articles(
            singles,
            bodies=raw.some("multilingMss2015Eval/body/text/*/*.txt"),
            # The submissions include the human summaries.
            summaries=raw.some("multilingMss2015Eval/summary/*/*.txt") if not people else (),
        )
        for file in submitted:
            team, code, run = file.path.split("/")[-4:-1]
            name = f"{team}-{run}"
            lines = file.lines()
            if not lines:
                out.leave_out("empty submissions")
                continue
            kind = "reference" if name in people else "peer"
            with file.noting():
                singles[code].add_summary(article(file), name, lines, kind=kind)
        write_parts(singles, out, "sds.")
        self._clusters(raw, out)

    def _clusters(self, raw: Raw, out: Output) -> None:
        train: dict[str, Judgments] = defaultdict(Judgments)
        test: dict[str, Judgments] = defaultdict(Judgments)
        for file in raw.some("*/*/M0*"):
            topic, *rest = file.name.split(".")
            # Test: LANGUAGE/FILE; training: LANGUAGE/KIND/FILE, documents and summaries.
            with file.noting():
                if file.folder.lower() not in CODES:
                    part = train[code_of(file.path.split("/")[-3], file)]
                    if rest[-1:] == ["250"]:
                        part.add_summary(topic, rest[0], file.lines() or "", kind="reference")
                    else:
                        add_document(part, topic[:-1], file, out)
                elif topic[:-1] in TRAINING:
                    out.leave_out("training documents in the test archive")
                else:
                    add_document(test[code_of(file.folder, file)], topic[:-1], file, out)
        for split, parts in (("train", train), ("test", test)):
            write_parts(parts, out, f"mds.{split}.")

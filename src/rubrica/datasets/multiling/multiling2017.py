"""MultiLing 2017: Wikipedia articles in forty languages, with submitted summaries."""

from __future__ import annotations

from collections import defaultdict

from rubrica.datasets.judgments import Judgments, write_parts
from rubrica.datasets.multiling.languages import MultiLingDataset
from rubrica.datasets.multiling.wikipedia import add_articles, article
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw


@MultiLingDataset.register("multiling2017")
class MultiLing2017(MultiLingDataset):
    """MultiLing 2017: single documents with references and submissions, no human scores."""

    needs = (
        "the archive of 2017_test_data/body/text/",
        "the archive of Evaluation/{2017_summaries,MultiLing17_Submissions}/",
    )
    citation = "Giannakopoulos et al. 2017. MultiLing 2017 Overview. MultiLing Workshop at EACL"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `sds.LANGUAGE.*`."""
        parts: dict[str, Judgments] = defaultdict(Judgments)
        add_articles(
            parts,
            bodies=raw.some("2017_test_data/body/text/*/*.txt"),
            summaries=raw.all("Evaluation/2017_summaries/*/*.txt"),
        )
        for file in raw.all("MultiLing17_Submissions/*/*/*/*.txt"):
            team, run, language = file.path.split("/")[-4:-1]
            if language == "simple" or run == "2017_summaries":
                continue
            if team == "baselines2017" and file.name.endswith("_body.txt"):
                out.leave_out("baselines that copy the whole article")
                continue
            system = run if team == "baselines2017" else f"{team}-{run}"
            with file.noting():
                parts[language].add_summary(article(file), system, file.lines() or "")
        write_parts(parts, out, "sds.")

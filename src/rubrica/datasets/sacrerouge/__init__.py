"""The layout of SacreROUGE: a data set's files under the names and in the schema that its readers write.

Rows are in the order of the archives and files, where SacreROUGE's readers keep it. One file has a summary's human and published scores together, one a task's
documents and references; texts are those of Rubrica's own files, English ones cut into sentences where SacreROUGE's
readers cut them.
"""

from __future__ import annotations

from functools import partial

from rubrica.datasets.output import Output
from rubrica.datasets.sacrerouge.benchmarks import (
    bhandari,
    chaganty,
    fabbri,
    kryscinski,
    pairs,
    vasilyev,
)
from rubrica.datasets.sacrerouge.multiling import (
    clusters_2011,
    clusters_2013,
    clusters_2015,
    single_documents,
    summary_evaluation,
)
from rubrica.datasets.sacrerouge.nist import nist
from rubrica.datasets.sacrerouge.rows import Files, Layout, joined
from rubrica.datasets.sacrerouge.sentences import (
    cut_lines,
    cut_paragraphs,
    cut_running,
    cut_whole,
)
from rubrica.errors import ParameterError

TASKS_2004 = ("task1", "task2", "task5")
tac = partial(nist, headlines=True, documents=cut_paragraphs)

LAYOUTS: dict[str, Layout] = {
    "bhandari2020": bhandari,
    "chaganty2018": chaganty,
    "duc2001": partial(nist, single=("task1.train", "task1.test")),
    "duc2002": partial(nist, single=("task1",), as_met=("task1",), scored_only=True),
    "duc2003": partial(nist, single=("task1",), as_met=("task1",), references=cut_running),
    "duc2004": partial(nist, single=("task1",), as_met=TASKS_2004, summaries=cut_lines),
    "duc2005": partial(nist, as_met=("task1",), blank=False),
    "duc2006": partial(nist, as_met=("task1",), scored_only=True, by_score=True, twice="d0631"),
    "duc2007": partial(nist, headlines=True),
    "fabbri2020": fabbri,
    "kryscinski2019": kryscinski,
    "multiling2011": clusters_2011,
    "multiling2013": joined(single_documents, clusters_2013),
    "multiling2015": joined(single_documents, clusters_2015),
    "multiling2017": partial(single_documents, summaries=cut_lines, as_met=False),
    "multiling2019": summary_evaluation,
    "multinews": pairs,
    "nytimes": partial(pairs, single=True),
    "tac2008": tac,
    "tac2009": partial(tac, references=cut_whole, summaries=cut_lines),
    "tac2010": partial(tac, summaries=cut_lines),
    # The order of the file of topics.
    "tac2011": partial(tac, summaries=cut_lines, as_met=("task1.A", "task1.B", "task1.A-B")),
    "vasilyev2020": vasilyev,
    "wcep": pairs,
}


def use_sacrerouge_layout(name: str, out: Output) -> None:
    """Replace the files of a data set by those of SacreROUGE's reader of that name."""
    if name not in LAYOUTS:
        raise ParameterError(
            f"data set {name!r} has no layout 'sacrerouge'; there are: {', '.join(LAYOUTS)}"
        )
    for file, rows in LAYOUTS[name](Files(out.set_aside())):
        out.write(file, rows)

"""The registry of commands: each has one line here, and one module with `add_arguments` and `run`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from rubrica.cli.parser import Parser


class Command(Protocol):
    """What a command's module (or an object in its place) has; its docstring describes it in help."""

    def add_arguments(self, parser: Parser, words: list[str]) -> None:
        """Add the options to the parser; `words` follow the command's name on the command line."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit code."""


class Entry(NamedTuple):
    """Where a command lives and what it does."""

    module: str
    summary: str


class Group(NamedTuple):
    """Commands that share a first word, such as `rubrica store ls`."""

    summary: str
    usage: str
    commands: dict[str, Entry]


def _entries(
    package: str, summaries: dict[str, str], modules: dict[str, str] | None = None
) -> dict[str, Entry]:
    """Return commands by name; `stat-sig-test` lives in `stat_sig_test.py`, unless `modules` names another."""
    paths = {name: name.replace("-", "_").replace(" ", ".") for name in summaries}
    paths |= modules or {}
    return {
        name: Entry(f"rubrica.cli.{package}.{paths[name]}", summary)
        for name, summary in summaries.items()
    }


_STUDY = Group(
    "build a human study: align, audit, score, annotate, clean",
    "rubrica study STAGE ...",
    # In the order in which a study needs them.
    _entries(
        "study",
        {
            "preprocess": "turn outputs of any shape into one tagged summary per line",
            "align": "find which lines of two files belong to the same document",
            "realign": "put a file's lines into the order that align found",
            "audit": "find broken tags, glued or copied texts, and misplaced scores",
            "score": "score every system of an ext/ abs/ folder against its references",
            "merge": "join tables of scores; refuse different texts or values",
            "import": "read answers of another annotation tool, or a REALSumm pickle of scores",
            "export": "write tasks for another annotation tool, or scores as a REALSumm pickle",
            "select": "choose documents for judgment, stratified by several metrics",
            "subsample": "keep the chosen lines of parallel files",
            "scus make": "turn references into tasks for writing content units",
            "scus collect": "collect content units from the results of such tasks",
            "scus filter": "keep short single-sentence units, drop near duplicates",
            "tasks make": "turn summaries and content units into rating tasks",
            "serve": "annotate in a browser, on this machine",
            "settings": "show or change a study's settings and annotators",
            "backup": "copy a study's file while the server runs",
            "stop": "test at any time whether one system is better than another",
            "collect": "write the answers given in the browser to result files",
            "clean": "remove careless workers by rules; report who was removed and why",
            "human": "turn answers into human scores, with their uncertainty",
            "judgments": "turn Likert ratings or ACU labels (RoSE) into human scores",
            "matrix": "show the range of each measure and the correlation of every pair",
            "experiments": "run the four experiments of REALSumm on a table of scores",
            "report": "write an HTML page: agreement, workers, ranges, experiments",
        },
        {"import": "pickles", "tasks make": "tasks_make"},
    ),
)
_REPORT = Group(
    "write an HTML page: systems, meta-evaluation, ROUGE, pyramids",
    "rubrica report KIND FILE... [-o page.html]",
    _entries(
        "reports",
        {
            "systems": "systems over measures, with intervals, tests, inputs and texts",
            "meta": "metrics against people: correlations, tests, systems, inputs",
            "embeddings": "token similarities and alignments of bertscore, wms, ...",
            "pyramid": "content units by weight, where they occur, and each score",
            "rouge": "what ROUGE counted, word by word, by several implementations",
            "all": "all pages for a run's folder, linked to each other",
        },
        {"all": "all_pages"},
    ),
)
_STORE = Group(
    "maintain a store of scores: ls, verify, merge, gc, export",
    "rubrica store COMMAND DIR ...",
    _entries(
        "store",
        {
            "ls": "list its metrics, rows, shards and bytes",
            "verify": "check every shard; exit code 1 if something is wrong",
            "merge": "add the shards of other stores, and combine small ones",
            "gc": "remove damaged shards and leftovers of killed runs",
            "export": "write all scores to one file",
        },
    ),
)
_REPRODUCE = Group(
    "recompute published tables from released data, cell by cell",
    "rubrica reproduce COMMAND ...",
    _entries(
        "reproduce",
        {
            "list": "list the tables: paper, cells, and where to get the data",
            "run": "recompute one table; every cell gets a verdict",
            "all": "recompute every table whose data is available",
            "leaderboard": "compare metrics by their agreement with people on the same data",
        },
    ),
)

# section -> command -> where it lives and what it does
SECTIONS: dict[str, dict[str, Entry | Group]] = {
    "score summaries": {
        **_entries(
            "scoring",
            {
                "compare": "compare systems: a table with intervals and paired tests",
                "gate": "fail when new summaries are worse than stored ones, for CI",
                "evaluate": "score summaries with several metrics: system scores, rows",
                "score": "score peers and references, jackknifed, for meta-evaluation",
                "explain": "explain why two ROUGE numbers for the same texts differ",
            },
        ),
        "rouge155": Entry(
            "rubrica.cli.rouge155", "run ROUGE-1.5.5 with its own options and output, without Perl"
        ),
    },
    "evaluate metrics against people": {
        **_entries(
            "meta",
            {
                "meta-evaluate": "rank many metrics by their correlation with human scores",
                "correlate": "correlate a metric with human scores",
                "stat-sig-test": "test whether one metric correlates better than another",
                "partial-conjunction-test": "test on how many data sets a metric is better",
                "pairwise": "compare how metrics and people order pairs, with ties",
                "system-ranking": "test how well and how stably a metric ranks systems",
                "partial-correlation": "correlate with the system or the length held fixed",
                "threshold": "compare metrics with yes/no judgments",
                "preferences": "compare metrics with preferences between summaries",
                "agreement": "measure agreement of judges: alpha, kappa, noise ceiling",
                "alt-test": "test whether a judge can replace a human annotator",
                "judge-audit": "audit judges: agreement, biases, stability, juries",
                "judge-red-team": "measure how far prompt injection in summaries moves a judge",
                "estimate": "estimate human scores from few labels and a judge",
                "power": "estimate how many documents or systems a study needs",
            },
        ),
        "reproduce": _REPRODUCE,
    },
    "ask people, look at results": {
        "study": _STUDY,
        "report": _REPORT,
        **_entries(
            "reports",
            {
                "open": "browse files of any size on this machine",
                "export": "write records of the Every Eval Ever schema",
            },
        ),
    },
    "maintain": {
        "store": _STORE,
        "list": Entry("rubrica.cli.list", "list metrics, readers, data sets, providers or prompts"),
        **_entries(
            "setup",
            {
                "setup-metric": "download or check what a metric needs",
                "setup-dataset": "convert a benchmark's raw data to JSON lines",
            },
        ),
        "docs": Entry("rubrica.cli.docs", "read the page of a metric, a data set or a command"),
        "completion": Entry("rubrica.cli.completion", "print a shell's script for tab completion"),
    },
}
VERBS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
GROUPS = {name: entry for name, entry in VERBS.items() if isinstance(entry, Group)}
# metric -> further commands, `rubrica METRIC NAME`
METRIC_COMMANDS: dict[str, dict[str, Entry]] = {
    "alignscore": {
        "convert-checkpoint": Entry(
            "rubrica.cli.setup.convert_alignscore",
            "convert the original's .ckpt file",
        )
    },
    "bertscore": {
        "make-baseline": Entry(
            "rubrica.cli.setup.make_baseline",
            "compute a model's scores of unrelated texts, for rescaling",
        )
    },
    "bleurt": {
        "convert-checkpoint": Entry(
            "rubrica.cli.setup.convert_bleurt",
            "convert the original's TensorFlow checkpoint",
        )
    },
    "qa-eval": {
        "convert-checkpoint": Entry(
            "rubrica.cli.setup.convert_qaeval",
            "convert the original's archives (generator, LERC)",
        )
    },
    "sum-qe": {
        "convert-checkpoint": Entry(
            "rubrica.cli.setup.convert_sumqe",
            "convert the original's Keras weights",
        )
    },
}

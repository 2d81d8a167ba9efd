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


def _entries(package: str, lines: dict[str, tuple[str, str]]) -> dict[str, Entry]:
    return {
        name: Entry(f"rubrica.cli.{package}.{module}", summary)
        for name, (module, summary) in lines.items()
    }


_STUDY = Group(
    "build a human study: align, audit, score, annotate, clean",
    "rubrica study STAGE ...",
    # In the order in which a study needs them.
    _entries(
        "study",
        {
            "preprocess": (
                "preprocess",
                "turn outputs of any shape into one tagged summary per line",
            ),
            "align": ("align", "find which lines of two files belong to the same document"),
            "realign": ("realign", "put a file's lines into the order that align found"),
            "audit": ("audit", "find broken tags, glued or copied texts, and misplaced scores"),
            "score": ("score", "score every system of an ext/ abs/ folder against its references"),
            "merge": ("merge", "join tables of scores; refuse different texts or values"),
            "import": ("pickles", "convert a REALSumm pickle to a table, without running its code"),
            "export": ("export", "convert a table of scores to a REALSumm pickle"),
            "select": ("select", "choose documents for judgment, stratified by several metrics"),
            "subsample": ("subsample", "keep the chosen lines of parallel files"),
            "scus make": ("scus.make", "turn references into tasks for writing content units"),
            "scus collect": (
                "scus.collect",
                "collect content units from the results of such tasks",
            ),
            "scus filter": (
                "scus.filter",
                "keep short single-sentence units, drop near duplicates",
            ),
            "tasks make": ("tasks_make", "turn summaries and content units into rating tasks"),
            "serve": ("serve", "annotate in a browser, on this machine"),
            "settings": ("settings", "show or change a study's settings and annotators"),
            "backup": ("backup", "copy a study's file while the server runs"),
            "stop": ("stop", "test at any time whether one system is better than another"),
            "collect": ("collect", "write the answers given in the browser to result files"),
            "clean": ("clean", "remove careless workers by rules; report who was removed and why"),
            "human": ("human", "turn answers into human scores, with their uncertainty"),
            "judgments": (
                "judgments",
                "turn Likert ratings or ACU labels (RoSE) into human scores",
            ),
            "matrix": (
                "matrix",
                "show the range of each measure and the correlation of every pair",
            ),
            "experiments": (
                "experiments",
                "run the four experiments of REALSumm on a table of scores",
            ),
            "report": ("report", "write an HTML page: agreement, workers, ranges, experiments"),
        },
    ),
)
_REPORT = Group(
    "write an HTML page: systems, meta-evaluation, ROUGE, pyramids",
    "rubrica report KIND FILE... [-o page.html]",
    _entries(
        "reports",
        {
            "systems": (
                "systems",
                "systems over measures, with intervals, tests, inputs and texts",
            ),
            "meta": ("meta", "metrics against people: correlations, tests, systems, inputs"),
            "embeddings": (
                "embeddings",
                "token similarities and alignments of bertscore, wms, ...",
            ),
            "pyramid": ("pyramid", "content units by weight, where they occur, and each score"),
            "rouge": ("rouge", "what ROUGE counted, word by word, by several implementations"),
            "all": ("all_pages", "all pages for a run's folder, linked to each other"),
        },
    ),
)
_STORE = Group(
    "maintain a store of scores: ls, verify, merge, gc, export",
    "rubrica store COMMAND DIR ...",
    _entries(
        "store",
        {
            "ls": ("ls", "list its metrics, rows, shards and bytes"),
            "verify": ("verify", "check every shard; exit code 1 if something is wrong"),
            "merge": ("merge", "add the shards of other stores, and combine small ones"),
            "gc": ("gc", "remove damaged shards and leftovers of killed runs"),
            "export": ("export", "write all scores to one file"),
        },
    ),
)
_REPRODUCE = Group(
    "recompute published tables from released data, cell by cell",
    "rubrica reproduce COMMAND ...",
    _entries(
        "reproduce",
        {
            "list": ("list", "list the tables: paper, cells, and where to get the data"),
            "run": ("run", "recompute one table; every cell gets a verdict"),
            "all": ("all", "recompute every table whose data is available"),
            "leaderboard": (
                "leaderboard",
                "compare metrics by their agreement with people on the same data",
            ),
        },
    ),
)

# section -> command -> where it lives and what it does
SECTIONS: dict[str, dict[str, Entry | Group]] = {
    "score summaries": {
        **_entries(
            "scoring",
            {
                "compare": ("compare", "compare systems: a table with intervals and paired tests"),
                "gate": ("gate", "fail when new summaries are worse than stored ones, for CI"),
                "evaluate": (
                    "evaluate",
                    "score summaries with several metrics: system scores, rows",
                ),
                "score": ("score", "score peers and references, jackknifed, for meta-evaluation"),
                "explain": ("explain", "explain why two ROUGE numbers for the same texts differ"),
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
                "meta-evaluate": (
                    "meta_evaluate",
                    "rank many metrics by their correlation with human scores",
                ),
                "correlate": ("correlate", "correlate a metric with human scores"),
                "stat-sig-test": (
                    "stat_sig_test",
                    "test whether one metric correlates better than another",
                ),
                "partial-conjunction-test": (
                    "partial_conjunction_test",
                    "test on how many data sets a metric is better",
                ),
                "pairwise": ("pairwise", "compare how metrics and people order pairs, with ties"),
                "system-ranking": (
                    "system_ranking",
                    "test how well and how stably a metric ranks systems",
                ),
                "partial-correlation": (
                    "partial_correlation",
                    "correlate with the system or the length held fixed",
                ),
                "threshold": ("threshold", "compare metrics with yes/no judgments"),
                "preferences": (
                    "preferences",
                    "compare metrics with preferences between summaries",
                ),
                "agreement": (
                    "agreement",
                    "measure agreement of judges: alpha, kappa, noise ceiling",
                ),
                "alt-test": ("alt_test", "test whether a judge can replace a human annotator"),
                "judge-audit": (
                    "judge_audit",
                    "audit judges: agreement, biases, stability, juries",
                ),
                "judge-red-team": (
                    "judge_red_team",
                    "measure how far prompt injection in summaries moves a judge",
                ),
                "estimate": ("estimate", "estimate human scores from few labels and a judge"),
                "power": ("power", "estimate how many documents or systems a study needs"),
            },
        ),
        "reproduce": _REPRODUCE,
    },
    "ask people, look at results": {
        "study": _STUDY,
        "report": _REPORT,
        "open": Entry("rubrica.cli.reports.open", "browse files of any size on this machine"),
        "export": Entry(
            "rubrica.cli.reports.export", "write records of the Every Eval Ever schema"
        ),
    },
    "maintain": {
        "store": _STORE,
        "list": Entry("rubrica.cli.list", "list metrics, readers, data sets, providers or prompts"),
        "setup-metric": Entry(
            "rubrica.cli.setup.setup_metric", "download or check what a metric needs"
        ),
        "setup-dataset": Entry(
            "rubrica.cli.setup.setup_dataset", "convert a benchmark's raw data to JSON lines"
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

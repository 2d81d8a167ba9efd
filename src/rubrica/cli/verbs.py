"""The table of commands: what each is for, and the module that is imported when it is used."""

from __future__ import annotations

# section -> verb -> (module, what it does)
SECTIONS = {
    "score summaries": {
        "compare": (
            "rubrica.cli.scoring.compare",
            "which system is better: a table with intervals and tests",
        ),
        "gate": (
            "rubrica.cli.scoring.gate",
            "fail when new summaries are worse than stored ones, for CI",
        ),
        "evaluate": (
            "rubrica.cli.scoring.evaluate",
            "score a system's summaries with the metrics of a file",
        ),
        "score": (
            "rubrica.cli.scoring.score",
            "score peers and references, jackknifed, for meta-evaluation",
        ),
        "rouge155": ("rubrica.cli.rouge155", "ROUGE-1.5.5.pl's own command line, without the Perl"),
        "explain": (
            "rubrica.cli.scoring.explain",
            "say why two ROUGE numbers for the same texts differ",
        ),
    },
    "evaluate metrics against people": {
        "meta-evaluate": (
            "rubrica.cli.meta.meta_evaluate",
            "rank many metrics by their correlation with human scores",
        ),
        "correlate": ("rubrica.cli.meta.correlate", "correlate a metric with human scores"),
        "stat-sig-test": (
            "rubrica.cli.meta.stat_sig_test",
            "test whether one metric correlates better than another",
        ),
        "partial-conjunction-test": (
            "rubrica.cli.meta.partial_conjunction_test",
            "on how many data sets a metric is better",
        ),
        "pairwise": (
            "rubrica.cli.meta.pairwise",
            "does a metric order pairs as people do, ties included",
        ),
        "system-ranking": (
            "rubrica.cli.meta.system_ranking",
            "can a metric rank close systems, the best ones, and how steadily",
        ),
        "partial-correlation": (
            "rubrica.cli.meta.partial_correlation",
            "what is left of a correlation given the system or the length",
        ),
        "threshold": ("rubrica.cli.meta.threshold", "metrics against judgments of yes or no"),
        "preferences": (
            "rubrica.cli.meta.preferences",
            "metrics against preferences between two summaries",
        ),
        "agreement": ("rubrica.cli.meta.agreement", "do judges agree: alpha, kappa, noise ceiling"),
        "power": (
            "rubrica.cli.meta.power",
            "how many documents or systems are needed to see a difference",
        ),
    },
    "ask people, look at results": {
        "study": ("rubrica.cli.study", "build a human study: align, audit, score, annotate, clean"),
        "report": (
            "rubrica.cli.reports.report",
            "write an HTML page: systems, meta-evaluation, ROUGE, pyramids",
        ),
        "open": ("rubrica.cli.reports.open", "look through files of any size in the browser"),
    },
    "what there is, and what it needs": {
        "store": (
            "rubrica.cli.scoring.store",
            "look after a store of scores: ls, verify, merge, gc, export",
        ),
        "list": ("rubrica.cli.list", "show the metrics, readers or data sets there are"),
        "setup-metric": ("rubrica.cli.setup.setup_metric", "fetch or check what a metric needs"),
        "setup-dataset": (
            "rubrica.cli.setup.setup_dataset",
            "turn a benchmark's raw data into JSON lines",
        ),
    },
}
VERBS = {verb: told for verbs in SECTIONS.values() for verb, told in verbs.items()}

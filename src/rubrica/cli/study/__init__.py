"""`rubrica study VERB`: the human study, from raw outputs to human scores, stage by stage."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rubrica.cli.console import Console, warnings_told
from rubrica.cli.options import Parser
from rubrica.errors import UsageError, near_names

# verb -> (module, what it does), in the order in which a study needs them
VERBS = {
    "preprocess": ("preprocess", "system outputs of any shape into one tagged summary per line"),
    "align": ("align", "find which line of one file belongs to which of another"),
    "realign": ("realign", "put a file's lines into the order that align found"),
    "audit": ("audit", "find broken tags, glued or copied texts, and scores of other texts"),
    "score": ("score", "score every system of an ext/ abs/ folder against its own references"),
    "merge": ("merge", "join tables of scores; different texts or values are refused"),
    "import": ("pickles", "a REALSumm pickle into a table, without running what is in it"),
    "export": ("export", "a table of scores into a REALSumm pickle"),
    "select": ("select", "choose documents for judgment, stratified by several metrics"),
    "subsample": ("subsample", "keep the chosen lines of parallel files"),
    "scus make": ("scus_make", "references into tasks for writing content units"),
    "scus collect": ("scus_collect", "written content units from the results of such tasks"),
    "scus filter": ("scus_filter", "keep units that are one short sentence and no near duplicate"),
    "tasks make": ("tasks_make", "summaries and content units into tasks of rating"),
    "serve": ("serve", "annotate in a browser, on this machine"),
    "collect": ("collect", "answers given in the browser into result files"),
    "clean": ("clean", "find careless workers, by rules; say who was removed and why"),
    "human": ("human", "answers into human scores, with their uncertainty"),
    "judgments": ("judgments", "Likert ratings, or ACU labels as in RoSE, into human scores"),
    "experiments": ("experiments", "the four experiments of REALSumm on a table of scores"),
}


def main(words: list[str]) -> int:
    """The stage that the first word, or the first two, name."""
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return 0
    count = 2 if " ".join(words[:2]) in VERBS else 1
    name, rest = " ".join(words[:count]), words[count:]
    if name not in VERBS:
        raise UsageError(_unknown(words))
    module, told = VERBS[name]
    verb: Any = import_module(f"rubrica.cli.study.{module}")
    parser = Parser(prog=f"rubrica study {name}", description=verb.__doc__ or told)
    verb.add_arguments(parser)
    parser.add_argument("--silent", action="store_true", help="print nothing but errors")
    arguments = parser.parse(rest)
    console = Console(silent=arguments.silent, log_file=getattr(arguments, "log_path", None))
    try:
        with warnings_told(console):
            return int(verb.run(arguments, console))
    finally:
        console.close()


def _unknown(words: list[str]) -> str:
    inner = [name.partition(" ")[2] for name in VERBS if name.startswith(f"{words[0]} ")]
    if inner:
        return f"say what to do: rubrica study {words[0]} {'|'.join(inner)}"
    near = near_names(words[0], VERBS)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"no stage {words[0]!r}{hint}\nSee: rubrica study --help"


def _help() -> str:
    width = max(map(len, VERBS))
    return "\n".join(
        [
            "usage: rubrica study STAGE ...",
            "",
            "The human study: from system outputs to human scores and re-evaluated metrics.",
            "",
            "stages:",
            *(f"  {name:<{width}}  {told}" for name, (_, told) in VERBS.items()),
            "",
            "  rubrica study STAGE --help  the options of a stage",
        ]
    )

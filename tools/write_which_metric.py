"""Write docs/which-metric.md: advice, and what was measured, from docs/reproductions/{leaderboard,speed,memory}.json.

python tools/write_which_metric.py [--check]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any

from rubrica.metrics import ADDRESSES
from rubrica.metrics.base.metric import METRICS
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.base.program import ProgramMetric

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "which-metric.md"
# Column -> benchmark, human score and level of the leaderboard.
COLUMNS = {
    "REALSumm, systems": ("REALSumm", "litepyramid.recall", "system"),
    "REALSumm, summaries": ("REALSumm", "litepyramid.recall", "summary"),
    "SummEval relevance, summaries": ("SummEval", "relevance", "summary"),
    "SummEval consistency, summaries": ("SummEval", "consistency", "summary"),
    "TAC 2009 responsiveness, summaries": ("TAC 2009", "responsiveness", "summary"),
}
ADVICE = """\
# Which metric should I use?

<!-- Written by tools/write_which_metric.py; do not edit. -->

First find your question, then look at the [measured agreement](#what-was-measured) with people. Several metrics in
this table need weights that were not available for measurements: [the last section](#what-was-not-measured) names them.

| Question | You have | Use | Avoid |
| --- | --- | --- | --- |
| Does the summary contain what the reference says? | references | [`rouge`](metrics/rouge.md) (recall, \
if lengths are similar), [`meteor`](metrics/meteor.md), [`chrf`](metrics/chrf.md) | \
relying on one of them for close systems |
| The same, by meaning | references, a model | [`bertscore`](metrics/bertscore.md), \
[`moverscore`](metrics/moverscore.md), [`bleurt`](metrics/bleurt.md) | mixing scores of different models in one table |
| The same, fact by fact | references, content units or a judge | [`pyramid-score`](metrics/pyramid-score.md), \
[`lite3pyramid`](metrics/lite3pyramid.md), [`judge`](judge-prompts.md) with `acu` or `nuggets` | |
| Is it faithful to the source? | documents, a model | [`summac`](metrics/summac.md), \
[`alignscore`](metrics/alignscore.md), [`minicheck`](metrics/minicheck.md), `judge` with `sentence-faithfulness` | \
ROUGE: it cannot see a changed name or number |
| Is it fluent and coherent? | the summary, a model | [`unieval`](metrics/unieval.md), [`sum-qe`](metrics/sum-qe.md), \
[`judge`](metrics/judge.md) | metrics that compare words |
| Is it good without references? | documents | [`supert`](metrics/supert.md), [`blanc`](metrics/blanc.md), \
[`js`](metrics/js.md) with `against=documents`, [`simetrix`](metrics/simetrix.md) | reading absolute values: only \
compare systems |
| Fast, for every training step or CI run | references | `rouge`, `chrf`, `meteor` ([costs](#what-it-costs)) | \
models and judges |
| Thai, Chinese, Japanese ... | references | `rouge` with `profile="unicode"` or a tokenizer, `chrf` | rouge-score: it \
drops non-ASCII characters |
| Long documents | documents, a model | `minicheck`, `alignscore` (they split documents), `judge` with `chunk_words` | \
models that truncate the document silently |
| Can a judge replace my annotators? | some labels | [`alt-test`](alt-test.md), [`judge-audit`](judge-audit.md), \
[`estimate`](estimate.md) | trusting the judge's own confidence |

Report at least two metrics of different kinds, with intervals and signatures, and test differences with
[`compare`](compare.md). No table here can tell which metric is best for your data. If you have human scores for them,
[`meta-evaluate`](meta-evaluate.md) can.
"""
MEASURED = """\

## What was measured

The table shows agreement with people on released data: Kendall's tau with its 95 % interval. Bold marks the first
cluster of each column: the best measures, down to the first one that a better measure significantly beats. The
[leaderboard](leaderboard.md) has all human scores and levels, and the signature of each number.

REALSumm's human score is the share of the reference's content that a summary contains. It favours recall, so systems
that write longer summaries score higher.

*MiniLM* is all-MiniLM-L6-v2, a small model from PyPI. The original metrics use larger models, which were not available
for these measurements. Those rows say nothing about the original models. A dash means that a measure was not computed
on these data.
"""
COSTS = """\

## What it costs

Speed is the number of summaries of about 60 words that are scored per second of CPU time, that is, on one core, without
startup. On two cores, metrics without a model score 1.6 to 2 times as many ([measured](scale.md#costs)). Memory is the
peak of a process that scores 1,000 of them with one worker. It includes Python and the metric's data
(`benchmarks/bench_metrics.py`).
"""
UNMEASURED = """\

## What was not measured

This page has no evidence of how well these metrics agree with people:
"""
# Why the leaderboard lacks a metric, beyond weights and programs that were not available.
REASONS = {
    "bewte-ud": "the texts of the benchmarks are not parsed",
    "rouge-be": "the texts of the benchmarks are not parsed",
    "s3": "its word vectors, `deps.words`, were not available",
    "bleu": "it scores whole systems; the table has `sent-bleu`",
    "data-stats": "it describes summaries; neither direction is better",
    "judge": "it depends on the model and the prompt; one small model was [measured](judges.md#a-judge-without-a-key)",
    "likelihood": "it was measured only [on a part of REALSumm](metrics/likelihood.md#agreement-with-people)",
    "lite-pyramid": "these are human scores themselves",
    "pyramid-score": "these are human scores themselves",
    "python-rouge": "its scores nearly equal those of `rouge`",
    "pyreval-style": "it was not run",
}


def measured_table() -> Iterator[str]:
    """Yield the lines of the table, the best on REALSumm first; measures without a value there are last."""
    entries = _results("leaderboard", "entries")
    cells = {(e["measure"], e["benchmark"], e["human"], e["level"]): e for e in entries}
    facts = {entry["measure"]: entry for entry in entries}
    first = COLUMNS["REALSumm, summaries"]
    order = sorted(
        facts, key=lambda measure: -cells.get((measure, *first), {"value": -1.0})["value"]
    )
    yield f"| Measure | {' | '.join(COLUMNS)} |"
    yield f"| --- | {' | '.join(['---:'] * len(COLUMNS))} |"
    for measure in order:
        values = [_cell(cells.get((measure, *key))) for key in COLUMNS.values()]
        yield f"| [`{measure}`](metrics/{_metric(facts[measure])}.md) | {' | '.join(values)} |"


def costs_table() -> Iterator[str]:
    """Yield the lines of the table of costs, the fastest metric first."""
    rates, peaks = _results("speed", "rates"), _results("memory", "peaks")
    facts = {_metric(entry): entry for entry in _results("leaderboard", "entries")}
    yield "| Metric | Needs | Summaries/s | Memory, MB |"
    yield "| --- | --- | ---: | ---: |"
    for metric, rate in sorted(rates.items(), key=lambda item: -item[1]):
        extra = {"word vectors": " and word vectors", "neural": " and a model"}
        needs = facts[metric]["needs"] + extra.get(facts[metric]["cost"], "")
        name = f"[`{metric}`](metrics/{metric}.md)"
        yield f"| {name} | {needs} | {rate:,} | {peaks[metric]:,} |"


def unmeasured() -> Iterator[str]:
    """Yield the metrics that the table lacks, by reason."""
    known = {_metric(entry) for entry in _results("leaderboard", "entries")}
    groups: dict[str, list[str]] = {}
    for name in sorted(set(ADDRESSES) - known):
        groups.setdefault(_reason(name), []).append(f"[`{name}`](metrics/{name}.md)")
    for reason, names in groups.items():
        yield fill(
            f"- {', '.join(names)}: {reason}", 120, subsequent_indent="  ",
            break_on_hyphens=False, break_long_words=False,
        )  # fmt: skip


def _reason(name: str) -> str:
    if name in REASONS:
        return REASONS[name]
    if issubclass(METRICS.get(name), ProgramMetric):
        return "the programs were not available"
    if issubclass(METRICS.get(name), NeuralMetric):
        return "the weights were not available"
    raise ValueError(f"{name}: say in REASONS why it was not measured")


def _metric(entry: dict[str, Any]) -> str:
    return str(entry["signature"].partition("|")[0])


def _results(name: str, key: str) -> Any:
    return json.loads((DOCS / "reproductions" / f"{name}.json").read_text("utf-8"))[key]


def _cell(entry: dict[str, Any] | None) -> str:
    if entry is None:
        return "-"
    text = f"{entry['value']:.2f} ({entry['lower']:.2f} to {entry['upper']:.2f})"
    return f"**{text}**" if entry["cluster"] == 1 else text


def main() -> int:
    """Write the page, or say that it is out of date."""
    parts = [ADVICE + MEASURED, *measured_table(), COSTS, *costs_table(), UNMEASURED, *unmeasured()]
    text = "\n".join([*parts, ""])
    if "--check" in sys.argv:
        if PAGE.read_text("utf-8") != text:
            print(
                f"{PAGE.name} is out of date: run python tools/write_which_metric.py",
                file=sys.stderr,
            )
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

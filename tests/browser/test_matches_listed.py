"""The page lists matches in the browser, by the rules that Python has: both lists are the same."""

from __future__ import annotations

import json
import random
import warnings
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import RubricaWarning
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.reports.page import bundle, inert_json
from rubrica.reports.rouge_matches import DEFAULT_VARIANTS, Variant, rouge_report
from support import pages
from support.rouge_matches import matches

WORDS = "a b the The Cat cats running ran 2.5 İ naïve x.y gimme . .. น้ำ 会议 constructor __proto__"

# All that a page lists: [row][variant][reference][measure], null where it would show nothing.
LISTED = """(written) => {
%s
  const report = JSON.parse(written);
  return JSON.stringify(report.rows.map((row) => report.variants.map((variant, v) => row.references.map((_, r) =>
    variant.kinds.map((_, m) => {
      const found = matchesOf(report, row, v, r, m);
      return found && [
        found.counted.map((one) => [one.summary, one.reference, one.value]),
        found.clipped.summary,
        found.clipped.reference,
      ];
    })))));
}"""


def instance(summary: Any, *references: Any) -> EvalInstance:
    return EvalInstance("d", "s", "peer", Fields(summary=summary, references=list(references)))


def random_texts(rows: int, sentences: int, words: int) -> list[EvalInstance]:
    """A summary and two references each, of few words, so that there is much to clip and many ties."""
    drawn = random.Random(7)
    known = WORDS.split()

    def text() -> list[str]:
        return [
            " ".join(drawn.choices(known, k=drawn.randint(0, words)))
            for _ in range(drawn.randint(1, sentences))
        ]

    return [instance(text(), text(), text()) for _ in range(rows)]


def sample() -> list[EvalInstance]:
    reader = DatasetReader.from_config("reference-based")
    return list(reader.read(str(pages.NEWS / "summaries.jsonl")))[:20]


def hostile() -> list[EvalInstance]:
    others = [*pages.HOSTILE[1:], ""]
    return [instance(one, other) for one, other in zip(pages.HOSTILE, others, strict=True)]


def listed_in_python(instances: list[EvalInstance], variants: list[Variant]) -> Any:
    def pair(variant: Variant, summary: Any, reference: Any) -> Any:
        texts = variant.tokens(summary), variant.tokens(reference)
        return [
            [
                [(one.summary, one.reference, one.value) for one in found.counted],
                found.clipped_summary,
                found.clipped_reference,
            ]
            for metric in variant.metrics
            for found in matches(metric.engine, *texts)
        ]

    return [
        [
            [pair(variant, one.fields["summary"], other) for other in one.fields["references"]]
            for variant in variants
        ]
        for one in instances
    ]


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (sample, DEFAULT_VARIANTS),
        (hostile, sorted(PROFILES)),
        (lambda: random_texts(12, 4, 9), sorted(PROFILES)),
        # Columns of more than 32 bits, whole texts of several sentences, runs.
        (lambda: random_texts(3, 6, 90), sorted(PROFILES)),
    ],
    ids=["sample", "hostile", "short", "long"],
)
def test_the_page_lists_what_python_lists(browser: Any, made: Any, names: list[str]) -> None:
    instances = made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RubricaWarning)
        report = inert_json(rouge_report(instances, names))
        expected = listed_in_python(instances, [Variant(name) for name in names])
    page = browser.new_page()
    listed = page.evaluate(LISTED % bundle("rouge/match-model"), report)
    page.close()
    assert json.loads(listed) == json.loads(json.dumps(expected))

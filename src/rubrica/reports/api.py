"""`report`: the HTML page of any result, in one file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from rubrica.comparison.records import Comparison
from rubrica.datasets.open import read
from rubrica.errors import ParameterError
from rubrica.formatting.result import Result
from rubrica.meta.judges.alt_test_judges import AltTestComparison
from rubrica.meta.judges.alt_test_result import AltTest
from rubrica.meta.judges.estimates import Estimates
from rubrica.meta.ranking.rankings import MetaEvaluation
from rubrica.reports.page import write_page
from rubrica.scoring.evaluation import Evaluation

if TYPE_CHECKING:
    from rubrica.reports.scored_texts import SummaryTexts


class Page(Protocol):
    """The data of a page: a dataclass with a title."""

    def page(self) -> bytes:
        """Return the HTML."""


def report(
    result: Any, path: str | os.PathLike[str], *, title: str | None = None, summaries: Any = None
) -> str:
    """Write the HTML page of a result, one file that needs no network, and return its path.

    Args:
        result: What `evaluate`, `compare`, `meta_evaluate`, `alt_test`, `compare_judges` or `estimate_systems`
            returned, or a report with a `page()` of its own, such as that of `rubrica.reports.systems`.
        path: File to write.
        title: Title of the page.
        summaries: Texts that the page of systems or metrics shows: anything that `rubrica.read` takes. By default
            those that were scored, where they are known.

    Returns:
        The path.

    Raises:
        ParameterError: There is no page for this kind of result, or the result lacks what its page shows.

    Example:
        >>> import rubrica as rb
        >>> comparison = rb.compare({"a": ["A cat sat.", "It rained."], "b": ["Cats.", "Rain."]}, ["Cats sat.", "Rain."])
        >>> rb.report(comparison, "page.html", title="Two systems")
        'page.html'
    """
    page = _page(result, summaries)
    if title is not None:
        page = replace(page, title=title)  # type: ignore[type-var]
    target = os.fspath(path)
    write_page(target, page.page())
    return target


def _page(result: Any, summaries: Any) -> Page:
    for kind, page in _PAGES.items():
        if isinstance(result, kind):
            return page(result, summaries)
    if not isinstance(result, Result) and hasattr(result, "page"):
        return cast(Page, result)
    names = ", ".join(kind.__name__ for kind in _PAGES)
    raise ParameterError(f"there is no page for {type(result).__name__}; there is one for: {names}")


def _evaluation(result: Evaluation, summaries: Any) -> Page:
    from rubrica.comparison.scores import compare_scores

    if not result.rows:
        raise ParameterError(
            "the page shows the scores of every summary, and this evaluation has none: call evaluate "
            "without output, or write the page of that file with rubrica report systems"
        )
    comparison = compare_scores(result.rows, resampling=result.resampling)
    # Rows do not hold what they cost.
    evaluation = replace(comparison.evaluation, usage=result.usage)
    comparison = replace(comparison, evaluation=evaluation)
    return _comparison(comparison, result.data if summaries is None else summaries)


def _comparison(result: Comparison, summaries: Any) -> Page:
    from rubrica.reports.run_facts import scores_date
    from rubrica.reports.systems import comparison_report

    texts = _texts(result.data if summaries is None else summaries)
    return comparison_report(result, texts, date=scores_date())


def _meta_evaluation(result: MetaEvaluation, summaries: Any) -> Page:
    from rubrica.reports.meta import meta_report
    from rubrica.reports.run_facts import scores_date

    if result.table is None:
        raise ParameterError(
            "this meta-evaluation was read from a file, without its scores: use rubrica report meta"
        )
    return meta_report(result, result.table, _texts(summaries), date=scores_date())


def _texts(summaries: Any) -> SummaryTexts | None:
    from rubrica.reports.scored_texts import SummaryTexts

    return None if summaries is None else SummaryTexts.of(read(summaries, ()))


def _alt_test(result: AltTest | AltTestComparison, summaries: Any) -> Page:
    from rubrica.reports.alt_test import alt_test_report

    if isinstance(result, AltTest):
        result = AltTestComparison((result,), (), 0)
    annotators = len({a.annotator for test in result.tests for a in test.annotators})
    judges = len({test.judge for test in result.tests})
    facts = f"annotators: {annotators}, judges: {judges}"
    return alt_test_report(result, (), facts)


def _estimates(result: Estimates, summaries: Any) -> Page:
    from rubrica.reports.estimate import estimate_report

    return estimate_report(result)


_PAGES: dict[type, Callable[[Any, Any], Page]] = {
    Evaluation: _evaluation,
    Comparison: _comparison,
    MetaEvaluation: _meta_evaluation,
    AltTest: _alt_test,
    AltTestComparison: _alt_test,
    Estimates: _estimates,
}

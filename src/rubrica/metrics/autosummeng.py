"""AutoSummENG, MeMoG and NPowER: how alike the graphs of character n-grams of two texts are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from rubrica.core import kernels
from rubrica.core.rouge_options import LONGEST_GRAM
from rubrica.data.instance import ReferenceType, SummaryType
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.bases import ReferenceBasedMetric
from rubrica.metrics.base.metric import UNBOUNDED, Metric

_SIX_DIGITS = Decimal("0.000001")
# Beyond it a scale has no room for six digits.
_LARGEST_SCORE = 1_000_000_000


@Metric.register("autosummeng")
class AutoSummENG(ReferenceBasedMetric):
    """Similarity of the n-gram graphs of a summary and its references: AutoSummENG, MeMoG and NPowER.

    As released, the first graph of the references is the merged one and MeMoG sees the last
    reference only: the order of references matters. Empty texts: 0, and an NPowER of 0.05866.

    Args:
        min_n: Shortest n-grams, in characters.
        max_n: Longest n-grams, in characters.
        d_window: How many preceding n-grams to join each n-gram with.
        min_score: Lower end of NPowER's scale.
        max_score: Upper end of NPowER's scale.
        autosummeng_root: Unused; accepted for compatibility with SacreROUGE (no external program
            runs).
        verbose: Unused; accepted for compatibility with SacreROUGE.
        variant: Follow the released program (`released`) or the papers (`published`).
        full_precision: Do not round to the six digits of the original program.
    """

    value_range = {"AutoSummENG": (0.0, 1.0), "MeMoG": (0.0, 1.0), "NPowER": UNBOUNDED}
    parallel = "threads"
    citation = """@article{giannakopoulos-karkaletsis-2008-autosummeng,
    title = "Summarization system evaluation revisited: {N}-gram graphs",
    author = "Giannakopoulos, George and Karkaletsis, Vangelis and Vouros, George and
      Stamatopoulos, Panagiotis",
    journal = "ACM Transactions on Speech and Language Processing", volume = "5", number = "3",
    year = "2008", doi = "10.1145/1410358.1410359"}
@inproceedings{giannakopoulos-karkaletsis-2013-npower,
    title = "Summary Evaluation: Together We Stand {NP}ow{ER}-ed",
    author = "Giannakopoulos, George and Karkaletsis, Vangelis",
    booktitle = "Computational Linguistics and Intelligent Text Processing (CICLing)",
    year = "2013", doi = "10.1007/978-3-642-37256-8_36"}"""

    def __init__(
        self,
        min_n: int = 3,
        max_n: int = 3,
        d_window: int = 3,
        min_score: float = 0.0,
        max_score: float = 1.0,
        autosummeng_root: str | None = None,
        verbose: bool = False,
        variant: Literal["released", "published"] = "released",
        full_precision: bool = False,
    ) -> None:
        super().__init__()
        if not 1 <= min_n <= max_n <= LONGEST_GRAM:
            raise ParameterError(
                f"autosummeng: n-grams must have 1 <= min_n <= max_n <= {LONGEST_GRAM:,}: {min_n}, {max_n}"
            )
        if d_window < 1:
            raise ParameterError(f"autosummeng: d_window must be at least 1, not {d_window}")
        for name, end in (("min_score", min_score), ("max_score", max_score)):
            if not abs(end) <= _LARGEST_SCORE:
                raise ParameterError(
                    f"autosummeng: {name} must lie between -{_LARGEST_SCORE:,} and {_LARGEST_SCORE:,}, not {end:g}"
                )
        self.min_n, self.max_n, self.d_window = min_n, max_n, d_window
        self.min_score, self.max_score = min_score, max_score
        self.variant, self.full_precision = variant, full_precision

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own references."""
        return [
            self._score_group(summaries, references)
            for summaries, references in self._rows((summaries_list, references_list))
        ]

    def _score_group(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        similarities = kernels.graph_similarities(
            list(map(_document, summaries)),
            list(map(_document, references)),
            self.min_n,
            self.max_n,
            self.d_window,
        )
        return [self._scores(*row) for row in similarities[:, :, 0].tolist()]

    def _scores(self, merged: float, *single: float) -> MetricsDict:
        """Return the three scores from the value similarities with the merged graph and each reference's."""
        if self.variant == "released":
            # The program merges into the graph of the first reference, which it compares afterwards,
            # and keeps for MeMoG whatever it compared last.
            autosummeng = (merged + sum(single[1:])) / len(single)
            memog = single[-1]
        else:
            autosummeng = sum(single) / len(single)
            memog = merged
        share = (5.2905 * autosummeng + 3.0053 * memog + 0.5866) / 10
        npower = self.min_score + (self.max_score - self.min_score) * share
        scores = {"AutoSummENG": autosummeng, "MeMoG": memog, "NPowER": npower}
        return MetricsDict(
            scores if self.full_precision else {k: _printed(v) for k, v in scores.items()}
        )


def _document(text: SummaryType | ReferenceType) -> str:
    """Return the text as the program reads its file: sentences are lines, and every line is ended."""
    joined = text if isinstance(text, str) else "\n".join(text)
    joined = joined.replace("\r\n", "\n").replace("\r", "\n")
    return joined if not joined or joined.endswith("\n") else joined + "\n"


def _printed(value: float) -> float:
    """Round to six digits like Java: half away from zero, on the shortest decimal."""
    return float(Decimal(repr(value)).quantize(_SIX_DIGITS, ROUND_HALF_UP))

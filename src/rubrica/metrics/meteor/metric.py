"""The metric `meteor`: METEOR 1.5 for English, without Java."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from rubrica.core import kernels
from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict, mean
from rubrica.errors import MissingResourceError, ParameterError
from rubrica.metrics.base.corpus import CorpusMetric, ScoredStatistics
from rubrica.metrics.base.metric import Metric, WithJackknife
from rubrica.metrics.meteor.paraphrases import Paraphrases, load_paraphrases
from rubrica.metrics.meteor.score import TASKS, score
from rubrica.metrics.meteor.tokens import tokens
from rubrica.metrics.meteor.words import texts_of
from rubrica.statistics.intervals import FloatMatrix

Modules = Literal["exact", "exact stem", "exact stem synonym"]

_CITATION = """@inproceedings{denkowski-lavie-2014-meteor,
    title = "Meteor Universal: Language Specific Translation Evaluation for Any Target Language",
    author = "Denkowski, Michael and Lavie, Alon",
    booktitle = "Proceedings of the Ninth Workshop on Statistical Machine Translation", year = "2014",
    url = "https://aclanthology.org/W14-3348", pages = "376--380"}"""


@Metric.register("meteor")
class Meteor(CorpusMetric):
    """METEOR 1.5: words aligned with those of a reference by form, stem, synonym and paraphrase.

    A list of sentences is joined by spaces. A text without words scores 0. A system's score comes from
    the summed counts of all pairs of a summary and a reference.

    Args:
        meteor_root: Folder of METEOR 1.5; `--like sacrerouge` reads the paraphrase table from it.
        modules: How words may match; pass `exact` or `exact stem` to use fewer modules.
        paraphrases: METEOR's file `paraphrase-en.gz`; enables paraphrase matches.
        task: Parameter set: `rank` (METEOR's default), `adq` (adequacy), `hter` (edits), `li`
            (languages without resources).
        multi_reference: How to combine references: `mean` (SacreROUGE) or `best` (METEOR's own
            rule; SummEval, pycocoevalcap).
        normalize: Tokenize and normalize punctuation, METEOR's `-norm`; false for text that is
            already tokenized with spaces.
        keep_punctuation: Treat punctuation marks as words; false is METEOR's `-noPunct`.
    """

    value_range = (0.0, 1.0)
    citation = _CITATION

    def __init__(
        self,
        meteor_root: str | None = None,
        modules: Modules = "exact stem synonym",
        paraphrases: str | None = None,
        task: Literal["rank", "adq", "hter", "li"] = "rank",
        multi_reference: Literal["mean", "best"] = "mean",
        normalize: bool = True,
        keep_punctuation: bool = True,
    ) -> None:
        super().__init__()
        if paraphrases is not None and modules != "exact stem synonym":
            raise ParameterError(
                f"meteor: paraphrases come after exact, stem and synonym; modules={modules!r} "
                "leaves one of these out"
            )
        if paraphrases is not None and not Path(paraphrases).is_file():
            raise ParameterError(
                f"meteor: no file {paraphrases!r}; paraphrase-en.gz is part of METEOR 1.5 and of the "
                "PyPI package pycocoevalcap (pycocoevalcap/meteor/data)"
            )
        if not keep_punctuation and not normalize:
            raise ParameterError("meteor: keep_punctuation=false needs normalize")
        self.modules = len(modules.split())
        self.paraphrases = paraphrases
        self.weights = TASKS[task]
        self.best = multi_reference == "best"
        self.normalize, self.keep_punctuation = normalize, keep_punctuation

    def substitution(self, *, systems: bool = True) -> str:
        """Say that the original matches paraphrases too."""
        if self.paraphrases is not None or self.modules < len(get_args(Modules)):
            return ""
        return (
            "meteor matches no paraphrases; the original does, by its table paraphrase-en.gz "
            "(--paraphrases FILE)"
        )

    @classmethod
    def sacrerouge_parameters(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the table of the METEOR folder; without one METEOR cannot behave as in SacreROUGE."""
        if values.get("paraphrases") is not None:
            return {}
        root = values.get("meteor_root")
        table = Path(root or "", "data", "paraphrase-en.gz")
        if root is None or not table.is_file():
            raise MissingResourceError(
                "meteor like SacreROUGE needs the table of paraphrases: --paraphrases "
                "FOLDER/data/paraphrase-en.gz of METEOR 1.5 (also in the PyPI package pycocoevalcap, "
                "pycocoevalcap/meteor/data)"
            )
        return {"paraphrases": str(table)}

    def statistics(self, summary: SummaryType, references: Sequence[ReferenceType]) -> list[float]:
        """Return the counts of one summary's alignments, summed over its references or the best one's."""
        return self.scores_and_statistics([[summary]], [references])[0][0][1]

    def score_statistics(self, totals: Sequence[float]) -> MetricsDict:
        """Return METEOR of summed counts."""
        return MetricsDict({"METEOR": score(totals, self.weights).meteor})

    def scores_and_statistics(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[ScoredStatistics]]:
        """Return each summary's score and counts, from one alignment with each reference."""
        return [
            [self._combine(rows) for rows in group]
            for group in self._align(summaries_list, references_list)
        ]

    def score_with_jackknife(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[WithJackknife]]:
        """Return each score with its jackknifed value, both from the same alignments."""
        return [
            [(self._combine(rows)[0], self._left_out(rows)) for rows in group]
            for group in self._align(summaries_list, references_list)
        ]

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters, always with modules and paraphrases; the file by its digest, not its path."""
        parameters = super().signature_parameters()
        parameters.pop("meteor_root", None)
        table = self._table()
        modules = {"modules": parameters.pop("modules", "exact stem synonym").replace(" ", "+")}
        return {**modules, **parameters, "paraphrases": table.digest if table else "none"}

    def _combine(self, rows: FloatMatrix) -> ScoredStatistics:
        """Return a summary's score and counts from a row of counts for each reference."""
        scores = [score(row, self.weights).meteor for row in rows.tolist()]
        if self.best:
            at = scores.index(max(scores))
            return MetricsDict({"METEOR": scores[at]}), rows[at].tolist()
        return mean([MetricsDict({"METEOR": value}) for value in scores]), rows.sum(axis=0).tolist()

    def _left_out(self, rows: FloatMatrix) -> MetricsDict | None:
        if len(rows) < 2:
            return None
        return mean([self._combine(np.delete(rows, i, axis=0))[0] for i in range(len(rows))])

    def _align(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[FloatMatrix]]:
        """Return a row of counts per reference, for each group and summary; aligns all pairs in one call."""
        groups = self._rows((summaries_list, references_list))
        # Tokenize equal texts once: references often repeat for every summary.
        places: dict[str, int] = {}
        pairs = [
            (
                places.setdefault(flatten(summary), len(places)),
                places.setdefault(flatten(reference), len(places)),
            )
            for summaries, references in groups
            for summary in summaries
            for reference in references
        ]
        table = self._table()
        texts = texts_of(
            [
                tokens(text, normalize=self.normalize, punctuation=self.keep_punctuation)
                for text in places
            ],
            synonyms=self.modules > 2,
            phrase_words=table.words if table else None,
        )
        counts = kernels.meteor_statistics(
            texts,
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            self.modules + (table is not None),
            table.table if table else None,
        )
        rows, at = [], 0
        for summaries, references in groups:
            block = counts[at : at + len(summaries) * len(references)]
            rows.append(list(block.reshape(len(summaries), len(references), -1)))
            at += len(block)
        return rows

    def _table(self) -> Paraphrases | None:
        return load_paraphrases(self.paraphrases) if self.paraphrases else None

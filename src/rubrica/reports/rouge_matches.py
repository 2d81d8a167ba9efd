"""The report of ROUGE matches: the words that each measure of several implementations counted.

The page holds the tokens and the kernel's counts. It computes the matches of the selected pair itself
(`web/rouge/match-rules.js`): storing the matches of all pairs would take a hundred times as much space as the
texts. The page hides matches that do not add up to the count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubrica import __version__
from rubrica.core.python.rouge_text import Text as Tokens
from rubrica.data.instance import EvalInstance, Text
from rubrica.errors import DataError, ParameterError, UnknownNameError
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.non_ascii import mostly_dropped
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.metrics.rouge.scorer import Floats
from rubrica.metrics.rouge.tokens import split_lines
from rubrica.neural.progress import steps
from rubrica.reports.packed_texts import Cut, Form, TextPacker, TextTokens
from rubrica.reports.page import page
from rubrica.reports.token_spans import TextReader

DEFAULT_VARIANTS = (
    "rouge-1.5.5",
    "rouge-1.5.5:no-stemming",
    "rouge-1.5.5:no-stop-words",
    "rouge-score",
    "rouge",
)
_OPTIONS: Mapping[str, dict[str, Any]] = {
    "stemming": {"use_porter_stemmer": True},
    "no-stemming": {"use_porter_stemmer": False},
    "no-stop-words": {"remove_stopwords": True},
}
SKIP_GAP = 4
WEIGHT = 1.2


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """One implementation. `measures` are the keys of its scores, in order, `kinds` how each counts.

    `distinct`, `pltrdy_l` and `scale` (scores are at most 1 or at most 100) are those of the profile.
    """

    name: str
    origin: str
    signatures: Sequence[str]
    measures: Sequence[str]
    kinds: Sequence[str]
    distinct: bool
    pltrdy_l: bool
    scale: float


@dataclass(frozen=True, slots=True)
class Pair:
    """One summary against one reference by one variant; lists are in the order of its measures.

    `counts` holds hits, the reference's count and the summary's; `scores` recall, precision and F.
    """

    counts: Sequence[Sequence[float]]
    scores: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One summary. `text` and `references` are numbers of texts.

    `pairs[variant][reference]`, and `scores[variant][measure]` with all references together.
    """

    instance: str
    system: str
    type: str
    text: int
    references: Sequence[int]
    scores: Sequence[Sequence[Sequence[float]]]
    pairs: Sequence[Sequence[Pair]]


@dataclass(frozen=True, slots=True)
class RougeReport:
    """Everything the page shows. `languages` has the code of each text, "" if unknown.

    `tokens[text][variant]` with `cuts` and `forms[variant]`: see `packed_texts`. `powers[k]` is k to
    the weight of ROUGE-W, so that the page breaks ties exactly as the kernel does.
    """

    title: str
    version: str
    variants: Sequence[VariantFacts]
    texts: Sequence[Sequence[str]]
    languages: Sequence[str]
    tokens: Sequence[Sequence[TextTokens]]
    cuts: Sequence[Cut]
    forms: Sequence[Mapping[str, Form]]
    powers: Sequence[float]
    rows: Sequence[SummaryRow]
    left_out: int

    def page(self) -> bytes:
        """Return the report as an HTML page."""
        return page(self.title, self, script="rouge", styles=("rouge",))


class Variant:
    """A profile with options, by name: `rouge-1.5.5`, `rouge-score:stemming`, ..."""

    def __init__(self, name: str) -> None:
        profile, *options = name.split(":")
        if profile not in PROFILES:
            raise UnknownNameError("ROUGE profile", profile, PROFILES)
        parameters: dict[str, Any] = {"profile": profile}
        for option in options:
            if option not in _OPTIONS:
                raise UnknownNameError("option of a ROUGE profile", option, _OPTIONS)
            parameters |= _OPTIONS[option]
        lacks = PROFILES[profile].unsupported
        main: dict[str, Any] = {"max_ngram": 4, "compute_rouge_l": True}
        if "wlcs_weight" not in lacks:
            main["wlcs_weight"] = WEIGHT
        if PROFILES[profile].rouge_l == "l" and "compute_rouge_lsum" not in lacks:
            main["compute_rouge_lsum"] = True
        self.metrics = [Rouge(**parameters, **main)]
        if "skip_bigram_gap_length" not in lacks:
            # S, then SU: one metric cannot compute both.
            self.metrics += [
                Rouge(
                    **parameters,
                    max_ngram=0,
                    skip_bigram_gap_length=SKIP_GAP,
                    skip_unigrams=unigrams,
                )
                for unigrams in (False, True)
            ]
        self.name, self.engine = name, self.metrics[0].engine
        self.kinds = [kind for metric in self.metrics for kind in metric.engine.options.measures]
        self.reader = TextReader(self.engine)

    def facts(self) -> VariantFacts:
        """Return what the page shows about this variant."""
        return VariantFacts(
            self.name,
            self.engine.profile.origin,
            [str(metric.signature()) for metric in self.metrics],
            [key for metric in self.metrics for key in metric.keys],
            self.kinds,
            self.engine.profile.distinct,
            self.engine.profile.pltrdy_l,
            self.engine.profile.scale,
        )

    def tokens(self, text: Text) -> Tokens:
        """Return the tokens of a text that this variant compares."""
        return self.engine.tokens_of(self.metrics[0].prepare([text])[0])

    def counts(self, summary: Text, references: Sequence[Text]) -> list[Floats]:
        """Return the kernel's counts [reference, measure, 3] for each of the metrics."""
        pairs = np.array([(0, j) for j in range(len(references))], dtype=np.int64)
        return [
            metric.engine.count(metric.prepare([summary]), metric.prepare(references), pairs)
            for metric in self.metrics
        ]

    def scores(self, counts: Sequence[Floats], starts: Sequence[int]) -> list[Any]:
        """Return [summary][measure][recall, precision, F]; each summary's counts begin at `starts`."""
        scores = [
            metric.engine.score(part, np.asarray(starts, dtype=np.int64))
            for metric, part in zip(self.metrics, counts, strict=True)
        ]
        table: list[Any] = np.concatenate(scores, axis=1).tolist()
        return table


def usual_variant(instances: Iterable[EvalInstance]) -> str:
    """Return `rouge-1.5.5`, or `unicode` if that would drop most letters of most texts.

    The metric falls back in the same way text by text; a page shows one variant for all texts.
    """
    texts = [
        text
        for instance in instances
        for text in (instance.fields["summary"], *instance.fields["references"])
    ]
    return "unicode" if 2 * sum(map(mostly_dropped, texts)) > len(texts) else "rouge-1.5.5"


def rouge_report(
    instances: Iterable[EvalInstance],
    variants: Sequence[str] = DEFAULT_VARIANTS,
    *,
    title: str = "ROUGE matches",
    max_instances: int = 0,
) -> RougeReport:
    """Return the report of all summaries, or of those of the first `max_instances` inputs."""
    resolved = [Variant(name) for name in dict.fromkeys(variants)]
    if not resolved:
        raise ParameterError("no ROUGE profile chosen")
    builder = _Builder(resolved)
    every = list(instances)
    inputs = list(dict.fromkeys(instance.instance_id for instance in every))
    shown = set(inputs[:max_instances] if max_instances else inputs)
    used = [instance for instance in every if instance.instance_id in shown]
    for instance in steps("summaries matched", used):
        builder.add(instance)
    if not builder.rows:
        raise DataError("no summaries in the input")
    return RougeReport(
        title,
        __version__,
        [variant.facts() for variant in resolved],
        builder.units,
        builder.languages,
        builder.tokens,
        builder.packer.cuts,
        builder.packer.forms,
        [float(k) ** WEIGHT for k in range(builder.longest_unit + 2)],
        builder.rows,
        len(inputs) - len(shown),
    )


class _Builder:
    """Collects summaries one by one; stores equal texts once."""

    def __init__(self, variants: Sequence[Variant]) -> None:
        self.variants = variants
        self.rows: list[SummaryRow] = []
        self.units: list[list[str]] = []
        self.languages: list[str] = []
        self.tokens: list[list[TextTokens]] = []
        self.packer = TextPacker(len(variants))
        self.longest_unit = 0
        self._numbers: dict[Text, int] = {}

    def add(self, instance: EvalInstance) -> None:
        """Add a summary with its references."""
        summary, references = instance.fields["summary"], instance.fields["references"]
        if not references:
            raise DataError(f"{instance.describe()} has no references")
        languages = instance.languages
        text = self._number(summary, languages.summary)
        reference_numbers = [
            self._number(reference, languages.reference(at))
            for at, reference in enumerate(references)
        ]
        scores, pairs = [], []
        for variant in self.variants:
            counts = variant.counts(summary, references)
            scores.append(variant.scores(counts, [0])[0])
            per_reference = variant.scores(counts, range(len(references)))
            by_measure = np.concatenate(counts, axis=1).tolist()
            pairs.append(
                [
                    Pair(_short(pair_counts), pair_scores)
                    for pair_counts, pair_scores in zip(by_measure, per_reference, strict=True)
                ]
            )
        ids = instance.instance_id, instance.summarizer_id, instance.summarizer_type
        self.rows.append(SummaryRow(*ids, text, reference_numbers, scores, pairs))

    def _number(self, text: Text, language: str) -> int:
        key = text if isinstance(text, str) else tuple(text)
        if key not in self._numbers:
            self._numbers[key] = len(self.units)
            units = split_lines(text)
            self.units.append(units)
            self.languages.append(language)
            self.tokens.append(
                [self._read(number, variant, text) for number, variant in enumerate(self.variants)]
            )
        return self._numbers[key]

    def _read(self, number: int, variant: Variant, text: Text) -> TextTokens:
        tokens, units = variant.tokens(text), self.units[-1]
        if tokens.whole != [token for unit in tokens.units for token in unit]:
            raise AssertionError(f"{variant.name}: the page cannot show tokens outside of units")
        if "w" in variant.kinds:
            self.longest_unit = max([self.longest_unit, *map(len, tokens.units)])
        shown = variant.reader.read(units, tokens)
        return self.packer.pack(number, shown, tokens, len(self.units) - 1)


def _short(counts: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return counts with whole numbers as integers, which makes the page smaller."""
    return [
        [int(count) if count.is_integer() else count for count in measure] for measure in counts
    ]

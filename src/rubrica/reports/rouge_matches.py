"""The report of ROUGE matches: what each measure counted, word by word, by several implementations.

Every count on the page is listed match by match, and the sum of each list is compared with the
kernel's count when the page is made; a page that could show something else is not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rubrica import __version__
from rubrica.core.rouge_text_py import Text as Tokens
from rubrica.data.instance import EvalInstance, Text
from rubrica.errors import DataError, ParameterError, UnknownNameError
from rubrica.metrics.rouge.engine import Floats
from rubrica.metrics.rouge.matches import Matches, matches, text_of
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.metrics.rouge.tokens import split_lines
from rubrica.metrics.rouge.unread import mostly_dropped
from rubrica.reports.offsets import utf16_places
from rubrica.reports.page import page
from rubrica.reports.token_spans import ShownText, TextReader

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
    """One implementation, as the page names it. `measures` are the keys of its scores, in order."""

    name: str
    origin: str
    signatures: Sequence[str]
    measures: Sequence[str]
    kinds: Sequence[str]


@dataclass(frozen=True, slots=True)
class Pair:
    """One summary against one reference by one variant; lists are in the order of its measures.

    `counts` holds hits, the reference's count and the summary's; `scores` recall, precision and F.
    `matches` is packed as `pack` says.
    """

    counts: Sequence[Sequence[float]]
    scores: Sequence[Sequence[float]]
    matches: Sequence[Any]


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
class TextTokens:
    """A text as one variant sees it: lines where they differ from the text's own, places, forms.

    `places` holds unit, start and end of each word in turn, in UTF-16 units as JavaScript counts.
    `forms` has 0 for a word that is compared as it stands, lower-cased; "" for a dropped word.
    """

    units: Sequence[str] | None
    places: Sequence[int]
    forms: Sequence[str | int]


@dataclass(frozen=True, slots=True)
class RougeReport:
    """All that the page shows. `languages` has the code of each text's, "" if it is not known."""

    title: str
    version: str
    variants: Sequence[VariantFacts]
    texts: Sequence[Sequence[str]]
    languages: Sequence[str]
    tokens: Sequence[Sequence[TextTokens]]
    rows: Sequence[SummaryRow]
    left_out: int

    def page(self) -> bytes:
        """As an HTML page."""
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
        lacks = PROFILES[profile].lacks
        main: dict[str, Any] = {"max_ngram": 4, "compute_rouge_l": True}
        if "wlcs_weight" not in lacks:
            main["wlcs_weight"] = WEIGHT
        if PROFILES[profile].rouge_l == "l" and "compute_rouge_lsum" not in lacks:
            main["compute_rouge_lsum"] = True
        self.metrics = [Rouge(**parameters, **main)]
        if "skip_bigram_gap_length" not in lacks:
            # S, then SU; both in one metric cannot be.
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
        self.kinds = [kind for one in self.metrics for kind in one.engine.options.measures]
        self.reader = TextReader(self.engine)

    def facts(self) -> VariantFacts:
        """What the page tells of it."""
        return VariantFacts(
            self.name,
            self.engine.profile.origin,
            [str(metric.signature()) for metric in self.metrics],
            [key for metric in self.metrics for key in metric.keys],
            self.kinds,
        )

    def tokens(self, text: Text) -> Tokens:
        """What it compares of a text."""
        return text_of(self.engine, self.metrics[0].prepare([text])[0])

    def counts(self, summary: Text, references: Sequence[Text]) -> list[Floats]:
        """For each of its metrics, the kernel's counts [reference, measure, 3]."""
        pairs = np.array([(0, j) for j in range(len(references))], dtype=np.int64)
        return [
            metric.engine.count(metric.prepare([summary]), metric.prepare(references), pairs)
            for metric in self.metrics
        ]

    def scores(self, counts: Sequence[Floats], starts: Sequence[int]) -> list[Any]:
        """[summary][measure][recall, precision, F] of counts whose summaries begin at `starts`."""
        scored = [
            metric.engine.score(one, np.asarray(starts, dtype=np.int64))
            for metric, one in zip(self.metrics, counts, strict=True)
        ]
        made: list[Any] = np.concatenate(scored, axis=1).tolist()
        return made

    def matches(self, summary: Tokens, reference: Tokens) -> list[Matches]:
        """What each measure counts of a pair."""
        return [
            one for metric in self.metrics for one in matches(metric.engine, summary, reference)
        ]


def usual_variant(instances: Iterable[EvalInstance]) -> str:
    """What reads the texts: `rouge-1.5.5`, or `unicode` where it would drop most letters of most.

    That is the metric's own fallback where it has one; a page shows one variant for all texts.
    """
    texts = [
        text for one in instances for text in (one.fields["summary"], *one.fields["references"])
    ]
    return "unicode" if 2 * sum(map(mostly_dropped, texts)) > len(texts) else "rouge-1.5.5"


def rouge_report(
    instances: Iterable[EvalInstance],
    variants: Sequence[str] = DEFAULT_VARIANTS,
    *,
    title: str = "ROUGE matches",
    max_instances: int = 0,
) -> RougeReport:
    """The report of all summaries, or of those of the first `max_instances` inputs."""
    chosen = [Variant(name) for name in dict.fromkeys(variants)]
    if not chosen:
        raise ParameterError("no ROUGE profile chosen")
    builder = _Builder(chosen)
    inputs: set[str] = set()
    left_out: set[str] = set()
    for instance in instances:
        if max_instances and len(inputs | {instance.instance_id}) > max_instances:
            left_out.add(instance.instance_id)
            continue
        inputs.add(instance.instance_id)
        builder.add(instance)
    if not builder.rows:
        raise DataError("no summaries in the input")
    return RougeReport(
        title,
        __version__,
        [variant.facts() for variant in chosen],
        builder.units,
        builder.languages,
        builder.tokens,
        builder.rows,
        len(left_out),
    )


class _Builder:
    """Takes summaries one by one; a text that occurs again is kept once."""

    def __init__(self, variants: Sequence[Variant]) -> None:
        self.variants = variants
        self.rows: list[SummaryRow] = []
        self.units: list[list[str]] = []
        self.languages: list[str] = []
        self.tokens: list[list[TextTokens]] = []
        self._numbers: dict[Text, int] = {}
        self._compared: list[list[Tokens]] = []

    def add(self, instance: EvalInstance) -> None:
        """One summary with its references."""
        summary, references = instance.fields["summary"], instance.fields["references"]
        if not references:
            raise DataError(f"{instance.describe()} has no references")
        told = instance.languages
        text = self._number(summary, told.summary)
        others = [self._number(one, told.reference(at)) for at, one in enumerate(references)]
        scores, pairs = [], []
        for number, variant in enumerate(self.variants):
            counts = variant.counts(summary, references)
            scores.append(variant.scores(counts, [0])[0])
            alone = variant.scores(counts, range(len(references)))
            by_measure = np.concatenate(counts, axis=1).tolist()
            own = self._compared[text][number]
            pairs.append(
                [
                    self._pair(variant, own, self._compared[other][number], by_measure[j], alone[j])
                    for j, other in enumerate(others)
                ]
            )
        ids = instance.instance_id, instance.summarizer_id, instance.summarizer_type
        self.rows.append(SummaryRow(*ids, text, others, scores, pairs))

    def _pair(
        self, variant: Variant, summary: Tokens, reference: Tokens, counts: Any, scores: Any
    ) -> Pair:
        found = variant.matches(summary, reference)
        listed, counted = [one.hits for one in found], [count[0] for count in counts]
        if listed != counted:
            raise AssertionError(f"{variant.name}: matches {listed}, kernel {counted}")
        packed = [pack(kind, one) for kind, one in zip(variant.kinds, found, strict=True)]
        return Pair(counts, scores, packed)

    def _number(self, text: Text, language: str) -> int:
        key = text if isinstance(text, str) else tuple(text)
        if key not in self._numbers:
            self._numbers[key] = len(self.units)
            units = split_lines(text)
            self.units.append(units)
            self.languages.append(language)
            compared = [variant.tokens(text) for variant in self.variants]
            self._compared.append(compared)
            self.tokens.append(
                [
                    _text_tokens(variant.reader.read(units, tokens))
                    for variant, tokens in zip(self.variants, compared, strict=True)
                ]
            )
        return self._numbers[key]


def pack(kind: str, found: Matches) -> list[Any]:
    """Matches as short lists: [counted, clipped in the summary, clipped in the reference].

    N-grams and skip-bigrams are listed by their places, summary's before reference's, flat: an n-gram
    by its first token on each side; a skip-bigram by two tokens on each side. SU lists only its single
    tokens: its skip-bigrams are those of S. L and W: [summary's places, reference's places] each.
    """
    if kind.startswith("n"):
        flat = [at for one in found.counted for at in (one.summary[0], one.reference[0])]
        ours = [places[0] for places in found.clipped_summary]
        return [flat, ours, [places[0] for places in found.clipped_reference]]
    if kind.startswith("s"):
        size = 1 if kind.startswith("su") else 2
        flat = [
            at
            for one in found.counted
            if len(one.summary) == size
            for at in (*one.summary, *one.reference)
        ]
        # Clipped skip-bigrams are many and tell little: only their number is kept.
        return [flat, len(found.clipped_summary), len(found.clipped_reference)]
    listed = [[one.summary, one.reference] for one in found.counted]
    ours = [place for places in found.clipped_summary for place in places]
    return [listed, ours, [place for places in found.clipped_reference for place in places]]


def _text_tokens(shown: ShownText) -> TextTokens:
    places: list[int] = []
    forms: list[str | int] = []
    maps = [utf16_places(unit) for unit in shown.units]
    for word in shown.words:
        at = maps[word.unit]
        places += [
            word.unit,
            *((word.start, word.end) if at is None else (at[word.start], at[word.end])),
        ]
        plain = shown.units[word.unit][word.start : word.end].lower() == word.form
        forms.append(0 if plain else word.form)
    return TextTokens(None if shown.literal else shown.units, places, forms)

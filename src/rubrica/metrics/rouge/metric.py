"""The metric `rouge`: ROUGE-N, L, W, S and SU, by default exactly as ROUGE-1.5.5 gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, ClassVar, Literal

from rubrica.core.rouge_options import RougeOptions
from rubrica.data.instance import SummaryType
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.rouge.aggregation import RougeAggregation
from rubrica.metrics.rouge.measure_names import MEASURE_PARAMETERS, USUAL
from rubrica.metrics.rouge.non_ascii import Fallback, fallback_engine
from rubrica.metrics.rouge.profiles import UNNAMED, Profile, ScoringFunction, profile_named
from rubrica.metrics.rouge.scorer import RougeScorer
from rubrica.metrics.rouge.tokens import (
    Splitter,
    own_tokens,
    plain_sentences,
    punkt_sentences,
    splitter,
)
from rubrica.text.tokenize import tokenizer_version

_CITATION = """@inproceedings{lin-2004-rouge,
    title = "{ROUGE}: A Package for Automatic Evaluation of Summaries", author = "Lin, Chin-Yew",
    booktitle = "Text Summarization Branches Out", year = "2004",
    url = "https://aclanthology.org/W04-1013", pages = "74--81"}"""


# Longer n-grams hardly ever match, and millions of measures would fill the memory.
LONGEST_NGRAM = 1000
# ROUGE-1.5.5 raises a count to the weight twice: with larger weights a text of a million words overflows.
LARGEST_WEIGHT = 7
# Recall is raised to its inverse.
SMALLEST_WEIGHT = 0.001


@Metric.register("rouge")
class Rouge(RougeAggregation):
    """ROUGE: overlap of n-grams, subsequences and skip-bigrams with the references.

    A text is a string (its lines are its sentences) or a list of sentences. Empty texts score 0.
    `profile` is the implementation whose numbers you get: rouge-1.5.5, rouge-score, torchmetrics,
    rouge, rouge-nonexclusive, rouge-metric, py-rouge, python-rouge, unicode, character.

    Args:
        max_ngram: Compute ROUGE-1 up to this order; 0 for none.
        use_porter_stemmer: Stem words; null: the default of the profile's original (`rouge-1.5.5`:
            on, `rouge-score`: off).
        remove_stopwords: Drop the 543 common words of the SMART list, before stemming.
        max_bytes: Truncate every text, references too, to its first bytes; 0 for no limit.
        max_words: Truncate every text, references too, to its first words; 0 for no limit.
        compute_rouge_l: Compute ROUGE-L.
        skip_bigram_gap_length: Compute ROUGE-SU with at most this gap; negative: any.
        wlcs_weight: Compute ROUGE-W with this weight (officially 1.2).
        rouge_root: Unused; accepted for compatibility with SacreROUGE.
        scoring_function: How to combine references: `average` (pool the counts) or `max` (the best
            one); null: the first that the profile lists.
        profile: Which implementation's numbers; null: `rouge-1.5.5`, with a `fallback`.
        exceptions: Table of irregular forms; `empty` reproduces a Perl installation whose table was
            built incorrectly.
        alpha: Weight in F: 0.5 is the harmonic mean, 1 gives precision, 0 recall.
        full_precision: Do not round; the official program rounds P and R to 5 digits before it
            computes F.
        compute_rouge_lsum: Compute ROUGE-Lsum, in profiles whose ROUGE-L treats the text as one
            sentence.
        skip_unigrams: Compute ROUGE-SU; false: ROUGE-S.
        split_summaries: Split texts into sentences: `rouge-score` and `torchmetrics` use NLTK's
            punkt model, like the originals (needs `rubrica[punkt]`; nothing is downloaded); the
            others use a simple rule.
        tokenizer: In the profiles `unicode`, `character`, `rouge-score` and `torchmetrics`:
            `words`, `characters`, `jieba` (Chinese), `fugashi` (Japanese), or `module:function` (in
            Python a function).
        stemmer: In `unicode` and `character`: the language of a Snowball stemmer, such as `german`.
        fallback: In `rouge-1.5.5`, `rouge-score` and `torchmetrics`: how to tokenize texts whose
            letters the profile mostly drops, such as Thai: `words`, `characters` or `none`; null:
            `none` if you name a profile, otherwise `words`.
    """

    citation: ClassVar[str] = _CITATION
    usual_parameters: ClassVar[Mapping[str, Any]] = USUAL
    measure_parameters: ClassVar[Set[str]] = MEASURE_PARAMETERS

    @classmethod
    def sacrerouge_parameters(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return that other scripts are dropped, as the Perl drops them."""
        return {} if "profile" in values else {"fallback": "none"}

    def __init__(
        self,
        max_ngram: int = 4,
        use_porter_stemmer: bool | None = None,
        remove_stopwords: bool = False,
        max_bytes: int | None = None,
        max_words: int | None = None,
        compute_rouge_l: bool = False,
        skip_bigram_gap_length: int | None = None,
        wlcs_weight: float | None = None,
        rouge_root: str | None = None,
        scoring_function: ScoringFunction | None = None,
        profile: str | None = None,
        exceptions: Literal["wordnet", "empty"] = "wordnet",
        alpha: float = 0.5,
        full_precision: bool = False,
        compute_rouge_lsum: bool = False,
        skip_unigrams: bool = True,
        split_summaries: bool = False,
        tokenizer: str | Callable[[str], Any] | None = None,
        stemmer: str | None = None,
        fallback: Fallback | None = None,
    ) -> None:
        # Before there are other names. Those of `self.parameters()` are a subclass's, if it has its own constructor.
        parameters = dict(locals())
        super().__init__()
        chosen = profile_named(profile or UNNAMED)
        _refuse_lacking(chosen, parameters)
        _check_ranges(chosen, parameters)
        stem = chosen.stem if use_porter_stemmer is None else use_porter_stemmer
        if max_bytes is None and max_words is None:
            max_bytes = chosen.max_bytes
        gaps = () if skip_bigram_gap_length is None else (_gap(skip_bigram_gap_length),)
        level = chosen.rouge_l
        if tokenizer is None and chosen.tokens in ("words", "characters"):
            tokenizer = chosen.tokens
        self.tokenizer = tokenizer
        compiled = chosen.tokens in ("ascii", "lower") and tokenizer is None
        options = RougeOptions(
            tokenizer=chosen.tokens if compiled else "given",  # type: ignore[arg-type]
            # Tokens from Python are already stemmed, if at all.
            stemmer=(chosen.stemmer if stem and compiled else None) or "none",  # type: ignore[arg-type]
            exceptions=chosen.exceptions and exceptions == "wordnet",
            stopwords=remove_stopwords,
            newline_units=chosen.newline_units,
            max_words=max_words,
            max_bytes=max_bytes,
            ngrams=tuple(range(1, max_ngram + 1)),
            lcs=compute_rouge_l and level == "l",
            lcs_union=compute_rouge_lsum or (compute_rouge_l and level == "lsum"),
            wlcs_weight=wlcs_weight,
            skip_gaps=() if skip_unigrams else gaps,
            skip_unigram_gaps=gaps if skip_unigrams else (),
        )
        if not options.measures:
            raise ParameterError(
                "no measure to compute: max_ngram is 0, and all other measures are off"
            )
        function = scoring_function if scoring_function else next(iter(chosen.combine))
        self.split_summaries = split_summaries
        self.keys = tuple(_key(name, level, wlcs_weight) for name in options.measures)
        cut: Splitter | None = None
        if tokenizer is not None:
            cut = own_tokens(tokenizer, stemmer)
        elif not compiled:
            cut = splitter(
                chosen.tokens,
                stem=stem,
                exceptions=options.exceptions,
                stopwords=remove_stopwords,
                max_words=max_words or 0,
                max_bytes=max_bytes or 0,
            )
        self.engine = RougeScorer(
            profile=chosen,
            options=options,
            combination=chosen.combine[function],
            splitter=cut,
            alpha=alpha,
            full_precision=full_precision,
        )
        if fallback is not None:
            self.fallback = fallback
        elif profile is None:
            self.fallback = "words"
        self.fallback_engine = fallback_engine(self.engine, self.fallback)

    def signature_parameters(self) -> dict[str, str]:
        """Return the profile and what it depends on; no paths, and nothing the profile implies."""
        profile, parameters = self.engine.profile, self.parameters()
        shown = {"profile": profile.name, **super().signature_parameters()}
        shown.pop("rouge_root", None)
        shown.pop("fallback", None)
        if self.fallback != ("words" if profile.name == UNNAMED else "none"):
            shown["fallback"] = self.fallback
        usual = {
            "use_porter_stemmer": profile.stem,
            "scoring_function": next(iter(profile.combine)),
            # Any word limit, including 0, turns off the profile's own byte limit.
            "max_words": None if profile.max_bytes else 0,
            "max_bytes": profile.max_bytes or 0,
        }
        for name, value in usual.items():
            if parameters.get(name) == value:
                shown.pop(name, None)
        if self.split_summaries and self.engine.profile.punkt:
            shown["nltk"] = _version("nltk")
        if callable(self.tokenizer):
            shown["tokenizer"] = f"{self.tokenizer.__module__}.{self.tokenizer.__qualname__}"
        if self.tokenizer is not None:
            shown |= tokenizer_version(self.tokenizer)
        if self._parameters.get("stemmer"):
            shown["PyStemmer"] = _version("PyStemmer")
        return shown

    def prepare(self, texts: Sequence[SummaryType]) -> Sequence[object]:
        """Return the texts as the engine takes them, split into sentences first if requested."""
        if self.split_summaries:
            cut = punkt_sentences if self.engine.profile.punkt else plain_sentences
            texts = [cut(text) for text in texts]
        return super().prepare(texts)


def _refuse_lacking(profile: Profile, parameters: Mapping[str, Any]) -> None:
    """Raise for a choice that the profile's original does not offer: its numbers would not be comparable."""
    for name in profile.unsupported:
        off = parameters[name] is None or parameters[name] is False
        off = off or (name, parameters[name]) == ("fallback", "none")
        no_limit = name in ("max_bytes", "max_words") and parameters[name] == 0
        if not (off or no_limit):
            raise ParameterError(f"profile {profile.name!r} ({profile.origin}) has no {name}")
    if parameters["compute_rouge_lsum"] and profile.rouge_l == "lsum":
        raise ParameterError(
            f"ROUGE-L of profile {profile.name!r} is computed over sentences, as rougeLsum is "
            "elsewhere: use compute_rouge_l"
        )
    if parameters["exceptions"] == "empty" and not profile.exceptions:
        raise ParameterError(f"profile {profile.name!r} has no table of exceptions")
    function = parameters["scoring_function"]
    if function is not None and function not in profile.combine:
        known = " or ".join(profile.combine)
        raise ParameterError(
            f"profile {profile.name!r} has no scoring_function {function!r}, only {known}"
        )


def _check_ranges(profile: Profile, parameters: Mapping[str, Any]) -> None:
    """Raise for a number out of its range, and for parameters that exclude each other."""
    max_ngram, alpha = parameters["max_ngram"], parameters["alpha"]
    if parameters["max_bytes"] and parameters["max_words"]:
        raise ParameterError("max_bytes and max_words cannot both be given")
    if parameters["tokenizer"] is not None and parameters["fallback"] not in (None, "none"):
        raise ParameterError("a tokenizer reads all texts and needs no fallback")
    if not 0 <= max_ngram <= LONGEST_NGRAM:
        raise ParameterError(f"max_ngram must lie between 0 and {LONGEST_NGRAM}: {max_ngram}")
    for name in ("max_words", "max_bytes"):
        if (parameters[name] or 0) < 0:
            raise ParameterError(f"{name} must not be negative: {parameters[name]}")
    weight = parameters["wlcs_weight"]
    if weight is not None and not SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT:
        raise ParameterError(
            f"wlcs_weight must be greater than 0 (at least {SMALLEST_WEIGHT}) and at most {LARGEST_WEIGHT}: {weight:g}"
        )
    if not 0 <= alpha <= 1:
        raise ParameterError(f"alpha must lie between 0 and 1: {alpha}")
    if profile.pltrdy_l and alpha != 0.5:
        raise ParameterError(f"profile {profile.name!r} has no alpha")


def _gap(length: int) -> int | None:
    return None if length < 0 else length


def _key(name: str, level: str, weight: float | None) -> str:
    """Return a measure's public name; "lsum" is ROUGE-L where the profile's ROUGE-L is summary-level."""
    if name == level:
        return "rouge-l"
    if name == "w":
        return f"rouge-w-{weight:g}"
    return f"rouge-{name.removeprefix('n')}"


def _version(package: str) -> str:
    # Loading importlib.metadata takes longer than scoring a thousand summaries.
    from importlib.metadata import version

    return version(package)

"""The metric `rouge-be`: ROUGE-1.5.5's mode for basic elements, triples of head, modifier, relation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from rubrica.core.rouge_options import RougeOptions
from rubrica.core.rouge_words import wordnet_exceptions
from rubrica.data.instance import SummaryType
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.rouge.aggregation import RougeAggregation
from rubrica.metrics.rouge.profiles import ScoringFunction, profile_named
from rubrica.metrics.rouge.scorer import RougeScorer
from rubrica.text.stem import stem_function

Element: TypeAlias = tuple[bytes, bytes, bytes]
ElementMode: TypeAlias = Literal["H", "HM", "HMR", "HM1", "HMR1", "HMR2"]

_CITATION = """@inproceedings{hovy-etal-2006-automated,
    title = "Automated Summarization Evaluation with Basic Elements",
    author = "Hovy, Eduard and Lin, Chin-Yew and Zhou, Liang and Fukumoto, Junichi",
    booktitle = "Proceedings of LREC 2006", year = "2006",
    url = "http://www.lrec-conf.org/proceedings/lrec2006/pdf/438_pdf.pdf"}"""


def read_element(line: bytes) -> Element | None:
    """Return the three parts of `head|modifier|relation`, in lower case; None where there are not three."""
    fields = line.lower().split(b"|")
    while fields and not fields[-1]:
        fields.pop()
    return (fields[0], fields[1], fields[2]) if len(fields) == 3 else None


def element_item(element: Element, mode: str, *, stem: bool) -> str | None:
    """Return what a mode compares of an element; None if the mode skips it."""
    plain_modifier, relation = element[1], element[2]
    head, modifier = (_stem(part) if stem else part for part in element[:2])
    pair, triple = head + b"|" + modifier, head + b"|" + modifier + b"|" + relation
    items = {
        "H": head if modifier == b"nil" else None,
        "HM": pair if modifier != b"nil" else None,
        "HMR": triple if relation != b"nil" else None,
        "HM1": pair,
        "HMR1": triple if plain_modifier != b"nil" else None,
        "HMR2": triple,
    }
    item = items.get(mode)
    return None if item is None else item.decode("latin-1")


@Metric.register("rouge-be")
class RougeBE(RougeAggregation):
    """ROUGE-BE: overlap of basic elements, counted as by ROUGE-1.5.5 with its option -3.

    A text is not prose here but its basic elements, one `head|modifier|relation` per line (or a
    list of such lines), as a parser of your choice found them; `nil` stands for what is missing.
    A text without elements scores 0.

    Args:
        mode: What to compare. H: heads without a modifier; HM: head and modifier; HMR: all three;
            HM1, HMR1 and HMR2: the same, also if a part is nil (HMR1: not the modifier).
        use_porter_stemmer: Stem the words of heads and modifiers of more than 3 letters (the
            program's `-m`).
        scoring_function: How to combine references: `average` (pool the counts) or `max` (the best
            one).
        alpha: Weight in F: 0.5 is the harmonic mean, 1 gives precision, 0 recall.
        full_precision: Do not round to the 5 digits of the official program.
    """

    citation = _CITATION

    def __init__(
        self,
        mode: ElementMode = "HM",
        use_porter_stemmer: bool = True,
        scoring_function: ScoringFunction = "average",
        alpha: float = 0.5,
        full_precision: bool = False,
    ) -> None:
        super().__init__()
        if not 0 <= alpha <= 1:
            raise ParameterError(f"alpha must lie between 0 and 1: {alpha}")
        self.mode, self.stem = mode, use_porter_stemmer
        self.keys = (f"rouge-be-{mode.lower()}",)
        profile = profile_named("rouge-1.5.5")
        self.engine = RougeScorer(
            profile=profile,
            options=RougeOptions(tokenizer="given", ngrams=(1,)),
            combination=profile.combine[scoring_function],
            alpha=alpha,
            full_precision=full_precision,
        )

    def prepare(self, texts: Sequence[SummaryType]) -> Sequence[object]:
        """Return each text as one unit of the items that the mode compares."""
        return [[self._items(text)] for text in texts]

    def _items(self, text: SummaryType) -> list[str]:
        lines = text if isinstance(text, str) else "\n".join(text)
        items = []
        for number, line in enumerate(filter(str.strip, lines.split("\n")), 1):
            element = read_element(line.encode("utf-8", "surrogateescape"))
            if element is None:
                raise DataError(
                    f"{self.label}: element {number} is {line!r}; a basic element is three parts, "
                    "head|modifier|relation (nil for none)"
                )
            item = element_item(element, self.mode, stem=self.stem)
            if item is not None:
                items.append(item)
        return items


def _stem(part: bytes) -> bytes:
    """Stem each word with a letter or digit, whatever its length; leaves short parts alone."""
    if len(part) <= 3:
        return part
    stems = []
    for word in filter(None, part.decode("latin-1").split(" ")):
        if re.search("[a-z0-9]", word):
            word = wordnet_exceptions().get(word) or stem_function("porter-rouge")(word)
        stems.append(word)
    return " ".join(stems).encode("latin-1")

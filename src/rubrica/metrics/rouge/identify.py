"""Which ROUGE made a number: presets and their likeliest variants, tried on the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rubrica.data.instance import Text
from rubrica.errors import ParameterError
from rubrica.metrics.rouge.non_ascii import mostly_dropped
from rubrica.metrics.rouge.presets import PRESETS, Choices, has_measure
from rubrica.metrics.rouge.scored_choices import Part, scored

MEASURES = ("rouge-1", "rouge-2", "rouge-l")
_PORTER = {"lower": "porter-nltk"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to make a number: preset and changes (as `choices_of` reads them), measure, part, value.

    `value` is on the scale of the number, and `off` is the difference; within
    the digits of the number it is a `match`.
    """

    choices: str
    measure: str
    part: Part
    value: float
    off: float
    match: bool


def identify(
    number: str,
    summaries: Sequence[Text],
    references: Sequence[Sequence[Text]],
    measures: Sequence[str] = MEASURES,
) -> list[Candidate]:
    """Return all variants tried: matches first, plain presets before changed ones.

    A number above 1 is taken as percent, and so is one up to 1 that is followed by a percent sign.
    """
    value, unit, scale = _read(number)
    candidates = []
    texts = (*summaries, *(text for group in references for text in group))
    other_letters = any(map(mostly_dropped, texts))
    for words, choices in variants():
        # Skip choices without effect: they would repeat the same number.
        if choices.fallback != "none" and not other_letters:
            continue
        for measure in measures:
            if ",level=" in words and measure != "rouge-l":
                continue
            if not has_measure(words, measure):
                continue
            result = scored(summaries, references, choices, measure)
            for part, score in result.system().items():
                ours = score * scale
                off = abs(ours - value)
                candidates.append(
                    Candidate(words, measure, part, ours, off, off <= unit / 2 + 1e-9)
                )
    # A matching F is likelier meant than a matching recall, and a preset than a changed one; of equals
    # the better known preset comes first.
    return sorted(
        candidates,
        key=lambda candidate: (
            not candidate.match,
            candidate.choices.count(","),
            candidate.part != "f1",
            0.0 if candidate.match else candidate.off,
        ),
    )


def variants() -> Iterator[tuple[str, Choices]]:
    """Yield presets as they are, with stemming toggled, with the other ROUGE-L, and as one sentence."""
    for name, preset in PRESETS.items():
        yield name, preset
        changes: list[dict[str, str]] = []
        if preset.stemmer != "none":
            changes.append({"stemmer": "none", "exceptions": "none"})
            changes.append({"exceptions": "none"})
        elif preset.tokens in ("ascii", "lower"):
            changes.append({"stemmer": _PORTER.get(preset.tokens, "porter-rouge")})
            if preset.tokens == "ascii":
                changes[-1]["exceptions"] = "wordnet"
        if preset.level in ("text", "sentences"):
            other = "sentences" if preset.level == "text" else "text"
            changes += [{"level": other}, *({**change, "level": other} for change in changes)]
        if preset.sentences == "lines":
            changes.append({"sentences": "rule"})
        for change in changes:
            words = ",".join(f"{key}={value}" for key, value in change.items())
            yield f"{name},{words}", replace(preset, **change)  # type: ignore[arg-type]


def _read(number: str) -> tuple[float, float, float]:
    """Return the value, the size of its last digit, and its scale (1 or 100)."""
    text = number.strip().removesuffix("%")
    try:
        value = float(text)
    except ValueError as error:
        raise ParameterError(f"not a number: {number!r}") from error
    if not 0 <= value <= 100:
        raise ParameterError(f"a ROUGE score lies between 0 and 1, or 0 and 100: {number}")
    digits = len(text.partition(".")[2])
    percent = value > 1 or number.strip().endswith("%")
    return value, 10.0**-digits, 100.0 if percent else 1.0

"""What -v prints: texts, n-grams, subsequences and totals of every evaluation.

The official program dumps n-grams in random order; here they come in the order of the text. Its
totals of ROUGE-S and SU show recall in all three places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from rubrica.cli.rouge155.counting import Measure, read_limited
from rubrica.cli.rouge155.files import read_elements
from rubrica.cli.rouge155.options import Options
from rubrica.cli.rouge155.settings import Evaluation
from rubrica.core.python.lcs import mark_lcs, mark_weighted_lcs
from rubrica.core.python.rouge import use_token
from rubrica.core.python.rouge_text import Text, cut, reader
from rubrica.core.rouge_options import RougeOptions
from rubrica.metrics.rouge.scorer import HITS, REFERENCE, SUMMARY, Floats

_TOTALS = ((REFERENCE, "model count"), (SUMMARY, "peer count"), (HITS, "hit"))


def trace_words(
    options: Options,
    choices: RougeOptions,
    measure: Measure,
    evaluation: Evaluation,
    peer: str,
    scores: Floats,
    totals: Floats,
) -> str:
    """One measure of one evaluation."""
    read = reader(choices)
    files = [evaluation.peer(peer), *evaluation.models()]
    units = [read_limited(path, evaluation, options) for path in files]
    texts = [read(text) for text in units]
    if measure.column in ("lsum", "w"):
        lines = _subsequences(choices, measure.column, files, units, texts)
    else:
        lines = _counted(choices, measure.column, files, units, texts)
    name = measure.name
    plain = f"{measure.column[1:]}-gram" if measure.column.startswith("n") else name
    if measure.column.startswith("s"):
        plain = name = f"ROUGE-S{options.text('2')}"
        scores = scores[[0, 0, 0]]
    ends = {"lsum": (" score", "", ""), "w": (" score",) * 3}.get(measure.column, ("",) * 3)
    return _page([*lines, *_totals(plain, name, ends, scores, totals), f"{evaluation.id}.{peer}"])


def trace_elements(
    options: Options, evaluation: Evaluation, peer: str, scores: Floats, totals: Floats
) -> str:
    """The basic elements of one evaluation."""
    mode, stem = options.text("3"), "m" in options

    def items(path: str, stemmed: bool) -> Counter[str]:
        return Counter(read_elements(path, evaluation.kind, mode, stem=stemmed))

    peer_items = items(evaluation.peer(peer), stem)
    lines = [f"***P {evaluation.peer(peer)}", _dump(peer_items, "#")]
    for path in evaluation.models():
        model_items = items(path, stem or "M" in options)
        lines += [
            _dump(model_items, "#"),
            *(f"* Match: {item}" for item in model_items if item in peer_items),
        ]
        lines.append(f"***M {path}")
    plain, name = f"BE-{mode}", f"ROUGE-BE-{mode}"
    return _page(
        [*lines, *_totals(plain, name, ("",) * 3, scores, totals), f"{evaluation.id}.{peer}"]
    )


def _counted(
    choices: RougeOptions,
    column: str,
    files: Sequence[str],
    units: Sequence[list[str]],
    texts: Sequence[Text],
) -> Iterator[str]:
    """Texts with the n-grams or skip-bigrams that were counted."""
    count: Callable[[Text], Counter[tuple[str, ...]]]
    if column.startswith("n"):
        count = lambda text: text.ngrams(int(column[1:]))  # noqa: E731
    else:
        gap = (*choices.skip_gaps, *choices.skip_unigram_gaps)[0]
        count = lambda text: text.skip_bigrams(gap, column.startswith("su"))  # noqa: E731
    for number, (path, text) in enumerate(zip(files, texts, strict=True)):
        whole = cut([unit.encode().lower() for unit in units[number]], choices)[0]
        shown = [" ".join(filter(None, map(_clean, whole)))]
        shown.append(_dump(Counter({" ".join(gram): n for gram, n in count(text).items()}), "|"))
        if (choices.max_words or choices.max_bytes) and not any(whole):
            shown = ["---empty text---"]
        yield from [*shown, f"***M {path}"] if number else [f"***P {path}", *shown]


def _subsequences(
    choices: RougeOptions,
    column: str,
    files: Sequence[str],
    units: Sequence[list[str]],
    texts: Sequence[Text],
) -> Iterator[str]:
    """Units with their words, and for each unit of a model the words on a subsequence."""
    label = "LCS" if column == "lsum" else "ROUGE-W"
    for number, (path, text) in enumerate(zip(files, texts, strict=True)):
        left, model_words = Counter(texts[0].unigrams), Counter(text.unigrams)
        for unit in text.units if number else ():
            words = _common(unit, texts[0].units, choices if column == "w" else None)
            hits = [word for word in words if use_token(word, left, model_words)]
            yield f"{label}: {' '.join(hits) or '-'}"
        yield f"***{'M' if number else 'P'} {path}"
        shortened = cut([unit.encode().lower() for unit in units[number]], choices)[1]
        yield "\n".join(map(_clean, shortened))
        yield from (f"{i}: {'|'.join(unit)}" for i, unit in enumerate(text.units))


def _common(
    unit: list[str], others: Iterable[list[str]], weighted: RougeOptions | None
) -> list[str]:
    marks = bytearray(len(unit))
    weight = weighted.wlcs_weight if weighted else None
    power = [float(k) ** (weight or 1.0) for k in range(len(unit) + 2)]
    for other in others:
        if weight is None:
            mark_lcs(unit, other, marks)
        else:
            mark_weighted_lcs(unit, other, power, marks)
    return [word for word, marked in zip(unit, marks, strict=True) if marked]


def _clean(piece: bytes) -> str:
    spaced = re.sub(rb"[^a-z0-9-]", b" ", piece.replace(b"-", b" - "))
    return b" ".join(spaced.split()).decode("ascii")


def _dump(counts: Counter[str], mark: str) -> str:
    pairs = [f"{item}{mark}{count}" for item, count in counts.items()]
    return mark.join([*pairs, f"_cn_{mark}{counts.total()}"])


def _totals(
    plain: str, name: str, ends: Sequence[str], scores: Floats, totals: Floats
) -> Iterator[str]:
    yield from (f"total {plain} {what}: {totals[k]:.15g}" for k, what in _TOTALS)
    for letter, end, score in zip("RPF", ends, scores, strict=True):
        yield f"total {name}-{letter}{end}: {score:.5f}"


def _page(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"

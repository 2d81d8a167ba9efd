"""Baselines: the scores of unrelated texts, so that 0 means "no more similar than chance"."""

from __future__ import annotations

import csv
import importlib.util
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rubrica.data.files import atomic_output, read_text_lines
from rubrica.errors import DataError, MissingResourceError, ParameterError

OWN = Path(__file__).parent / "baselines"


@dataclass(frozen=True, slots=True)
class Baseline:
    """Mean precision, recall and F1 of random pairs of texts, at one layer of one model."""

    precision: float
    recall: float
    f1: float

    def rescaled(self, scores: Sequence[float]) -> tuple[float, float, float]:
        """Return (x - baseline) / (1 - baseline) of each score."""
        p, r, f = (
            (score - base) / (1 - base)
            for score, base in zip(scores, (self.precision, self.recall, self.f1), strict=True)
        )
        return p, r, f


def find_baseline(model: str, layer: int, *, lang: str, path: str | None) -> Baseline:
    """Return the baseline of a model's layer: from `path`, from here, or from the bert-score package."""
    if path is not None:
        return read_baseline(Path(path), layer)
    for place in _places(model, lang):
        if place.is_file():
            return read_baseline(place, layer)
    raise MissingResourceError(
        f"no baseline for {model} ({lang}); install the package that has those of the original: "
        "pip install --no-deps bert-score==0.3.13, or compute one: "
        "rubrica bertscore make-baseline OUT.tsv --texts FILE, and give it with --baseline_path OUT.tsv"
    )


def read_baseline(path: Path, layer: int) -> Baseline:
    """Return a layer's row of a table `LAYER,P,R,F`."""
    layers: list[int] = []
    for number, line in read_text_lines(path):
        row = next(csv.reader([line]), [])
        if number == 1 or not row:
            continue
        try:
            at, *values = int(row[0]), *map(float, row[1:])
        except ValueError as error:
            raise DataError(
                f"not a row of LAYER,P,R,F: {line!r}", file=str(path), line=number
            ) from error
        if len(values) != 3 or not all(value < 1 for value in values):
            raise DataError(f"not a row of LAYER,P,R,F: {line!r}", file=str(path), line=number)
        layers.append(at)
        if at == layer:
            return Baseline(*values)
    raise DataError(f"no row for layer {layer} (there are: {layers})", file=str(path))


def write_baseline(path: str, rows: Sequence[tuple[int, Baseline]]) -> None:
    """Write a table in the original's format."""
    lines = ["LAYER,P,R,F"]
    lines += [
        f"{layer},{baseline.precision:.7f},{baseline.recall:.7f},{baseline.f1:.7f}"
        for layer, baseline in rows
    ]
    with atomic_output(path) as stream:
        stream.write(("\n".join(lines) + "\n").encode())


def random_pairs(texts: Sequence[str], pairs: int, seed: int) -> tuple[list[str], list[str]]:
    """Return pairs of two different texts, drawn with a seed."""
    distinct = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(distinct) < 2:
        raise ParameterError("a baseline needs at least two different texts")
    draw = random.Random(seed)
    samples = [draw.sample(distinct, 2) for _ in range(pairs)]
    return [first for first, _ in samples], [second for _, second in samples]


def _places(model: str, lang: str) -> list[Path]:
    plain = model.replace("/", "--")
    places = [OWN / lang / f"{plain}.tsv"]
    spec = importlib.util.find_spec("bert_score")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        places.append(Path(folder) / "rescale_baseline" / lang / f"{model}.tsv")
    return places

"""The WMT metrics task's layout (mt-metrics-eval), read: score files, documents, system outputs.

    documents/LP.docs                            DOMAIN DOCUMENT, a line per segment
    system-outputs/LP/SYSTEM.txt                 a line per segment
    references/LP.REF.txt                        a line per segment
    human-scores/LP.NAME.{seg,sys}.score         SYSTEM SCORE, `None` where absent
    metric-scores/LP/METRIC-REF.{seg,sys}.score  SYSTEM SCORE

LP is the language pair, or for summaries any word without a dot. Segments are numbered from 1, and
the number is the `instance_id`. Score files at document and domain level are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rubrica.data.files import read_text_lines
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError, UnknownNameError

NO_OUTPUT = "[No translation supplied]"
# The one "input" of scores that a whole system has.
WHOLE_SET = "all"
Scores = dict[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class WmtSet:
    """Everything known of one test set and language pair; texts are read on request.

    `segment_scores[name][system]` is a list in segment order, None where absent;
    `system_scores[name][system]` one number. `documents` holds (domain, document) per segment,
    empty without a documents file.
    """

    pair: str
    systems: tuple[str, ...]
    references: tuple[str, ...]
    segments: int
    human_names: tuple[str, ...]
    metric_names: tuple[str, ...]
    documents: tuple[tuple[str, str], ...] = field(repr=False)
    segment_scores: dict[str, Scores] = field(repr=False)
    system_scores: dict[str, dict[str, float | None]] = field(repr=False)

    def metrics(self) -> Iterator[Metrics]:
        """One row per segment and system that has a score; references count as `reference`."""
        for system in self.systems:
            kind = "reference" if system in self.references else "peer"
            for segment in range(self.segments):
                values = {
                    name: value
                    for name, scores in self.segment_scores.items()
                    if system in scores and (value := scores[system][segment]) is not None
                }
                if values:
                    yield Metrics(str(segment + 1), system, kind, MetricsDict(values))

    def segment_table(self) -> ScoreTable:
        """Systems x segments x names of the segment scores."""
        inputs = tuple(str(number + 1) for number in range(self.segments))
        values = np.full((len(self.systems), len(inputs), len(self.segment_scores)), np.nan)
        for m, scores in enumerate(self.segment_scores.values()):
            for s, system in enumerate(self.systems):
                if system in scores:
                    values[s, :, m] = np.array(scores[system], dtype=np.float64)
        return ScoreTable(self.systems, inputs, tuple(self.segment_scores), values)

    def system_table(self) -> ScoreTable:
        """Systems x one input (`all`) x names of the scores of whole systems."""
        values = np.full((len(self.systems), 1, len(self.system_scores)), np.nan)
        for m, scores in enumerate(self.system_scores.values()):
            for s, system in enumerate(self.systems):
                value = scores.get(system)
                values[s, 0, m] = np.nan if value is None else value
        return ScoreTable(self.systems, (WHOLE_SET,), tuple(self.system_scores), values)


def read_wmt(root: str | os.PathLike[str], pair: str) -> WmtSet:
    """All scores of a language pair below `root`; anything that does not fit is an error.

    Refused: a malformed line, a system without outputs, a wrong number of scores, a metric score
    `None`, one name for a human and a metric score.
    """
    base = Path(root)
    outputs = sorted((base / "system-outputs" / pair).glob("*.txt"))
    systems = [path.stem for path in outputs]
    references = [
        path.name[len(pair) + 1 : -4] for path in (base / "references").glob(f"{pair}.*.txt")
    ]
    documents = _documents(base / "documents" / f"{pair}.docs")
    lengths = {path: sum(1 for _ in read_text_lines(path)) for path in outputs}
    segments: int | None = len(documents) or None
    for path, length in lengths.items():
        segments = length if segments is None else segments
        if length != segments:
            raise MismatchError(
                f"{length} lines, but the set has {segments} segments", file=str(path)
            )
    by_level: dict[str, dict[str, Scores]] = {"seg": {}, "sys": {}}
    names: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for path, name, level, human in _score_files(base, pair):
        scores = read_scores(path, allow_none=human)
        for system, values in scores.items():
            if systems and system not in systems:
                unknown = UnknownNameError("system", system, systems)
                raise DataError(f"{unknown} in system-outputs/{pair}", file=str(path))
            if level == "seg" and segments is None:
                segments = len(values)
            expected = 1 if level == "sys" else segments
            if len(values) != expected:
                raise MismatchError(
                    f"{len(values)} scores of system {system!r}, expected {expected}",
                    file=str(path),
                )
        if name in names[not human]:
            raise MismatchError(f"{name!r} names a human and a metric score", file=str(path))
        names[human][name] = None
        by_level[level][name] = scores
    if not systems:
        everywhere = (s for level in by_level.values() for scores in level.values() for s in scores)
        systems = sorted(set(everywhere))
    if not systems:
        raise DataError(f"no outputs and no scores of {pair!r} here", file=str(base))
    return WmtSet(
        pair=pair,
        systems=tuple(systems),
        references=tuple(sorted(references)),
        segments=segments or 0,
        human_names=tuple(names[True]),
        metric_names=tuple(names[False]),
        documents=tuple(documents),
        segment_scores=by_level["seg"],
        system_scores={
            n: {s: v[0] for s, v in scores.items()} for n, scores in by_level["sys"].items()
        },
    )


def read_scores(path: str | os.PathLike[str], *, allow_none: bool = True) -> Scores:
    """`SYSTEM SCORE` lines: each system's scores in the order of the file."""
    scores: Scores = {}
    file = os.fspath(path)
    for number, line in read_text_lines(path):
        fields = line.split()
        if len(fields) != 2:
            raise DataError(f"expected SYSTEM SCORE, found {line!r}", file=file, line=number)
        system, text = fields
        if text == "None":
            if not allow_none:
                raise DataError("a metric score may not be None", file=file, line=number)
            scores.setdefault(system, []).append(None)
            continue
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            raise DataError(f"not a finite number: {text!r}", file=file, line=number)
        scores.setdefault(system, []).append(value)
    return scores


def read_outputs(root: str | os.PathLike[str], pair: str, system: str) -> list[str | None]:
    """A system's texts in segment order; None where it supplied nothing."""
    path = Path(root) / "system-outputs" / pair / f"{system}.txt"
    return [None if text == NO_OUTPUT else text for _, text in read_text_lines(path)]


def _score_files(base: Path, pair: str) -> Iterator[tuple[Path, str, str, bool]]:
    """Path, name, level and whether by people, of each segment and system score file."""
    human = sorted((base / "human-scores").glob(f"{pair}.*.score"))
    for path in human + sorted((base / "metric-scores" / pair).glob("*.score")):
        by_people = path in human
        stem = path.name[len(pair) + 1 :] if by_people else path.name
        name, level, _ = stem.rsplit(".", 2) if stem.count(".") >= 2 else ("", "", "")
        if not by_people and level and "-" not in name:
            raise DataError("a metric's file is named METRIC-REF.LEVEL.score", file=str(path))
        if level not in ("seg", "sys", "doc", "domain"):
            raise DataError("a score file is named NAME.LEVEL.score", file=str(path))
        if level in ("seg", "sys"):
            yield path, name, level, by_people


def _documents(path: Path) -> list[tuple[str, str]]:
    if not path.exists():
        return []
    out: list[tuple[str, str]] = []
    for number, line in read_text_lines(path):
        fields = line.split()
        if len(fields) != 2:
            raise DataError(
                f"expected DOMAIN DOCUMENT, found {line!r}", file=str(path), line=number
            )
        out.append((fields[0], fields[1]))
    return out

"""The metric `pyreval`: PyrEval itself, run from a copy of its folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rubrica.data.jackknife import ReferencesJackknifer
from rubrica.errors import MetricFailedError, ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.program import ProgramMetric
from rubrica.metrics.pyreval.metric import CITATION

_NAMES = ("raw", "quality", "coverage", "comprehensive")
_PEERS, _REFERENCES = "Preprocess/peer_summaries", "Preprocess/wise_crowd_summaries"
_PYRAMIDS = "Scoring/pyrs/pyramids"
# What a run leaves in the folder, and the next would read.
_LEFTOVERS = (
    *("Raw/peers/*", "Raw/model/*", "Raw/peers/split/*", "Raw/model/split/*"),
    *(f"{_PEERS}/*", f"{_REFERENCES}/*", "Pyramid/scores.txt", f"{_PYRAMIDS}/*.pyr"),
    *("Scoring/scu/*.pyr", "Scoring/sizes/*.size", "Scoring/temp/*", "results.csv"),
)
# Larger files, such as CoreNLP's, are linked into the copy.
_LINKED_BYTES = 1_000_000


class _AtLeastTwo(ReferencesJackknifer):
    """Leaves a reference out where two remain, the fewest that PyrEval takes."""

    def leave_one_out(self, value: Sequence[Any]) -> list[list[Any]]:
        """Return n lists of n - 1 references, for n of 3 or more."""
        return super().leave_one_out(value) if len(value) > 2 else []


@Metric.register("pyreval")
class PyrEval(ProgramMetric):
    """PyrEval (Gao et al. 2019), run as the original program: a pyramid built from the references.

    It needs two references or more; they are sorted, because the program's scores depend on their order, as SacreROUGE
    does. Inputs whose references are blank but for one are undefined.

    Args:
        environment_name: Conda environment with Python 2.7; `$CONDA_INIT` names conda's `conda.sh`.
        pyreval_root: Folder of the program; null: `$RUBRICA_PYREVAL_ROOT`, or `metrics/PyrEval` in
            the data folder of Rubrica or SacreROUGE.
        verbose: Show what the program prints.
        python: Command that starts Python 2.7.
    """

    jackknifer = _AtLeastTwo()
    value_range = (0.0, float("inf"))
    citation = CITATION
    variable = "RUBRICA_PYREVAL_ROOT"
    folder_name = "PyrEval"
    program_files = (
        *("pyreval.py", "split-sent.py", "Stanford/stanford.py"),
        "Preprocess/preprocess.py",
    )
    alternative = "pyreval-style (word vectors, other numbers)"
    blank_scores = {"pyreval": dict.fromkeys(_NAMES, 0.0)}
    installation = """pyreval runs PyrEval, a program in Python 2.7 with a licence of its own. Put it here, or name another folder with
--pyreval_root or $RUBRICA_PYREVAL_ROOT:
  git clone https://github.com/danieldeutsch/PyrEval {root} (SacreROUGE's fork, which fixes an endless loop)
  the files of stanford-corenlp-full-2018-10-05.zip (https://nlp.stanford.edu/software/) in {root}/Stanford
  Java on the PATH, and Python 2.7 with nltk 3.4.5, scikit-learn, beautifulsoup4 4.8.2, numpy 1.16.6, scipy 1.2.3,
  networkx 2.2, statistics, pandas 0.24.2, theano 1.0.4, lxml 4.5.0: as python2.7, as --python PATH, or as a conda
  environment, --environment_name NAME with CONDA_INIT=.../etc/profile.d/conda.sh"""

    def __init__(
        self,
        environment_name: str | None = None,
        pyreval_root: str | None = None,
        verbose: bool = False,
        python: str = "python2.7",
    ) -> None:
        super().__init__(pyreval_root, verbose)
        self.environment_name = environment_name
        self.python = python

    def score_multi_all(self, *fields: Any) -> list[list[Any]]:
        """Score lists of summaries, each list against its own references."""
        for _, references in self._rows(fields):
            if len(references) == 1 and self.text_of(references[0]):
                raise ParameterError(
                    "pyreval needs two references or more of every input: it finds content units in several"
                )
        return super().score_multi_all(*fields)

    def score_texts(
        self, summaries_list: Sequence[Sequence[str]], references_list: Sequence[Sequence[str]]
    ) -> list[list[dict[str, Any]]]:
        """Preprocess all texts at once, then build and score each input's pyramid."""
        groups = list(zip(summaries_list, references_list, strict=True))
        texts = dict.fromkeys(text for group in groups for side in group for text in side)
        with tempfile.TemporaryDirectory() as temporary:
            folder, stored = Path(temporary) / "PyrEval", Path(temporary) / "stored"
            shutil.copytree(
                self.root, folder, copy_function=_copy, ignore=shutil.ignore_patterns(".git")
            )
            _clean(folder)
            self._preprocess(folder, list(texts))
            shutil.copytree(folder / _PEERS, stored)
            numbers = {text: number for number, text in enumerate(texts)}
            return [self._score(folder, stored, numbers, *group) for group in groups]

    def _preprocess(self, folder: Path, texts: Sequence[str]) -> None:
        """Split, parse and segment all texts, as if all were peers: that starts CoreNLP once."""
        raw = folder / "Raw" / "peers"
        raw.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(texts):
            (raw / str(number)).write_text(text, encoding="utf-8")
        split, peers = raw / "split", folder / _PEERS
        self._run(folder, ["split-sent.py", raw, split], (split, "*"))
        self._run(folder / "Stanford", ["stanford.py", split, "1", ".."], (peers, "*.xml"))
        self._run(folder / "Preprocess", ["preprocess.py", "1"], (peers, "*/*.ls"))

    def _score(
        self,
        folder: Path,
        stored: Path,
        numbers: dict[str, int],
        summaries: Sequence[str],
        references: Sequence[str],
    ) -> list[dict[str, Any]]:
        """Return the scores of one input's summaries; equal ones are scored once."""
        if len(references) < 2:
            return [{"pyreval": dict.fromkeys(_NAMES)} for _ in summaries]
        _clean(folder)
        peers = list(dict.fromkeys(summaries))
        for target, texts in ((_PEERS, peers), (_REFERENCES, sorted(references))):
            for place, text in enumerate(texts):
                _place_summary(stored, numbers[text], folder / target, place)
        # The program's menu: 4 builds the pyramid (in files whose names are its own), 5 scores, with -t into a file.
        # After that it asks again, and ends at the end of its input, with or without an error.
        self._run(folder, ["pyreval.py"], (folder / _PYRAMIDS, "*.pyr"), menu="4")
        self._run(folder, ["pyreval.py"], (folder, "results.csv"), menu="5 -t")
        scores = _read_results(folder / "results.csv")
        try:
            return [{"pyreval": scores[peers.index(text)]} for text in summaries]
        except KeyError as error:
            raise MetricFailedError(
                f"pyreval: the program gave no score of summary {error}"
            ) from None

    def _run(
        self, folder: Path, words: Sequence[str | Path], creates: tuple[Path, str], menu: str = ""
    ) -> None:
        self.run_program(
            [self.python, *words],
            folder,
            step=f"{words[0]} {menu}".strip(),
            creates=creates,
            stdin=f"{menu}\n" if menu else "",
            environment=self.environment_name,
            any_exit_code=bool(menu),
        )


def _copy(source: str, target: str) -> None:
    """Copy a file of the program; link a large one."""
    path = Path(source).resolve()
    if path.stat().st_size >= _LINKED_BYTES:
        Path(target).symlink_to(path)
    else:
        shutil.copyfile(path, target)


def _clean(folder: Path) -> None:
    """Delete what an earlier run left in the copy."""
    for pattern in _LEFTOVERS:
        for path in folder.glob(pattern):
            if not path.is_dir() or path.is_symlink():
                path.unlink()
            elif path.name != "split":
                shutil.rmtree(path)
    for name in (_PEERS, _REFERENCES):
        (folder / name).mkdir(parents=True, exist_ok=True)


def _place_summary(stored: Path, number: int, target: Path, place: int) -> None:
    """Put a preprocessed text in place `place`: its parse, and its segments in the folder of that number plus 1."""
    parse, source = stored / f"{number}.xml", next(stored.glob(f"*/{number}.ls"), None)
    if not parse.exists() or source is None:
        kind = "segments" if parse.exists() else "parse"
        raise MetricFailedError(f"pyreval: preprocessing wrote no {kind} of text {number}")
    shutil.copyfile(parse, target / f"{place}.xml")
    folder = target / str(place + 1)
    folder.mkdir()
    for suffix in (".ls", ".segs"):
        lines = source.with_suffix(suffix).read_text("utf-8").splitlines()
        # The first column is the number of the folder.
        changed = ["&".join([str(place + 1), *line.strip().split("&")[1:]]) for line in lines]
        text = "".join(f"{line}\n" for line in changed)
        (folder / f"{place}{suffix}").write_text(text, encoding="utf-8")


def _read_results(file: Path) -> dict[int, dict[str, float]]:
    """Return the scores by the summary's number: after two lines of heading a row for each."""
    scores = {}
    for line in file.read_text("utf-8").splitlines()[2:]:
        try:
            number, *values = line.split(",")
            # SacreROUGE reads the raw score as an integer: a sum of the weights of content units.
            numbers = [int(values[0]), *map(float, values[1:])]
            scores[int(number)] = dict(zip(_NAMES, numbers, strict=True))
        except (ValueError, IndexError):
            raise MetricFailedError(f"pyreval: cannot read the program's line {line!r}") from None
    return scores

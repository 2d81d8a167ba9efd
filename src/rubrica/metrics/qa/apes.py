"""The metric `apes`: APES itself, run from its two folders."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from rubrica.errors import ComparabilityWarning, MetricFailedError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.program import ProgramMetric, check_reference_count

_QUESTIONS, _READER = "APES-on-TAC2011", "rc-cnn-dailymail"


@Metric.register("apes")
class APES(ProgramMetric):
    """APES (Eyal et al. 2019), run as the original program: cloze questions about entities in the references.

    `accuracy` is the mean over references (0 to 100), `num_correct` the sum. References without entities or questions
    are left out; if none has any, both are 0, as in SacreROUGE.

    Args:
        environment_name: The conda environment with Python 2.7 and the program's packages; `$CONDA_INIT` is conda.sh.
        apes_root: Folder of both programs; null: `$RUBRICA_APES_ROOT`, or `metrics/apes` in the
            data folder of Rubrica or SacreROUGE.
        verbose: Show what the programs print.
        python: Command that starts Python 2.7.
    """

    value_range = {"APES.accuracy": (0.0, 100.0), "*": (0.0, float("inf"))}
    citation = """@inproceedings{eyal-etal-2019-question,
    title = "Question Answering as an Automatic Evaluation Metric for News Article Summarization",
    author = "Eyal, Matan and Baumel, Tal and Elhadad, Michael",
    booktitle = "Proceedings of NAACL 2019", year = "2019", pages = "3938--3948",
    url = "https://aclanthology.org/N19-1395"}"""
    variable = "RUBRICA_APES_ROOT"
    folder_name = "apes"
    program_files = (f"{_QUESTIONS}/apes_on_tac2011.py", f"{_READER}/code/run_qa_model.py")
    alternative = "qa-eval or summaqa (questions, too, other numbers)"
    blank_scores = {"APES": {"accuracy": 0.0, "num_correct": 0}}
    installation = """apes runs APES, two programs in Python 2.7 with licences of their own. Put them here, or name another folder with
--apes_root or $RUBRICA_APES_ROOT:
  git clone https://github.com/danieldeutsch/APES-on-TAC2011 {root}/APES-on-TAC2011
  git clone https://github.com/danieldeutsch/rc-cnn-dailymail {root}/rc-cnn-dailymail
  cnn_train.txt and cnn_dev.txt (https://danieldeutsch.s3.amazonaws.com/sacrerouge/metrics/APES/cnn_train.txt.gz and
  cnn_dev.txt.gz, unpacked) and glove.6B.100d.txt (from https://nlp.stanford.edu/data/glove.6B.zip) in {root}/rc-cnn-dailymail
  Python 2.7 with Theano, Lasagne, tqdm and spaCy's English model: as python2.7, as --python PATH, or as a conda
  environment, --environment_name NAME with CONDA_INIT=.../etc/profile.d/conda.sh"""

    def __init__(
        self,
        environment_name: str | None = None,
        apes_root: str | None = None,
        verbose: bool = False,
        python: str = "python2.7",
    ) -> None:
        super().__init__(apes_root, verbose)
        self.environment_name = environment_name
        self.python = python

    def score_texts(
        self, summaries_list: Sequence[Sequence[str]], references_list: Sequence[Sequence[str]]
    ) -> list[list[dict[str, Any]]]:
        """Write all texts, let the programs ask and answer, and read the answers."""
        check_reference_count("apes", references_list)
        groups = list(zip(summaries_list, references_list, strict=True))
        with tempfile.TemporaryDirectory() as temporary:
            answers = self._answers(Path(temporary), groups)
            unasked = _unasked(Path(temporary) / "metadata.json")
        _warn_of_missing(answers, unasked, groups)
        return [
            [
                _summary_scores(answers, f"{group}_{place}", _reference_ids(group, references))
                for place in range(len(texts))
            ]
            for group, (texts, references) in enumerate(groups)
        ]

    def _answers(
        self, folder: Path, groups: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> dict[tuple[str, str], dict[str, float]]:
        """Return accuracy and correct answers by summary and reference."""
        texts = {
            str(group): {
                "man": dict(zip(_reference_ids(group, references), references, strict=True)),
                "machine": {f"{group}_{place}": text for place, text in enumerate(summaries)},
            }
            for group, (summaries, references) in enumerate(groups)
        }
        summaries = folder / "summaries.json"
        summaries.write_text(json.dumps(texts), encoding="utf-8")
        questions, answers = folder / "questions.jsonl", folder / "answers.jsonl"
        files = ["--input-file", str(summaries), "--output-file", str(questions)]
        files += ["--metadata-file", str(folder / "metadata.json")]
        self._run(_QUESTIONS, ["apes_on_tac2011.py", *files], (folder, questions.name))
        data = ["--train_path", "cnn_train.txt", "--dev_path", "cnn_dev.txt"]
        data += ["--glove_path", "glove.6B.100d.txt"]
        files = ["--input_file", str(questions), "--output_file", str(answers)]
        self._run(_READER, ["code/run_qa_model.py", *files, *data], (folder, answers.name))
        return _read_answers(answers)

    def _run(self, program: str, words: Sequence[str], creates: tuple[Path, str]) -> None:
        environment = self.environment_name
        folder = self.root / program
        command = [self.python, *words]
        self.run_program(command, folder, step=words[0], creates=creates, environment=environment)


def _reference_ids(group: int, references: Sequence[str]) -> list[str]:
    return [f"{group}_{letter}" for letter in ascii_uppercase[: len(references)]]


def _read_answers(file: Path) -> dict[tuple[str, str], dict[str, float]]:
    answers = {}
    for line in file.read_text("utf-8").splitlines():
        try:
            row = json.loads(line)
            ids = str(row["answering_doc"]), str(row["questioning_doc"])
            answers[ids] = {"accuracy": float(row["acc"]), "num_correct": int(row["num_correct"])}
        except (ValueError, KeyError, TypeError):
            raise MetricFailedError(f"apes: cannot read the program's line {line!r}") from None
    return answers


def _unasked(file: Path) -> dict[str, int]:
    """Return how many references of each input the program asks nothing about."""
    try:
        facts = json.loads(file.read_text("utf-8"))
        lists = [facts["missing_entities"], facts["missing_questions"]]
        return {
            group: sum(len(names.get(group, ())) for names in lists)
            for group in {name for names in lists for name in names}
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise MetricFailedError(f"apes: cannot read the program's {file.name}") from None


def _warn_of_missing(
    answers: dict[tuple[str, str], dict[str, float]],
    unasked: dict[str, int],
    groups: Sequence[tuple[Sequence[str], Sequence[str]]],
) -> None:
    """Warn of summaries that the program did not score against every reference that it asks about."""
    incomplete = 0
    for group, (summaries, references) in enumerate(groups):
        expected = len(references) - unasked.get(str(group), 0)
        names = _reference_ids(group, references)
        for place in range(len(summaries)):
            scored = sum((f"{group}_{place}", name) in answers for name in names)
            incomplete += scored != expected
    if incomplete:
        warnings.warn(
            f"apes: the program left out references of {incomplete} of {sum(len(texts) for texts, _ in groups)} "
            "summaries without a reason; their scores use the other references (run with --verbose to see why)",
            ComparabilityWarning,
            stacklevel=2,
        )


def _summary_scores(
    answers: dict[tuple[str, str], dict[str, float]], summary: str, references: Sequence[str]
) -> dict[str, Any]:
    """Return the mean accuracy and the sum of correct answers over references that have questions."""
    scores = [answers[summary, name] for name in references if (summary, name) in answers]
    if not scores:
        return APES.blank_scores
    accuracy = sum(score["accuracy"] for score in scores) / len(scores)
    return {
        "APES": {"accuracy": accuracy, "num_correct": sum(score["num_correct"] for score in scores)}
    }

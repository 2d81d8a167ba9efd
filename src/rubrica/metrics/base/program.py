"""Metrics that run another program, which you install: where it is, how it runs, what to do without it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from rubrica.data.files import blake2b_of
from rubrica.data.instance import Text, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.data.resource import data_root
from rubrica.errors import MetricFailedError, MissingResourceError, ParameterError
from rubrica.metrics.base.bases import ReferenceBasedMetric
from rubrica.metrics.base.metric import Say, must_override

# Activates a conda environment ($0), then runs the command.
_IN_ENVIRONMENT = 'source "$CONDA_INIT" && conda activate "$0" && exec "$@"'
# Parameters that say where and how the program runs, not what it computes.
_UNSIGNED = ("environment_name", "python", "java", "verbose")


class ProgramMetric(ReferenceBasedMetric, abstract=True):
    """Scores with the original program, in files of its own format.

    A class names its folder and writes `score_texts`. Blank texts never reach the program: a blank summary, or one whose
    references are all blank, gets `blank_scores`; other blank references are left out.
    """

    # One batch at a time: the programs start slowly and use the whole machine.
    parallel = "device"
    required_overrides = ("score_texts",)

    # The environment variable that names the folder, and the folder's name where SacreROUGE puts it.
    variable: ClassVar[str]
    folder_name: ClassVar[str]
    # Files of the folder that decide the scores; without them it is not the program's.
    program_files: ClassVar[tuple[str, ...]]
    # What to put where, as lines with `{root}`; the metric to use without the program.
    installation: ClassVar[str]
    alternative: ClassVar[str]
    blank_scores: ClassVar[dict[str, Any]]

    def __init__(self, root: str | None, verbose: bool = False) -> None:
        super().__init__()
        self.root = self.find_program(root)
        self.verbose = verbose

    @classmethod
    def find_program(cls, root: str | None = None) -> Path:
        """Return the program's folder: the parameter's, the variable's, or where SacreROUGE puts it."""
        named = root or os.environ.get(cls.variable)
        sacrerouge = os.environ.get("SACREROUGE_DATA_ROOT") or "~/.sacrerouge"
        defaults = [
            Path(folder) / "metrics" / cls.folder_name for folder in (data_root(), sacrerouge)
        ]
        folders = [Path(named)] if named else defaults
        for folder in (path.expanduser() for path in folders):
            if all((folder / name).exists() for name in cls.program_files):
                return folder.resolve()
        places = " or ".join(str(folder) for folder in folders)
        raise MissingResourceError(
            f"metric {cls.name!r} runs the original program, which is not in {places} (no "
            f"{cls.program_files[0]}); use {cls.alternative} instead, or see: rubrica setup-metric {cls.name}"
        )

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Check that the program is there; otherwise say what to put where."""
        super().set_up(model, source=source, offline=offline, say=say)
        try:
            cls.find_program(source)
        except MissingResourceError:
            say(cls.installation.format(root=data_root() / "metrics" / cls.folder_name))
            raise

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters, with a digest of the program's files in place of its folder."""
        parameters = super().signature_parameters()
        for name in (*_UNSIGNED, *(key for key in parameters if key.endswith("_root"))):
            parameters.pop(name, None)
        digests = [blake2b_of(self.root / name, 6) for name in self.program_files]
        return {**parameters, "program": "-".join(digest[:6] for digest in digests)}

    @must_override
    def score_texts(
        self, summaries_list: Sequence[Sequence[str]], references_list: Sequence[Sequence[str]]
    ) -> list[list[dict[str, Any]]]:
        """Score lists of summaries, each list against its own references; no text is blank."""
        raise TypeError(f"{type(self).__name__} does not define score_texts")

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own references."""
        groups = [
            (list(map(self.text_of, summaries)), list(filter(None, map(self.text_of, references))))
            for summaries, references in self._rows(fields)
        ]
        work = [(list(filter(None, texts)), references) for texts, references in groups]
        scored = [group for group in work if all(group)]
        results = iter(self.score_texts(*map(list, zip(*scored, strict=True))) if scored else [])
        output = []
        for (texts, _), group in zip(groups, work, strict=True):
            scores = iter(next(results) if all(group) else [])
            rows = (
                next(scores, self.blank_scores) if text else self.blank_scores for text in texts
            )
            output.append([self._checked(row) for row in rows])
        return output

    def text_of(self, text: Text) -> str:
        """Return the text as the program gets it; "" if it is blank."""
        return flatten(text).strip()

    def run_program(
        self,
        command: Sequence[str | Path],
        folder: Path,
        *,
        creates: tuple[Path, str] | None = None,
        stdin: str = "",
        environment: str | None = None,
    ) -> str:
        """Run a command in a folder and return its output; raise an error if it does not create `creates`.

        That is a folder and a pattern below it.
        """
        words = [str(word) for word in command]
        if environment is not None:
            if not os.environ.get("CONDA_INIT"):
                raise MissingResourceError(
                    f"metric {self.label!r}: environment_name {environment!r} needs the variable CONDA_INIT, the path of "
                    "conda's etc/profile.d/conda.sh; or pass python=PATH of a Python 2.7"
                )
            words = ["bash", "-c", _IN_ENVIRONMENT, environment, *words]
        run = execute(words, folder, stdin)
        if self.verbose:
            os.write(2, (run.stdout + run.stderr).encode())
        # Whether a program that writes files succeeded is seen by its files, not by its exit code.
        if run.returncode if creates is None else not any(creates[0].glob(creates[1])):
            lines = (run.stderr.strip() or run.stdout.strip()).splitlines()
            result = f"exit code {run.returncode}" if creates is None else f"no {creates[1]}"
            raise MetricFailedError(
                f"metric {self.label!r}: the program {Path(str(command[0])).name} failed ({result}): "
                f"{' / '.join(lines[-3:]) or 'no message'}; --verbose shows all it prints"
            )
        return run.stdout


def execute(command: Sequence[str], folder: Path, stdin: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, without a shell."""
    try:
        return subprocess.run(
            command,
            cwd=folder,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise MissingResourceError(f"{command[0]} cannot be run: {error.strerror}") from error


def check_reference_count(name: str, references_list: Sequence[Sequence[Text]]) -> None:
    """Raise an error for inputs with more references than there are letters to name them."""
    most = max(map(len, references_list), default=0)
    if most > 26:
        raise ParameterError(f"{name} takes at most 26 references of an input, not {most}")

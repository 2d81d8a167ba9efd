"""Metrics that run another program, which you install: where it is, how it runs, what to do without it."""

from __future__ import annotations

import os
import re
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
from rubrica.metrics.base.validation import checked_scores

# Activates a conda environment ($0), then runs the command.
_IN_ENVIRONMENT = 'source "$CONDA_INIT" && conda activate "$0" && exec "$@"'
# What Java says of classes that a newer one compiled, and lines of a stack below the message.
_OLD_JAVA = "UnsupportedClassVersionError"
_STACK = re.compile(r"\s*(at [\w.$<>/]+\(.*\)|\.\.\. \d+ (more|common frames omitted)|[~^]*)\s*$")
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
        folders = cls._folders(root)
        missing = {folder: cls._missing_file(folder) for folder in folders}
        for folder, name in missing.items():
            if name is None:
                return folder.resolve()
        places = " or ".join(f"{folder} (no {name})" for folder, name in missing.items())
        raise MissingResourceError(
            f"metric {cls.name!r} runs the original program, which is not in {places}; use {cls.alternative} instead, "
            f"or see: rubrica setup-metric {cls.name}"
        )

    @classmethod
    def _folders(cls, root: str | None) -> list[Path]:
        """Return where the program may be."""
        named = root or os.environ.get(cls.variable)
        sacrerouge = os.environ.get("SACREROUGE_DATA_ROOT") or "~/.sacrerouge"
        defaults = [
            Path(folder) / "metrics" / cls.folder_name for folder in (data_root(), sacrerouge)
        ]
        return [path.expanduser() for path in ([Path(named)] if named else defaults)]

    @classmethod
    def _missing_file(cls, folder: Path) -> str | None:
        """Return the first of the program's files that is not in a folder."""
        return next((name for name in cls.program_files if not (folder / name).exists()), None)

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Check that the program is there; otherwise say what to put where."""
        super().set_up(model, source=source, offline=offline, say=say)
        try:
            cls.find_program(source)
        except MissingResourceError as error:
            say(cls.installation.format(root=data_root() / "metrics" / cls.folder_name))
            reason = str(error).partition("; use ")[0]
            raise MissingResourceError(f"{reason}; the lines above say what to put where") from None

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
            output.append([checked_scores(row, self.label) for row in rows])
        return output

    def text_of(self, text: Text) -> str:
        """Return the text as the program gets it; "" if it is blank."""
        return flatten(text).strip()

    def run_program(
        self,
        command: Sequence[str | Path],
        folder: Path,
        *,
        step: str,
        creates: tuple[Path, str] | None = None,
        stdin: str = "",
        environment: str | None = None,
        any_exit_code: bool = False,
    ) -> str:
        """Run one step of the program in a folder and return its output.

        A step fails if its exit code is not 0, or if it does not create `creates`: a folder and a pattern below it.
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
        problem = ""
        if run.returncode and not any_exit_code:
            problem = f"exit code {run.returncode}"
        elif creates is not None and not any(creates[0].glob(creates[1])):
            problem = f"it wrote no {creates[1]}"
        if problem:
            raise MetricFailedError(
                f"metric {self.label!r}: {step} failed ({problem}): {_last_message(run)}; --verbose shows all it prints"
            )
        return run.stdout


def _last_message(run: subprocess.CompletedProcess[str]) -> str:
    """Return the lines that say why a program failed: Maven's first error, or the end without Java's stack."""
    if _OLD_JAVA in run.stdout + run.stderr:
        return "this Java is too old for the program; name a newer one with --java PATH, or with JAVA_HOME for mvn"
    errors = [line for line in run.stdout.splitlines() if line.startswith("[ERROR]")]
    lines = errors[:1] or [
        line.strip()
        for line in (run.stderr.strip() or run.stdout.strip()).splitlines()
        if not _STACK.match(line)
    ]
    return " / ".join(lines[-3:]) or "no message"


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

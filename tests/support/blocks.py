"""Fenced blocks of a page, run as a reader would run them: in order, in one folder with the examples.

- `python` with `>>>`: a doctest; names live on to the page's next block.
- `python` otherwise: run as it stands. A first line `# my_metric.py` also saves it under that name.
- `toml`, `json` with a first line `# run.toml`: saved under that name.
- `console`: lines `$ command` (continued by a backslash), each followed by its standard output.
- `text`: not run.

Output may have `...` for anything. Which kernels a signature names depends on the machine.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, nullcontext, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rubrica.datasets.base import DATASETS
from rubrica.datasets.readers.base import READERS
from rubrica.metrics.base.metric import METRICS

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# ([\w./-]+\.\w+)$")
LANGUAGES = {"python", "console", "toml", "json", "text"}


@dataclass(frozen=True)
class Block:
    """One fenced block and where it begins."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def file_name(self) -> str | None:
        found = FILE_NAME.match(self.text.partition("\n")[0])
        return found[1] if found else None


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    for found in FENCE.finditer(text):
        indent = len(found[1])
        body = "".join(line[indent:] for line in found[3].splitlines(keepends=True))
        yield Block(page, text.count("\n", 0, found.start()) + 1, found[2], body)


def run_page(page: Path, folder: Path, rubrica: Callable[..., Any] | None = None) -> None:
    """Run all blocks of a page in a folder; an AssertionError says which one went wrong.

    With the fixture `rubrica`, plain commands of that name run in this process, which saves most of their time.
    """
    # What a page registers is forgotten afterwards.
    registries: tuple[Any, ...] = (METRICS, READERS, DATASETS)
    known = [(registry, dict(registry._known)) for registry in registries]
    try:
        _run_blocks(page, folder, rubrica)
    finally:
        for registry, before in known:
            registry._known = before


def _run_blocks(page: Path, folder: Path, rubrica: Callable[..., Any] | None) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: say what language the block is in"
        if block.file_name is not None:
            (folder / block.file_name).write_text(block.text, "utf-8")
        if block.language == "python" and ">>>" in block.text:
            _run_doctest(block, names)
        elif block.language == "python":
            exec(compile(block.text, block.place, "exec"), names)
        elif block.language == "console":
            for command, expected in commands(block):
                _run_command(block, command, expected, folder, rubrica)


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that stands under it."""
    command, output = "", ""
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ ") and not command.endswith("\\\n"):
            if command:
                yield command, output
            command, output = line[2:], ""
        elif command.endswith("\\\n"):
            command += line
        else:
            output += line
    assert command, f"{block.place}: a console block needs a line that starts with '$ '"
    yield command, output


def _run_doctest(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, {}, block.place, str(block.page), 0)
    test.globs = names
    told: list[str] = []
    runner = doctest.DocTestRunner(checker=_Checker(), optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=told.append, clear_globs=False)
    assert not runner.summarize(verbose=False).failed, f"{block.place}\n{''.join(told)}"


def _run_command(
    block: Block, command: str, expected: str, folder: Path, rubrica: Callable[..., Any] | None
) -> None:
    place, words = _plain_words(command)
    if rubrica is not None and (script := re.fullmatch(r"bash ([\w/.-]+\.sh)\s*", command)):
        code, out, err = _run_script(script[1], folder, rubrica)
    elif rubrica is not None and words is not None:
        together = redirect_stderr(sys.stdout) if "2>&1" in command else nullcontext()
        with chdir(folder / place), together:
            answer = rubrica(*words)
        code, out, err = answer.code, answer.out, answer.err
    else:
        code, out, err = _run_in_bash(command, folder)
    # A command that is shown to fail says so in what it prints.
    assert code == 0 or "2>&1" in command, f"{block.place}\n$ {command}{err}"
    assert _Checker().check_output(expected, out, doctest.ELLIPSIS), (
        f"{block.place}\n$ {command}--- expected\n{expected}--- found\n{out}{err}"
    )


def _plain_words(command: str) -> tuple[str, list[str] | None]:
    """Return the folder and the words of a command that needs neither a shell nor a process without the page's modules."""
    command = command.replace("\\\n", " ").strip().removesuffix(" 2>&1")
    found = re.fullmatch(r"(?:cd ([\w/]+); )?rubrica ([^|&;<>$*?`#\n]*)", command)
    if found is None or "--include-packages" in command:
        return "", None
    return found[1] or "", shlex.split(found[2])


def _run_script(script: str, folder: Path, rubrica: Callable[..., Any]) -> tuple[int, str, str]:
    """Run a script that prepares files. Its commands `rubrica ...` run in this process, after all others."""
    record = 'rubrica() { printf "%s\\0" "$@" >&3; printf "\\n" >&3; }; export -f rubrica; '
    recorded = folder / f"{Path(script).name}.commands"
    code, out, err = _run_in_bash(f"{record} exec 3> {recorded.name}; bash {script}", folder)
    for line in recorded.read_text("utf-8").splitlines():
        if code == 0:
            answer = rubrica(*line.removesuffix("\0").split("\0"))
            code, out, err = answer.code, out + answer.out, err + answer.err
    recorded.unlink()
    return code, out, err


def _run_in_bash(command: str, folder: Path) -> tuple[int, str, str]:
    binaries = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([binaries, os.environ.get("PATH", "")]),
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class _Checker(doctest.OutputChecker):
    """Compares as if the kernels were native and the line ends Unix's."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        got = got.replace("\r\n", "\n").replace("|core:python|", "|core:native|")
        return super().check_output(want, got, optionflags)

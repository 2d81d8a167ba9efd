"""`bewte`, `pyreval` and `apes` run the original programs; here small fakes that speak their file formats."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import (
    ComparabilityWarning,
    MetricFailedError,
    MissingResourceError,
    ParameterError,
)
from rubrica.metrics.base.metric import Metric
from support.fake_programs import PROGRAMS, write_program

NAMES = pytest.mark.parametrize("name", sorted(PROGRAMS))
SUMMARIES = [["Ann saw the cat.", "the cat"], ["Bob ran home."]]
REFERENCES = [["Ann saw a cat.", "the dog"], ["Bob ran home.", "Bob went home."]]


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No program is installed."""
    for name in PROGRAMS:
        monkeypatch.delenv(f"RUBRICA_{name.upper()}_ROOT", raising=False)
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "data"))
    monkeypatch.setenv("SACREROUGE_DATA_ROOT", str(tmp_path / "sacrerouge"))


def metric(name: str, folder: Path, **parameters: Any) -> Metric:
    return Metric.from_config({"type": name, **write_program(name, folder), **parameters})


def test_bewte_is_the_mean_over_references_of_what_the_program_prints(tmp_path: Path) -> None:
    scores = metric("bewte", tmp_path).score_multi_all(SUMMARIES, REFERENCES)
    first = scores[0][0]["BEwTE"]
    # Of "Ann saw the cat." 3 of 4 words are in "Ann saw a cat.", 1 of 4 in "the dog".
    assert first["precision"] == pytest.approx((75 + 25) / 2)
    assert first["recall"] == pytest.approx((75 + 50) / 2)
    assert first["f1"] == pytest.approx((75 + 100 / 3) / 2)
    assert scores[1][0]["BEwTE"]["recall"] == pytest.approx((100 + 200 / 3) / 2)


def test_bewte_runs_maven_where_sacrerouge_set_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bewte = metric("bewte", tmp_path / "program")
    (tmp_path / "program" / "target" / "dependency" / "a.jar").unlink()
    tools = tmp_path / "tools"
    tools.mkdir()
    log = tmp_path / "log"
    (tools / "mvn").write_text(f'#!/bin/sh\necho "$@" >> "{log}"\n')
    (tools / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    with pytest.raises(MetricFailedError, match=r"RunPipe failed \(it wrote no parsed"):
        bewte.score("a b", ["a c"])
    assert log.read_text().startswith("exec:java@RunPipe -Dexec.args=-corpusreader")


def test_pyreval_scores_each_input_with_its_own_pyramid(tmp_path: Path) -> None:
    program = tmp_path / "program"
    pyreval = metric("pyreval", program)
    before = {path: path.stat().st_mtime_ns for path in program.rglob("*")}
    scores = pyreval.score_multi_all([*SUMMARIES, SUMMARIES[0]], [*REFERENCES, REFERENCES[0][::-1]])
    assert [row["pyreval"]["raw"] for row in scores[0]] == [4, 1]
    assert scores[0][0]["pyreval"] == {
        "raw": 4.0,
        "quality": 4 / 6,
        "coverage": 2 / 6,
        "comprehensive": 0.5,
    }
    assert scores[1][0]["pyreval"]["raw"] == 5
    # Neither the order of references nor other inputs matter, and the program's folder is left as it was.
    assert scores[2] == scores[0]
    assert {path: path.stat().st_mtime_ns for path in program.rglob("*")} == before


def test_pyreval_needs_two_references_and_jackknifes_from_three(tmp_path: Path) -> None:
    pyreval = metric("pyreval", tmp_path)
    with pytest.raises(ParameterError, match="two references"):
        pyreval.score("a b", ["a c"])
    [[(_, undefined)]] = pyreval.score_with_jackknife([["a b"]], [["a c", "b c"]])
    assert undefined is None
    [[(_, jackknifed)]] = pyreval.score_with_jackknife([["a b"]], [["a c", "b c", "a b"]])
    assert jackknifed is not None
    assert jackknifed["pyreval"]["raw"] == pytest.approx((3 + 3 + 2) / 3)


def test_apes_is_the_mean_accuracy_and_the_sum_of_correct_answers(tmp_path: Path) -> None:
    scores = metric("apes", tmp_path).score_multi_all(
        [["Ann saw Bob."], ["Ann saw Bob."]],
        [["Ann met Eve.", "Ann came.", "nobody came."], ["nobody came."]],
    )
    assert scores[0][0]["APES"] == {"accuracy": (50 + 100) / 2, "num_correct": 2}
    # A reference without entities asks nothing; with no question both values are 0.
    assert scores[1][0]["APES"] == {"accuracy": 0, "num_correct": 0}


@NAMES
def test_blank_texts_never_reach_the_program(name: str, tmp_path: Path) -> None:
    program = metric(name, tmp_path)
    scored = program.score_multi_all(
        [["", "Ann ran."], ["Ann ran."]], [["Ann ran", "Ann"], [" ", ""]]
    )
    [blank, text], [without_references] = scored
    assert all(value == 0 for _, value in [*blank.leaves(), *without_references.leaves()])
    assert all(value > 0 for _, value in text.leaves())


@NAMES
@pytest.mark.usefixtures("clean")
def test_without_the_program_the_error_names_another_metric_and_the_setup(
    name: str, tmp_path: Path
) -> None:
    instead = {"bewte": "bewte-ud", "pyreval": "pyreval-style", "apes": "qa-eval"}[name]
    with pytest.raises(
        MissingResourceError, match=f"{instead}.*rubrica setup-metric {name}"
    ) as raised:
        Metric.from_config(name)
    assert str(tmp_path / "data" / "metrics") in str(raised.value)


@NAMES
@pytest.mark.usefixtures("clean")
def test_setup_metric_says_what_to_put_where(name: str, rubrica: Any, tmp_path: Path) -> None:
    answer = rubrica("setup-metric", name)
    assert answer.code == 3
    assert "git clone https://github.com/" in answer.err
    assert f"see: rubrica setup-metric {name}" not in answer.err
    assert str(tmp_path / "data" / "metrics") in answer.err
    assert f"$RUBRICA_{name.upper()}_ROOT" in answer.err


@NAMES
@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("place", ["variable", "data root", "sacrerouge"])
def test_the_program_is_found_by_variable_or_where_it_is_put(
    name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    folders = {"bewte": "ROUGE-BEwTE", "pyreval": "PyrEval", "apes": "apes"}
    below = {"variable": "x", "data root": "data/metrics", "sacrerouge": "sacrerouge/metrics"}[
        place
    ]
    folder = tmp_path / below / folders[name]
    write_program(name, folder)
    if place == "variable":
        monkeypatch.setenv(f"RUBRICA_{name.upper()}_ROOT", str(folder))
    assert rubrica("setup-metric", name).out.endswith(f"{name}: ready\n")


@NAMES
def test_a_signature_names_the_program_by_its_files_not_by_its_folder(
    name: str, tmp_path: Path
) -> None:
    one, two = (metric(name, tmp_path / folder).signature() for folder in "ab")
    assert one == two
    assert str(tmp_path) not in str(one)
    first = Metric.by_name(name).program_files[0]  # type: ignore[attr-defined]
    (tmp_path / "b" / first).write_text("# another version\n")
    root = {f"{name}_root": str(tmp_path / "b")}
    assert Metric.from_config({"type": name, **root}).signature() != one


def test_what_the_program_says_is_in_the_error(tmp_path: Path) -> None:
    apes = metric("apes", tmp_path)
    script = tmp_path / "APES-on-TAC2011" / "apes_on_tac2011.py"
    script.write_text("raise SystemExit('no spaCy model')\n")
    with pytest.raises(
        MetricFailedError, match=r"apes_on_tac2011.py failed \(exit code 1\): no spaCy model"
    ):
        apes.score("a", ["b"])


def replace_in(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_maven_gets_the_words_that_sacrerouge_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bewte = metric("bewte", tmp_path / "program")
    (tmp_path / "program" / "target" / "dependency" / "a.jar").unlink()
    log = tmp_path / "log"
    (tmp_path / "mvn").write_text(
        f'''#!/bin/sh
echo "$@" >> "{log}"
set -f
case $1 in *RunPipe) main=tratz.runpipe.util.RunPipe;; *) main=bewte.${{1#*@}};; esac
exec "{sys.executable}" "{tmp_path}/program/java.py" -cp "" $main ${{2#-Dexec.args=}}
'''
    )
    (tmp_path / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert bewte.score("a b", ["a c"])["BEwTE"]["precision"] == pytest.approx(50)
    expansion, scoring = log.read_text().splitlines()[2:]
    assert expansion.split()[4:7] == ["0", "-1", r".*[A-Z_\-]+"]
    assert scoring.split()[4:6] == ["bewte.scoring.TallyFunction$BinaryTallyFunction", "false"]
    assert scoring.endswith("bewte.names.DUCStyleNameExtractor .*")


def test_a_step_that_fails_after_it_wrote_its_files_is_an_error(tmp_path: Path) -> None:
    apes = metric("apes", tmp_path)
    script = tmp_path / "rc-cnn-dailymail" / "code" / "run_qa_model.py"
    loop = "for line in files.input_file.read_text().splitlines():\n"
    replace_in(script, loop, f'{loop}        if "_B" in line: raise MemoryError("full")\n')
    with pytest.raises(MetricFailedError, match=r"run_qa_model.py failed \(exit code 1\).*full"):
        apes.score("Ann", ["Ann", "Bob"])


def test_a_reference_that_apes_leaves_out_without_a_reason_is_a_warning(tmp_path: Path) -> None:
    apes = metric("apes", tmp_path)
    script = tmp_path / "rc-cnn-dailymail" / "code" / "run_qa_model.py"
    loop = "for line in files.input_file.read_text().splitlines():\n"
    replace_in(script, loop, f'{loop}        if "_B" in line: break\n')
    with pytest.warns(ComparabilityWarning, match="left out references of 1 of 1 summaries"):
        assert apes.score("Ann", ["Ann", "Bob", "nobody"])["APES"]["accuracy"] == 100


def test_bewte_output_that_ends_early_is_an_error(tmp_path: Path) -> None:
    bewte = metric("bewte", tmp_path)
    replace_in(tmp_path / "java.py", '    print("...done")', "    raise SystemExit")
    with pytest.raises(MetricFailedError, match="ends within the scores of summary 0 of input 0"):
        bewte.score("a", ["b"])


def test_an_old_java_is_named_not_its_stack(tmp_path: Path) -> None:
    bewte = metric("bewte", tmp_path)
    (tmp_path / "java.py").write_text(
        "import sys\n"
        "print('Exception java.lang.UnsupportedClassVersionError: bewte/BEwT_E', file=sys.stderr)\n"
        "print('\\tat java.lang.ClassLoader.defineClass1(Native Method)', file=sys.stderr)\n"
        "raise SystemExit(1)\n"
    )
    with pytest.raises(MetricFailedError, match=r"this Java is too old.*--java PATH"):
        bewte.score("a", ["b"])


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("Exception: no model\n\tat a.B.run(B.java:1)\n\t... 3 more\n", "Exception: no model; --v"),
        (
            "[INFO] a\n[ERROR] No goal RunPipe\n[ERROR] [Help 1] see\n",
            r"\[ERROR\] No goal RunPipe; ",
        ),
    ],
)
def test_the_error_of_java_and_maven_is_shown_without_their_stack(
    tmp_path: Path, output: str, message: str
) -> None:
    bewte = metric("bewte", tmp_path)
    (tmp_path / "java.py").write_text(f"print({output!r})\nraise SystemExit(1)\n")
    with pytest.raises(MetricFailedError, match=rf"RunPipe failed \(exit code 1\): {message}"):
        bewte.score("a", ["b"])


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "pyreval.py",
            'if step == "4":',
            "if step == '4': raise OSError('no vectors')\nif step == '4':",
            r"py 4 failed .*no \*.pyr.*no vectors",
        ),
        (
            "Stanford/stanford.py",
            "for file in pathlib.Path(source).iterdir():",
            "for file in list(pathlib.Path(source).iterdir())[:1]:",
            "wrote no parse of text",
        ),
        (
            "Preprocess/preprocess.py",
            '(".ls", ".segs")',
            '(".ls",)[number - 1 :]',
            "no segments of text 0",
        ),
        (
            "pyreval.py",
            'rows.append(f"{number},',
            'rows.append(f"x{number},',
            "cannot read the .* 'x0,",
        ),
    ],
)
def test_pyreval_names_the_step_that_failed(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    pyreval = metric("pyreval", tmp_path)
    replace_in(tmp_path / file, old, new)
    with pytest.raises(MetricFailedError, match=message):
        pyreval.score("Ann ran.", ["Ann ran home.", "Ann came."])


@NAMES
@pytest.mark.usefixtures("clean")
def test_the_missing_file_is_named_in_each_place(name: str, tmp_path: Path) -> None:
    write_program(name, tmp_path / "x")
    last = Metric.by_name(name).program_files[-1]  # type: ignore[attr-defined]
    (tmp_path / "x" / last).unlink()
    with pytest.raises(MissingResourceError, match=rf"/x \(no {last}\); use"):
        Metric.from_config({"type": name, f"{name}_root": str(tmp_path / "x")})


def test_a_row_that_the_program_damaged_is_shown(tmp_path: Path) -> None:
    apes = metric("apes", tmp_path)
    script = tmp_path / "rc-cnn-dailymail" / "code" / "run_qa_model.py"
    script.write_text("import sys\nopen(sys.argv[4], 'w').write('{\"acc\": 1}\\n')\n")
    with pytest.raises(MetricFailedError, match="cannot read the program's line"):
        apes.score("a", ["b"])


def test_a_missing_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match="no-such-java cannot be run"):
        metric("bewte", tmp_path, java="no-such-java").score("a", ["b"])


def test_a_conda_environment_is_activated_by_its_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apes = metric("apes", tmp_path / "program", environment_name="old", python="fake-python")
    monkeypatch.delenv("CONDA_INIT", raising=False)
    with pytest.raises(MissingResourceError, match="CONDA_INIT"):
        apes.score("Ann", ["Ann"])
    script = tmp_path / "conda.sh"
    script.write_text(f'conda() {{ test "$1 $2" = "activate old" && PATH="{tmp_path}:$PATH"; }}\n')
    (tmp_path / "fake-python").symlink_to(sys.executable)
    monkeypatch.setenv("CONDA_INIT", str(script))
    assert apes.score("Ann", ["Ann"])["APES"]["accuracy"] == 100

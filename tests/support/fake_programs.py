"""Small programs that speak the file formats of BEwT-E, PyrEval and APES; they score by shared words."""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

_WORDS = """
def words(text):
    return set(text.lower().split())


def shared(one, two):
    return len(words(one) & words(two))
"""

# Takes the arguments of java: -cp PATH CLASS ARGUMENT...
_JAVA = (
    _WORDS
    + """
import pathlib, sys
main, *arguments = sys.argv[3:]
options = dict(word.split("=", 1) for word in arguments if "=" in word)
if main == "tratz.runpipe.util.RunPipe":
    source, target = options["InputDirectories"], options["OutputDir"]
elif main == "bewte.BEXpander":
    source, target = arguments[:2]
if main != "bewte.BEwT_E":
    pathlib.Path(target).mkdir(parents=True)
    for file in pathlib.Path(source).iterdir():
        (pathlib.Path(target) / file.name).write_text(file.read_text("utf-8"), "utf-8")
    print("ready")
    raise SystemExit
files = sorted(pathlib.Path(arguments[0]).iterdir())
for file in files:
    topic, _, system = file.name.partition(".")
    print(f"Peer: {file}")
    print("Fast score calc... ")
    for other in files:
        name, _, letter = other.name.partition(".")
        if name == topic and letter.isalpha() and other != file:
            one, two = file.read_text("utf-8"), other.read_text("utf-8")
            same = shared(one, two)
            print(f"{system} vs {letter} P:{same / len(words(one))} R:{same / len(words(two))}")
    print("...done")
"""
)

_PYREVAL = {
    "split-sent.py": """
import pathlib, sys
source, target = map(pathlib.Path, sys.argv[1:])
target.mkdir(exist_ok=True)
for file in source.iterdir():
    if file.is_file():
        (target / file.name).write_text(file.read_text("utf-8").replace(". ", ".\\n"), "utf-8")
""",
    "Stanford/stanford.py": """
import pathlib, sys
source, mode, root = sys.argv[1:]
assert mode == "1"
for file in pathlib.Path(source).iterdir():
    target = pathlib.Path(root) / "Preprocess" / "peer_summaries" / f"{file.name}.xml"
    target.write_text(file.read_text("utf-8"), "utf-8")
""",
    "Preprocess/preprocess.py": """
import pathlib, sys
assert sys.argv[1:] == ["1"]
folder = pathlib.Path("peer_summaries")
for number, file in enumerate(sorted(folder.glob("*.xml"), reverse=True), 1):
    (folder / str(number)).mkdir()
    for suffix in (".ls", ".segs"):
        lines = [f"{number}&{line}\\n" for line in file.read_text("utf-8").splitlines()]
        (folder / str(number) / f"{file.stem}{suffix}").write_text("".join(lines), "utf-8")
""",
    "pyreval.py": _WORDS
    + """
import pathlib
step = input()
folder = pathlib.Path("Preprocess")


def texts(name):
    found = {}
    for file in sorted((folder / name).glob("*/*.segs")):
        assert int(file.stem) + 1 == int(file.parent.name)
        lines = [line.split("&", 1) for line in file.read_text("utf-8").splitlines()]
        assert all(number == file.parent.name for number, _ in lines)
        found[int(file.stem)] = " ".join(text for _, text in lines)
    return found


pyramid = pathlib.Path("Scoring/pyrs/pyramids/p.pyr")
if step == "4":
    pyramid.parent.mkdir(parents=True, exist_ok=True)
    pyramid.write_text("\\n".join(texts("wise_crowd_summaries").values()), "utf-8")
    input()
assert step == "5 -t"
references = pyramid.read_text("utf-8").splitlines()
rows = ["p.pyr", "Summary,Raw,Quality,Coverage,Comprehensive"]
for number, text in texts("peer_summaries").items():
    raw = sum(shared(text, reference) for reference in references)
    share = raw / sum(len(words(reference)) for reference in references)
    rows.append(f"{number},{raw},{share},{share / 2},{share * 3 / 4}")
pathlib.Path("results.csv").write_text("\\n".join(rows) + "\\n")
""",
}

_APES = {
    "APES-on-TAC2011/apes_on_tac2011.py": """
import argparse, json, pathlib
parser = argparse.ArgumentParser()
for name in ("input", "output", "metadata"):
    parser.add_argument(f"--{name}-file", required=True, type=pathlib.Path)
files = parser.parse_args()
missing = {}
with open(files.output_file, "w") as out:
    for topic, texts in json.loads(files.input_file.read_text()).items():
        for reference, asked in texts["man"].items():
            entities = [word for word in asked.split() if word[0].isupper()]
            if not entities:
                missing.setdefault(topic, []).append(reference)
                continue
            for summary, text in texts["machine"].items():
                row = {"q": reference, "a": summary, "entities": entities, "text": text}
                out.write(json.dumps(row) + "\\n")
facts = {"missing_entities": missing, "missing_questions": {}}
files.metadata_file.write_text(json.dumps(facts))
""",
    "rc-cnn-dailymail/code/run_qa_model.py": """
import argparse, json, pathlib
parser = argparse.ArgumentParser()
for name in ("input_file", "output_file", "train_path", "dev_path", "glove_path"):
    parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
files = parser.parse_args()
for name in (files.train_path, files.dev_path, files.glove_path):
    name.read_text()
with open(files.output_file, "w") as out:
    for line in files.input_file.read_text().splitlines():
        row = json.loads(line)
        correct = sum(word in row["text"] for word in row["entities"])
        accuracy = 100 * correct / len(row["entities"])
        ids = {"answering_doc": row["a"], "questioning_doc": row["q"]}
        out.write(json.dumps({**ids, "acc": accuracy, "num_correct": correct}) + "\\n")
""",
    **{f"rc-cnn-dailymail/{name}": "" for name in ("cnn_train.txt", "cnn_dev.txt")},
    "rc-cnn-dailymail/glove.6B.100d.txt": "",
}

_CONF = "src/main/resources/conf"
_BEWTE = {
    f"{_CONF}/rules/EN_ruleList.txt": "rules\n",
    f"{_CONF}/transformations/EN_transformsList.txt": "transforms\n",
    f"{_CONF}/transformations/EN_transformCoeffs.txt": "1\n",
    "target/dependency/a.jar": "",
    "java.py": _JAVA,
}
PROGRAMS = {"bewte": _BEWTE, "pyreval": _PYREVAL, "apes": _APES}


def write_program(name: str, folder: Path) -> dict[str, str]:
    """Write a program, and return the parameters of the metric that runs it."""
    for file, text in PROGRAMS[name].items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    if name != "bewte":
        return {f"{name}_root": str(folder), "python": sys.executable}
    java = folder / "java"
    java.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder}/java.py" "$@"\n')
    java.chmod(0o755)
    return {"bewte_root": str(folder), "java": str(java)}


def execute_here(
    command: Sequence[str], folder: Path, stdin: str
) -> subprocess.CompletedProcess[str]:
    """Run a fake program in this process, which is cheaper than starting Python."""
    script, *arguments = command if command[0].endswith("java") else command[1:]
    script += ".py" if script.endswith("java") else ""
    output, errors, code = io.StringIO(), "", 0
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.object(sys, "argv", [script, *arguments]),
            mock.patch.object(sys, "stdin", io.StringIO(stdin)),
            contextlib.redirect_stdout(output),
        ):
            runpy.run_path(script)
    except SystemExit:
        pass
    except Exception as error:
        errors, code = repr(error), 1
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(command, code, output.getvalue(), errors)

"""What to evaluate: the settings file (XML), a list of files (-z), or folders as pyrouge has them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from rubrica.cli.rouge155.options import StopError
from rubrica.data.formats.xml import parse_xml
from rubrica.errors import DataError

_FORMATS = ("SEE", "ISI", "SPL", "SIMPLE")


@dataclass(slots=True)
class Evaluation:
    """One input: its peers' files by peer id, and its models' files in order."""

    id: str
    kind: str = ""
    peers: dict[str, str] = field(default_factory=dict)
    model_ids: list[str] = field(default_factory=list)
    model_files: dict[str, str] = field(default_factory=dict)
    # pyrouge writes its lines into SEE files, whose reader ends a line at the first "<".
    cut_at_angle: bool = False

    def peer(self, peer_id: str) -> str:
        """The path of a peer's file."""
        return self.peers[peer_id]

    def models(self) -> list[str]:
        """The paths of the models. A model id used twice names its last file, which counts twice."""
        return [self.model_files[model_id] for model_id in self.model_ids]

    def add_model(self, model_id: str, path: str) -> None:
        """One more model."""
        self.model_ids.append(model_id)
        self.model_files[model_id] = path


def read_list(path: str, kind: str, system_id: str) -> list[Evaluation]:
    """Lines of `peer model1 model2 ...`; the evaluations are numbered from 1."""
    if kind not in _FORMATS:
        raise StopError(f"Unknown input format: {kind}", 25)
    evaluations: list[Evaluation] = []
    for line in _content(path).decode("utf-8", "surrogateescape").split("\n"):
        names = line.split()
        if not names or line.startswith("#"):
            continue
        if len(names) < 2:
            raise StopError(
                "File list has to have at least 2 filenames per line (peer model1 model2 ... modelN)",
                25,
            )
        evaluation = Evaluation(str(len(evaluations) + 1), kind, peers={system_id: names[0]})
        for number, name in enumerate(names[1:], 1):
            evaluation.add_model(f"M.{number}", name)
        evaluations.append(evaluation)
    return evaluations


def read_folders(
    system_dir: str, model_dir: str, system_pattern: str, model_pattern: str, system_id: str
) -> list[Evaluation]:
    """pyrouge's layout: the first group of the system pattern is what #ID# stands for in the other."""
    pattern = _pattern(system_pattern)
    try:
        names = sorted(entry.name for entry in Path(system_dir).iterdir())
        models = sorted(entry.name for entry in Path(model_dir).iterdir())
    except OSError as error:
        raise StopError(str(error), 2) from error
    evaluations: list[Evaluation] = []
    for name in names:
        match = pattern.match(name)
        if not match:
            continue
        if not pattern.groups:
            raise StopError(f"the system pattern needs a group in parentheses: {system_pattern}", 2)
        model_files = _pattern(model_pattern.replace("#ID#", match.group(1) or "0"))
        evaluation = Evaluation(str(len(evaluations) + 1), "SPL", cut_at_angle=True)
        evaluation.peers[system_id] = f"{system_dir}/{name}"
        for model in filter(model_files.match, models):
            evaluation.add_model(model, f"{model_dir}/{model}")
        if not evaluation.model_ids:
            raise StopError(f"no model file matches {model_files.pattern!r} for {name}", 2)
        evaluations.append(evaluation)
    if not evaluations:
        raise StopError(f"no file in {system_dir} matches {system_pattern!r}", 2)
    return evaluations


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise StopError(f"{text!r} is not a regular expression: {error}", 2) from error


def read_settings(path: str) -> list[Evaluation]:
    """The evaluations of a settings file, in its order."""
    content = _content(path)  # bytes: the file itself says its encoding
    try:
        root = parse_xml(content, path)
    except DataError as error:
        raise StopError(str(error)) from error
    elements = [element for element in root.iter() if _name(element) == "EVAL"]
    if not elements:
        raise StopError(f"{path}: no EVAL element, nothing to evaluate")
    if len(_files(root)) > sum(len(_files(element)) for element in elements):
        raise StopError("the settings file has files outside of EVAL elements")
    return [_evaluation(element) for element in elements]


def _name(element: Element) -> str:
    """Return an element's name, whose case does not count, as in the official program."""
    return element.tag.upper()


def _files(element: Element) -> list[Element]:
    return [child for child in element.iter() if _name(child) in ("P", "M")]


def _evaluation(element: Element) -> Evaluation:
    evaluation = Evaluation(_attribute(element, "ID"))
    roots = {_name(child): _text(child) for child in element.iter()}
    for child in element.iter():
        name = _name(child)
        if name == "INPUT-FORMAT":
            evaluation.kind = _attribute(child, "TYPE").upper()
            if evaluation.kind not in _FORMATS:
                raise StopError(f"Unknown input type: {evaluation.kind}")
        elif name == "P":
            path = f"{roots.get('PEER-ROOT', '')}/{_text(child)}"
            evaluation.peers[_attribute(child, "ID")] = path
        elif name == "M":
            path = f"{roots.get('MODEL-ROOT', '')}/{_text(child)}"
            evaluation.add_model(_attribute(child, "ID"), path)
    return evaluation


def _text(element: Element) -> str:
    return (element.text or "").strip()


def _attribute(element: Element, name: str) -> str:
    """Return an attribute, whose case counts."""
    if name not in element.attrib:
        raise StopError(f"the settings file has a {_name(element)} element without {name}")
    return element.attrib[name]


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise StopError(f"Cannot open {path}: {error.strerror}", 2) from error

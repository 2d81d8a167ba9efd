"""What to evaluate: the settings file (XML), a list of files (-z), or folders as pyrouge has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from rubrica.cli.rouge155.options import StopError

_FORMATS = ("SEE", "ISI", "SPL", "SIMPLE")


@dataclass(slots=True)
class Evaluation:
    """One input: its peers' files by peer id, and its models' files in order."""

    id: str
    kind: str = ""
    peer_root: str = ""
    model_root: str = ""
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
    reader = _SettingsReader()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    # Settings need no entities of their own; a file that declares some is not worth the risk.
    parser.EntityDeclHandler = _refuse_entities
    try:
        parser.Parse(_content(path), True)  # bytes: the file itself says its encoding
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: its encoding
        raise StopError(f"{path}: {error}") from error
    if not reader.evaluations:
        raise StopError(f"{path}: no EVAL element, nothing to evaluate")
    return reader.evaluations


def _refuse_entities(name: str, *_: object) -> None:
    raise StopError(f"the settings file declares an entity ({name}); this is not supported")


class _SettingsReader:
    """Element names count without case, attribute names with it, as in the official program."""

    def __init__(self) -> None:
        self.evaluations: list[Evaluation] = []
        self._id = self._text = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.upper()
        self._text = ""
        if name == "EVAL":
            self.evaluations.append(Evaluation(_attribute(attributes, "ID", name)))
        elif name in ("P", "M"):
            self._id = _attribute(attributes, "ID", name)
        elif name == "INPUT-FORMAT":
            kind = _attribute(attributes, "TYPE", name).upper()
            if kind not in _FORMATS:
                raise StopError(f"Unknown input type: {kind}")
            self._last.kind = kind

    def characters(self, text: str) -> None:
        self._text += text

    def end(self, name: str) -> None:
        text = self._text.strip()
        ends: dict[str, Callable[[], None]] = {
            "PEER-ROOT": lambda: setattr(self._last, "peer_root", text),
            "MODEL-ROOT": lambda: setattr(self._last, "model_root", text),
            "P": lambda: self._last.peers.update({self._id: text}),
            "M": lambda: self._last.add_model(self._id, text),
            "EVAL": self._join_roots,
        }
        ends.get(name.upper(), lambda: None)()

    @property
    def _last(self) -> Evaluation:
        if not self.evaluations:
            raise StopError("the settings file has files outside of EVAL elements")
        return self.evaluations[-1]

    def _join_roots(self) -> None:
        evaluation = self._last
        evaluation.peers = {
            key: f"{evaluation.peer_root}/{name}" for key, name in evaluation.peers.items()
        }
        evaluation.model_files = {
            key: f"{evaluation.model_root}/{name}" for key, name in evaluation.model_files.items()
        }


def _attribute(attributes: dict[str, str], name: str, element: str) -> str:
    if name not in attributes:
        raise StopError(f"the settings file has a {element} element without {name}")
    return attributes[name]


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise StopError(f"Cannot open {path}: {error.strerror}", 2) from error

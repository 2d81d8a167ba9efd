"""All outputs of REALSumm's systems: 11,490 lines a file, aligned, the judged documents among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.spelling import letters
from rubrica.datasets.raw.tree import Raw
from rubrica.datasets.realsumm.texts import between_tags, cut_at_gaps
from rubrica.text.tags import is_stand_in

# The authors' folder `aligned`, and a folder per system with its three files.
OUTPUTS = ("abs/*/out*.txt", "ext/*/out*.txt", "*_out*/out.txt")
# The judged documents alone, in the same layout.
SELECTED = "selected_docs_for_human_eval"
_ALIGNED = re.compile(r"(?:.*/)?(abs|ext)/([^/]+)/(out[^/]*)\.txt")
_SYSTEM = re.compile(r"\w+_out(?:_\w+)?")
# Its file of documents on the authors' drive is its file of summaries.
FOLDER_WITHOUT_SOURCES = "presumm_out_ext_abs"


@dataclass(frozen=True, slots=True)
class _System:
    name: str
    kind: str
    outputs: RawFile
    references: RawFile


def has_all_outputs(raw: Raw) -> bool:
    """Return whether the raw data has outputs of more than the judged documents."""
    return any(SELECTED not in file.path for file in raw.some(*OUTPUTS))


def write_all_outputs(
    raw: Raw,
    out: Output,
    places: Mapping[str, int],
    judged: Mapping[str, Judgments],
    *,
    reference: str,
) -> None:
    """Write `all.summaries.jsonl` and `all.documents.jsonl`; ids are `cnndm` and the line, from 0.

    A row of a judged document has its id there as `judged_as`, and must be the summary that was
    judged. Stand-in lines are counted as left out.
    """
    systems = _systems(raw, judged)
    if not systems:
        raise raw.missing("aligned/{abs,ext}/MODEL/out*.txt or SYSTEM/out.txt, for all outputs")
    texts = {
        (name, topic): letters(summary.text)
        for part in judged.values()
        for topic, summaries in part.summaries.items()
        for name, summary in summaries.items()
    }
    first = systems[0].outputs
    count = sum(1 for _ in first.text_lines())
    with out.opened("all.summaries.jsonl") as put:
        for system in systems:
            for number, line, reference_line in _lines(system, first, count):
                event = f"cnndm{number}"
                topic = str(places[event]) if event in places else None
                sentences = _sentences(line)
                if is_stand_in(line) or not sentences:
                    out.leave_out("documents without an aligned summary of a system")
                    continue
                known = texts.get((system.name, topic)) if topic is not None else None
                # Of four summaries by Bottom-Up a last sentence that was cut off was not judged.
                if known is not None and not letters(sentences).startswith(known):
                    message = f"is not the summary of document {topic} that was judged"
                    system.outputs.note(message, number + 1)
                    continue
                row: dict[str, Any] = {
                    "instance_id": event,
                    "summarizer_id": system.name,
                    "summarizer_type": "peer",
                    "summary": {"text": sentences},
                    "references": [
                        {"summarizer_id": reference, "text": _sentences(reference_line)}
                    ],
                    "kind": system.kind,
                }
                put(row if topic is None else {**row, "judged_as": topic})
    _write_documents(raw, out)


def _write_documents(raw: Raw, out: Output) -> None:
    """Write the documents from PtrGen's file, to which all others are aligned, or from any other."""
    files = [
        file
        for name in ("abs/ptr_generator/src.txt", "ptr_generator_out*/src.txt", "*_out*/src.txt")
        for file in raw.some(name)
        if SELECTED not in file.path and file.folder != FOLDER_WITHOUT_SOURCES
    ]
    if not files:
        return
    lines = enumerate(files[0].text_lines())
    out.write(
        "all.documents.jsonl",
        (
            {"instance_id": f"cnndm{number}", "documents": [{"text": sentences}]}
            for number, line in lines
            if (sentences := _sentences(line))
        ),
    )


def _systems(raw: Raw, judged: Mapping[str, Judgments]) -> list[_System]:
    kinds = {
        name: kind
        for kind, part in judged.items()
        for summaries in part.summaries.values()
        for name in summaries
    }
    systems = []
    for file in raw.some(*OUTPUTS):
        if SELECTED in file.path:
            continue
        if aligned := _ALIGNED.fullmatch(file.path):
            kind, name = aligned[1], f"{aligned[2]}_{aligned[3]}"
        elif _SYSTEM.fullmatch(file.folder):
            # There is one BART among these folders, the extractive one.
            kind, name = "ext", file.folder
        else:
            continue
        name = f"{name}_{kind}" if name == "bart_out" else name
        references = raw.one(file.path.removesuffix(file.name) + "ref.txt")
        # NeuSumm, an extractive system, is among the abstractive ones.
        systems.append(_System(name, kinds.get(name, kind), file, references))
    return sorted(systems, key=lambda system: (system.kind, system.name))


def _lines(system: _System, first: RawFile, count: int) -> Iterator[tuple[int, str, str]]:
    """Yield number (from 0), output and reference; all files must have the same number of lines."""
    pairs = zip_longest(system.outputs.text_lines(), system.references.text_lines())
    number = -1
    for number, (line, reference_line) in enumerate(pairs):
        if line is not None and reference_line is not None:
            yield number, line, reference_line
        else:
            file = system.outputs if line is None else system.references
            raise file.error(f"{number:,} lines, but the file beside it has more")
    if number + 1 != count:
        raise system.outputs.error(f"{number + 1:,} lines, but {first.place} has {count:,}")


def _sentences(line: str) -> list[str]:
    """Return the sentences, separated by tags, by gaps, or by gaps within one pair of tags (Bottom-Up)."""
    parts = between_tags(line) if "<t>" in line else [line]
    return [sentence for part in parts for sentence in cut_at_gaps(part)]

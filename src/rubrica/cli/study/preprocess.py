"""Convert system outputs of any shape to one summary per line, each sentence as <t> sentence </t>."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from typing import Any

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_running_text, add_tags, add_unglue
from rubrica.data.files import atomic_output, read_text_lines
from rubrica.data.jsonl import write_json, write_jsonl
from rubrica.errors import UsageError
from rubrica.study.preprocess import (
    SPLITTERS,
    Record,
    Steps,
    as_line,
    preprocess,
    text_digest,
)
from rubrica.study.shapes import (
    REF_SEPARATOR,
    SHAPES,
    Piece,
    ShapeOptions,
    TacTopics,
    read_shape,
    read_tac,
)
from rubrica.text.tags import sentences_of
from rubrica.text.truecase import Truecaser


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = "rubrica study preprocess raw/bart.txt --shape q -o tagged/bart.txt"
    shapes = "; ".join(f"{name}: {meaning}" for name, (meaning, _) in SHAPES.items())
    parser.add_argument("input", metavar="FILE", help="a system's outputs, or its references")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="where to write the result (lines of tagged sentences; JSON lines if the name ends in .jsonl; a folder for tac)",
    )
    parser.add_argument(
        "--shape",
        required=True,
        choices=[*SHAPES, "tac"],
        help=f"{shapes}; tac: JSON of topics with references and annotations",
    )
    parser.add_argument("--column", type=int, metavar="N", help="tsv: column, from 1 (default: 2)")
    parser.old_spellings["--key"] = "--field"
    parser.add_argument(
        "--field", metavar="NAME", help="jsonl: field of the text (default: decoded)"
    )
    parser.add_argument("--sep", metavar="MARK", help="sent, q and x-sep: another separator")
    parser.add_argument(
        "--join-word-pieces",
        action="store_true",
        help="join word pieces: `play ##ing` becomes `playing`",
    )
    parser.add_argument(
        "-ref_sep",
        "--ref-sep",
        metavar="MARK",
        help=f"separator of the references in a line (tac writes {REF_SEPARATOR})",
    )
    add_tags(parser)
    parser.add_argument(
        "--summarizer-id", metavar="ID", help="system in JSON lines (default: file name)"
    )
    steps = parser.add_argument_group(
        "steps", "by default, only sentences are split; each step is recorded"
    )
    steps.add_argument(
        "--splitter",
        choices=SPLITTERS,
        default="rules",
        help="sentence splitter for plain texts (default: rules)",
    )
    add_unglue(steps)
    steps.add_argument(
        "--boundaries-from",
        metavar="FILE",
        help="use the sentence boundaries of this tagged file, which has the same texts in another spelling",
    )
    add_running_text(steps)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.shape == "tac":
        return _tac(arguments, console)
    options = ShapeOptions(
        arguments.column, arguments.field, arguments.sep, arguments.ref_sep,
        arguments.join_word_pieces, arguments.tags,
    )  # fmt: skip
    documents = read_shape(arguments.input, arguments.shape, options)
    _write(arguments, console, documents, arguments.output)
    return 0


def _steps(arguments: argparse.Namespace) -> Steps:
    truecaser = None
    if arguments.truecase_from:
        lines = (line for file in arguments.truecase_from for _, line in read_text_lines(file))
        # Tagged sentences teach one by one, so that first words are known as such.
        texts = (sentence for line in lines for sentence in sentences_of(line, "repair"))
        truecaser = Truecaser.learn(texts)
    boundaries = None
    if arguments.boundaries_from:
        lines = (line for _, line in read_text_lines(arguments.boundaries_from))
        boundaries = [sentences_of(line, "repair") for line in lines]
    return Steps(arguments.splitter, arguments.unglue, arguments.detokenize, truecaser, boundaries)


def _write(
    arguments: argparse.Namespace,
    console: Console,
    documents: Iterable[list[Piece]],
    output: str,
    summarizer_id: str | None = None,
) -> None:
    record = Record()
    results = preprocess(documents, _steps(arguments), record)
    separator = arguments.ref_sep or REF_SEPARATOR
    if output.endswith((".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.bz2", ".jsonl.xz")):
        name = summarizer_id or arguments.summarizer_id
        name = name or os.path.basename(arguments.input).partition(".")[0]
        write_jsonl(output, _rows(results, name))
    else:
        with atomic_output(output) as stream:
            for texts in results:
                stream.write(as_line(texts, separator).encode() + b"\n")
    note = record.to_dict(
        input=os.path.basename(arguments.input),
        shape=arguments.shape,
        output=os.path.basename(output),
    )
    write_json(f"{output}.record.json", note)
    steps = ", ".join(record.taken()) or "none"
    console.say(
        f"{output}: {record.documents:,} documents, {record.sentences:,} sentences; steps: {steps}"
    )
    for count, what in (
        (record.empty, "empty"), (record.stand_ins, "stand-in lines (### ... ###)"),
        (record.one_sentence, "of one sentence only"),
    ):  # fmt: skip
        if count:
            console.say(f"  {count:,} texts {what}" if "only" in what else f"  {count:,} {what}")


def _rows(results: Iterable[list[list[str] | str]], name: str) -> Iterator[dict[str, Any]]:
    for number, texts in enumerate(results):
        if len(texts) > 1:
            raise UsageError(
                "several references in a line cannot be a summary: write lines, or one file each"
            )
        summary = [] if isinstance(texts[0], str) else texts[0]
        yield {
            "instance_id": str(number),
            "summarizer_id": name,
            "summarizer_type": "peer",
            "summary": summary,
            "missing": isinstance(texts[0], str),
            "text_digest": text_digest(" ".join(summary)),
        }


def _tac(arguments: argparse.Namespace, console: Console) -> int:
    """Write a folder per peer with out.txt and ref.txt, and the topics' numbers."""
    topics: TacTopics = read_tac(arguments.input)
    folder = arguments.output
    for peer in topics.peers:
        if os.path.basename(peer) != peer or peer.startswith("."):
            raise UsageError(f"the peer id {peer!r} cannot be a folder's name")
    for peer in sorted(topics.peers):
        place = os.path.join(folder, peer)
        _write(arguments, console, topics.of_peer(peer), os.path.join(place, "out.txt"))
        references = (topics.references[topic] for topic in topics.topics)
        _write(arguments, console, references, os.path.join(place, "ref.txt"))
    if topics.humans:
        console.say(f"people's summaries left out: {', '.join(sorted(topics.humans))}")
    numbered = {str(number): topic for number, topic in enumerate(topics.topics)}
    write_json(os.path.join(folder, "doc_num2topic.json"), numbered)
    return 0

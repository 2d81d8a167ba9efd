"""The metric `bewte`: BEwT-E itself, run in Java from its folder."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from rubrica.data.instance import Text
from rubrica.errors import MetricFailedError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.program import ProgramMetric, check_reference_count
from rubrica.metrics.bewte.metric import CITATION

_RESOURCES = "src/main/resources"
_WORDNET = f"{_RESOURCES}/data/wordnet3_0"
_TRANSFORMS = f"{_RESOURCES}/conf/transformations/EN_transformsList.txt"
_COEFFICIENTS = f"{_RESOURCES}/conf/transformations/EN_transformCoeffs.txt"
_RULES = f"{_RESOURCES}/conf/rules/EN_ruleList.txt"
_END_ANALYSIS = f"{_RESOURCES}/conf/endanalysis/doNothingEndAnalysisConfig.txt"
_NAMES = "bewte.names.DUCStyleNameExtractor"
_PIPE = "tratz.runpipe.impl"
_CLASSES = {"RunPipe": "tratz.runpipe.util.RunPipe", "BEXpander": "bewte.BEXpander"}
_PEER = re.compile(r"\s*Peer:(?:.*[/\\]|\s*)(\d+)\.(\d+)\s*")


@Metric.register("bewte")
class BEwTE(ProgramMetric):
    """BEwT-E (Tratz and Hovy 2008), run as the original program: overlap of basic elements, with transformations.

    A list is one sentence per line, as SacreROUGE writes it. Values are means over references.

    Args:
        bewte_root: Folder of the program; null: `$RUBRICA_BEWTE_ROOT`, or `metrics/ROUGE-BEwTE` in
            the data folder of Rubrica or SacreROUGE.
        verbose: Show what the program prints.
        java: Command that starts Java.
    """

    value_range = (0.0, 100.0)
    citation = CITATION
    variable = "RUBRICA_BEWTE_ROOT"
    folder_name = "ROUGE-BEwTE"
    program_files = (_RULES, _TRANSFORMS, _COEFFICIENTS)
    alternative = "bewte-ud (your own parses, other numbers)"
    blank_scores = {"BEwTE": {"precision": 0.0, "recall": 0.0, "f1": 0.0}}
    installation = """bewte runs BEwT-E, a Java program with a licence of its own. Put it here, or name another folder with
--bewte_root or $RUBRICA_BEWTE_ROOT:
  GIT_LFS_SKIP_SMUDGE=1 git clone https://github.com/igorbrigadir/ROUGE-BEwTE {root}
  the models (tagger, parser, OpenNLP; in the releases of that repository, or SacreROUGE's copy) in {root}/src/main/resources/models
  cd {root} && mvn package dependency:copy-dependencies
A folder that SacreROUGE set up works as it is, with mvn on the PATH."""

    def __init__(
        self, bewte_root: str | None = None, verbose: bool = False, java: str = "java"
    ) -> None:
        super().__init__(bewte_root, verbose)
        self.java = java

    def text_of(self, text: Text) -> str:
        """Return the text, a sentence per line."""
        return (text if isinstance(text, str) else "\n".join(text)).strip()

    def score_texts(
        self, summaries_list: Sequence[Sequence[str]], references_list: Sequence[Sequence[str]]
    ) -> list[list[dict[str, Any]]]:
        """Parse all texts, extract and expand their elements, and read the scores that the program prints."""
        check_reference_count("bewte", references_list)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "summaries").mkdir()
            for number, (texts, references) in enumerate(
                zip(summaries_list, references_list, strict=True)
            ):
                names = [*map(str, range(len(texts))), *ascii_uppercase[: len(references)]]
                for name, text in zip(names, [*texts, *references], strict=True):
                    (folder / "summaries" / f"{number}.{name}").write_text(text, encoding="utf-8")
            scores = dict(_peer_scores(self._run(folder)))
        try:
            return [
                [scores[group, number] for number in range(len(texts))]
                for group, texts in enumerate(summaries_list)
            ]
        except KeyError as error:
            group, number = error.args[0]
            raise MetricFailedError(
                f"bewte: the program printed no score of summary {number} of input {group}"
            ) from None

    def _run(self, folder: Path) -> str:
        """Run the four steps; return what the last prints."""
        for main, arguments, created in (
            ("RunPipe", _parsing(folder), "parsed/*"),
            ("RunPipe", _extraction(folder), "elements/*"),
            ("BEXpander", _expansion(folder), "expanded/*"),
        ):
            self._java(main, arguments, (folder, created))
        return self._java("BEwT_E", _scoring(folder), None)

    def _java(self, main: str, arguments: list[str], creates: tuple[Path, str] | None) -> str:
        if any(self.root.glob("target/dependency/*.jar")):
            path = os.pathsep.join(["target/classes", "target/*", "target/dependency/*"])
            name = _CLASSES.get(main, f"bewte.{main}")
            command = [self.java, "-cp", path, name, *arguments]
        else:
            # As SacreROUGE sets it up: Maven knows the classes by these names.
            words = " ".join(f'"{word}"' if " " in word else word for word in arguments)
            command = ["mvn", f"exec:java@{main}", f"-Dexec.args={words}"]
        return self.run_program(command, self.root, step=main, creates=creates)


def _peer_scores(output: str) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield each summary's scores: after its name one line per reference, up to `...done`."""
    lines = iter(output.splitlines())
    for line in lines:
        peer = _PEER.fullmatch(line)
        if peer is None:
            continue
        pairs = []
        for row in lines:
            if row.strip() == "...done":
                break
            if not row.startswith("Fast score"):
                pairs.append(_pair_scores(row))
        else:
            raise MetricFailedError(
                f"bewte: the program's output ends within the scores of summary {peer[2]} of input {peer[1]}"
            )
        if pairs:
            means = {key: sum(pair[key] for pair in pairs) / len(pairs) for key in pairs[0]}
            yield (int(peer[1]), int(peer[2])), {"BEwTE": means}


def _pair_scores(line: str) -> dict[str, float]:
    """Return precision, recall and F1 of a line whose fourth and fifth columns are `P:` and `R:`."""
    try:
        precision, recall = (100 * float(column[2:]) for column in line.split()[3:5])
    except ValueError:
        raise MetricFailedError(f"bewte: cannot read the program's line {line!r}") from None
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def _parsing(folder: Path) -> list[str]:
    models = f"{_RESOURCES}/models"
    return [
        *("-corpusreader", f"{_PIPE}.corpusreader.DirectoryCorpusReader"),
        f"InputDirectories={folder}/summaries",
        *("-documentreader", "bewte.io.StandardTextDocReader"),
        *("-annotator", f"{_PIPE}.annotators.sentence.BreakIteratorSentenceAnnotator"),
        "ONLY_WHEN_NECESSARY=true",
        *("-annotator", "bewte.annotators.RegexTokenizer"),
        *("-annotator", f"{_PIPE}.annotators.pos.TratzPosTaggerAnnotator"),
        *(f"ModelFile={models}/posTaggingModel.gz", f"WordNetDir={_WORDNET}"),
        *("-annotator", f"{_PIPE}.annotators.parse.TratzParserAnnotator"),
        *(f"ModelFile={models}/parseModel.gz", f"WordNetDir={_WORDNET}", "VchTransform=true"),
        *("-endpoint", f"{_PIPE}.endpoints.GzippedDocumentWriter"),
        f"OutputDir={folder}/parsed",
    ]


def _extraction(folder: Path) -> list[str]:
    arguments = [
        *("-corpusreader", f"{_PIPE}.corpusreader.GzippedCorpusReader"),
        f"InputDirectories={folder}/parsed",
        *("-annotator", f"{_PIPE}.annotators.parse.TokenFieldUpdater", f"WordNetDir={_WORDNET}"),
    ]
    for name in ("Person", "Organization", "Location"):
        arguments += [
            *("-annotator", "runpipewrappers.ner.OpenNlpNerWrapper"),
            f"ModelPath={_RESOURCES}/models/opennlp/{name.lower()}.bin.gz",
            f"AnnotationClass=tratz.runpipe.annotations.{name}Annotation",
        ]
    endpoint = ["-endpoint", "bewte.beextraction.BasicElementExtractor"]
    return [*arguments, *endpoint, f"OutputDir={folder}/elements"]


def _expansion(folder: Path) -> list[str]:
    files = [f"{folder}/elements", f"{folder}/expanded"]
    return [*files, _WORDNET, "0", "-1", r".*[A-Z_\-]+", _TRANSFORMS, _NAMES]


def _scoring(folder: Path) -> list[str]:
    return [
        *(f"{folder}/expanded", f"{folder}/system-level.txt", f"{folder}/summary-level.txt"),
        *("bewte.scoring.TallyFunction$BinaryTallyFunction", "false"),
        *(_RULES, _TRANSFORMS, _COEFFICIENTS, r"[A-Z_\-]+", _END_ANALYSIS, _NAMES, ".*"),
    ]

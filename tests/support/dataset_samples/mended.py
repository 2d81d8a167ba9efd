"""Samples without the faults at which SacreROUGE's readers stop."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from support.dataset_samples import cnn, duc, duc_early, multiling, pairs, tac
from support.dataset_samples.build import ARCHIVES, Tree, json_lines


def fabbri2020() -> Tree:
    """Every judged summary is among the outputs, every row has its document, an id and a summary."""
    tree = cnn.fabbri2020()
    topic, path = f"dm-test-{cnn.HASH}", f"cnndm/dailymail/stories/{cnn.HASH}.story"
    other = {"id": "dm-test-abc", "filepath": "cnndm/dailymail/stories/abc.story"}
    row = {
        "id": topic,
        "filepath": path,
        "text": "Paragraph one. Paragraph two.",
        "references": ["Ground truth.", *(f"Crowd {n}." for n in range(1, 11))],
        "expert_annotations": [cnn.rating(5), cnn.rating(4), cnn.rating(5)],
        "turker_annotations": [cnn.rating(n) for n in (1, 2, 3, 4, 5)],
    }
    texts = {"M0": "lead .", "M8": "the judged text ."}
    tree["model_annotations.aligned.jsonl"] = json_lines(
        *({**row, "model_id": name, "decoded": text} for name, text in texts.items())
    )
    for name, file in (("M0", "outputs"), ("M8", "outputs_ptrgen+cov")):
        judged = {"id": topic, "filepath": path, "reference": "ground truth ."}
        tree[f"{name}.tar.gz"] = {
            f"{name}/aligned/{file}.aligned.jsonl": json_lines(
                # Another text of the same id, which was not judged.
                {**judged, "decoded": "another text ."},
                {**judged, "decoded": texts[name]},
                {**other, "decoded": "again .", "reference": "other ."},
            )
        }
    return tree


def nytimes() -> Tree:
    """No empty line among the ids, and no entity or tag within a line of text."""
    tree = pairs.nytimes()
    month = "nyt_corpus/data/1987/01.tgz"
    articles = {
        name: text.replace("&mdash; ", "").replace("<em>", "").replace("</em>", "")
        for name, text in tree["LDC2008T19.tgz"][month].items()
    }
    return {**tree, "LDC2008T19.tgz": {month: articles}, "mapping_test.txt": "4\n"}


def multiling2015() -> Tree:
    """No folder that is not a language."""
    tree = multiling.multiling2015()
    archive = tree["multilingMss2015Eval.tar.gz"]
    kept = {name: text for name, text in archive.items() if "/simple/" not in name}
    return {**tree, "multilingMss2015Eval.tar.gz": kept}


def duc2002() -> Tree:
    """Extracts whose tags are closed and whose ids are right, and tables with headings of full length."""
    tree = duc_early.duc2002()
    archive = "duc2002extractsandabstracts.tar.gz"
    texts = {
        name: text.replace("here. <s>", "here. </s>")
        .replace("-\r\n", "-")
        .replace("AP890729", "AP880729")
        for name, text in tree[archive].items()
    }
    lengths = {"abstracts/phase1/short.results.table": 37, "extracts/extracts.results.table": 14}
    return {**tree, archive: texts, "results": _headed(tree["results"], lengths)}


def duc2004() -> Tree:
    """Tables with headings of full length."""
    tree = duc_early.duc2004()
    lengths = {f"duc2004_results/SEE/short.results.table{n}": 34 for n in (2, 5)}
    lengths["duc2004_results/Responsiveness/results.table.R"] = 7
    return {
        **tree,
        "duc2004_results.tgz": _headed(tree["duc2004_results.tgz"], lengths),
    }


def _headed(files: Tree, lengths: Mapping[str, int]) -> Tree:
    """Return files with tables that have so many lines above their rows."""
    heading = duc_early.HEADING
    return files | {
        name: "-\n" * (length - heading.count("\n")) + files[name]
        for name, length in lengths.items()
    }


def duc2007() -> Tree:
    """A peer in every set, and pyramids that say where a reference begins."""
    tree = duc.duc2007()
    start = r"<startDocumentRegEx><![CDATA[-+\n \S+\n-+]]></startDocumentRegEx>"
    files = {
        name: text.replace("<pyramid><text>", f"<pyramid>{start}<text>")
        for name, text in tree["updateEval.tar.gz"].items()
    }
    files["updateEval/ROUGE/peers/D0703-C.M.100.A.39"] = "Ccars.\n"
    return {**tree, "updateEval.tar.gz": files}


SAMPLES: dict[str, Callable[[], Tree]] = {
    "duc2002": duc2002,
    "duc2004": duc2004,
    "duc2007": duc2007,
    "fabbri2020": fabbri2020,
    "multiling2015": multiling2015,
    "nytimes": nytimes,
}


def reordered(made: Callable[[], Tree], *others: tuple[str, str]) -> Tree:
    """Return a sample with more topics and systems, whose archives are in the reverse of their order.

    Each of `others` is a pattern of an id, and another id, which gets copies of all that the first has.
    """
    tree = made()
    for pattern, other in others:
        tree = _copied(tree, re.compile(pattern), other)
    return _reversed(tree)


def _copied(tree: Tree, known: re.Pattern[str], other: str) -> Tree:
    result: Tree = {}
    for name, content in tree.items():
        if isinstance(content, Mapping):
            result[name] = _copied({**content}, known, other)
        elif known.search(name):
            result[name] = content
            result[known.sub(other, name)] = _renamed(content, known, other)
        else:
            result[name] = _with_copies(content, known, other)
    return result


def _renamed(content: Any, known: re.Pattern[str], other: str) -> Any:
    return known.sub(other, content) if isinstance(content, str) else content


def _with_copies(content: Any, known: re.Pattern[str], other: str) -> Any:
    """Return a table with more rows, or a list of topics with more topics; other texts as they are."""
    if not isinstance(content, str) or not known.search(content) or "<pyramid>" in content:
        return content
    if "<" in content:
        return content + known.sub(other, content)
    rows = [line for line in content.splitlines(keepends=True) if known.search(line)]
    return content + known.sub(other, "".join(rows))


def _reversed(tree: Tree) -> Tree:
    return {
        name: _backwards(content)
        if name.endswith(ARCHIVES)
        else _reversed(content)
        if isinstance(content, dict)
        else content
        for name, content in tree.items()
    }


def _backwards(content: Any) -> Any:
    """Return the files of an archive, and of those inside, from the last to the first."""
    if not isinstance(content, dict):
        return content
    return {name: _backwards(inner) for name, inner in reversed(content.items())}


def fabbri2020_rows() -> Tree:
    """Judged summaries of two inputs in turns, and not by their ids."""
    tree = fabbri2020()
    first = json.loads(tree["model_annotations.aligned.jsonl"].splitlines()[0])
    other = {**first, "id": "dm-test-abc", "filepath": "cnndm/dailymail/stories/abc.story"}
    other |= {"decoded": "again .", "text": "(CNN) A line without a stop"}
    judged = {**first, "model_id": "M8", "decoded": "the judged text ."}
    tree["model_annotations.aligned.jsonl"] = json_lines(
        judged, {**other, "model_id": "M0"}, first, {**other, "model_id": "M8"}
    )
    return tree


def kryscinski2019_rows() -> Tree:
    """Claims about two inputs in turns."""
    tree = cnn.kryscinski2019()
    archive = {}
    for name, text in tree["unpaired_annotated_data.tar.gz"].items():
        right, wrong = map(json.loads, text.splitlines())
        archive[name] = json_lines(wrong, {**wrong, "id": "cnn-test-0"}, right)
    return {**tree, "unpaired_annotated_data.tar.gz": archive}


REORDERED: dict[str, Callable[[], Tree]] = {
    "duc2001": partial(reordered, duc_early.duc2001),
    "duc2002": partial(reordered, duc2002, ("061", "063"), (r"\b16\b", "102")),
    "duc2003": partial(
        reordered, duc_early.duc2003, ("30003", "30005"), ("305", "306"), ("981005", "981006")
    ),
    "duc2004": partial(
        reordered,
        duc2004,
        ("30001", "30002"),
        ("132", "133"),
        (r"\b102\b", "17"),
        ("981016", "981017"),
    ),
    "duc2005": partial(reordered, duc.duc2005, ("311", "312"), (r"\b14\b", "2")),
    "duc2006": partial(reordered, duc.duc2006, ("0631", "0632")),
    "duc2007": partial(
        reordered,
        duc2007,
        ("0701", "0702"),
        ("0703", "0704"),
        (r"\b39\b", "4"),
        (r"\b23\b", "4"),
    ),
    "fabbri2020": partial(reordered, fabbri2020_rows),
    "kryscinski2019": partial(reordered, kryscinski2019_rows),
    "multiling2011": partial(reordered, multiling.multiling2011),
    "multiling2013": partial(reordered, multiling.multiling2013, (multiling.HASH, "f" * 32)),
    "multiling2015": partial(reordered, multiling2015, (multiling.HASH, "f" * 32)),
    "multiling2017": partial(reordered, multiling.multiling2017, (multiling.HASH, "f" * 32)),
    "tac2008": partial(reordered, tac.tac2008, ("0801", "0802")),
    "tac2009": partial(reordered, tac.tac2009, ("0901", "0902")),
    "tac2010": partial(reordered, tac.tac2010, ("1001", "1002")),
    "tac2011": partial(reordered, tac.tac2011, ("1101", "1102")),
}

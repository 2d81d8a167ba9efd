"""Samples without the faults at which SacreROUGE's readers stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from support.dataset_samples import cnn, duc, duc_early, multiling, pairs
from support.dataset_samples.build import Tree, json_lines


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

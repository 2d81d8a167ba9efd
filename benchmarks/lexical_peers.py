"""The public programs that compute what our lexical metrics do: each a function, or None where it is not.

A peer takes summaries, lists of references and lists of documents, and gives for each summary the
numbers that `Row.values` picks of ours. They are timed as they come, with what they do per call.
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Texts = Sequence[str]
Lists = Sequence[Sequence[str]]
Peer = Callable[[Texts, Lists, Lists], list[list[float]]]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@cache
def _s3_utils() -> Any:
    """SummEval's copy of Peyrard's functions; it reads NLTK's stop words, which NLTK would download."""
    nltk = _module("nltk")
    if nltk is None or _module("summ_eval") is None:
        return None
    from rubrica.text.stopwords import stopwords

    folder = Path(tempfile.mkdtemp(prefix="nltk_data")) / "corpora" / "stopwords"
    folder.mkdir(parents=True)
    (folder / "english").write_text("\n".join(sorted(stopwords("nltk"))), "utf-8")
    nltk.data.path.insert(0, str(folder.parents[1]))
    try:
        return _module("summ_eval.s3_utils")
    finally:
        shutil.rmtree(folder.parents[1])


def js() -> Peer | None:
    """SummEval's JS-1 and JS-2 (a stemmed Python program on NLTK)."""
    theirs = _s3_utils()
    if theirs is None:
        return None
    return lambda summaries, references, _: [
        [-theirs.JS_eval([one], [[text] for text in texts], n, True) for n in (1, 2)]
        for one, texts in zip(summaries, references, strict=True)
    ]


def rouge_we() -> Peer | None:
    """SummEval's ROUGE-WE 1 to 3, given the same vectors in a dict."""
    theirs = _s3_utils()
    if theirs is None:
        return None
    vectors: dict[str, Any] = {}

    def run(summaries: Texts, references: Lists, _: Lists) -> list[list[float]]:
        _learn(vectors, [*summaries, *(text for texts in references for text in texts)])
        return [
            [
                theirs.rouge_n_we([one], [[text] for text in texts], vectors, n, 0.5, False, True)
                for n in (1, 2, 3)
            ]
            for one, texts in zip(summaries, references, strict=True)
        ]

    return run


def _learn(vectors: dict[str, Any], texts: Texts) -> None:
    """Vectors of words that are not there yet; SummEval holds all of a file in such a dict."""
    from rubrica.text.embeddings import load_embeddings

    table = load_embeddings("glove-6b-50d")
    new = sorted({w.lower() for text in texts for w in re.findall(r"\w+", text)} - vectors.keys())
    known = table.rows(new) >= 0
    vectors.update(
        (word, vector)
        for word, vector, there in zip(new, table.vectors(new), known, strict=True)
        if there
    )


def cider() -> Peer | None:
    """SummEval's CIDEr-D, with its tokenizer."""
    theirs, nltk = _module("summ_eval.cider_utils"), _module("nltk.tokenize")
    if theirs is None or nltk is None:
        return None
    words = nltk.RegexpTokenizer(r"\w+").tokenize

    def run(summaries: Texts, references: Lists, _: Lists) -> list[list[float]]:
        scorer = theirs.CiderScorer(n=4, sigma=6.0)
        for one, texts in zip(summaries, references, strict=True):
            scorer += (" ".join(words(one)), [" ".join(words(text)) for text in texts])
        return [[value] for value in scorer.compute_score()[1]]

    return run


def data_stats() -> Peer | None:
    """Newsroom's fragments, as SummEval has them, on what blanks separate."""
    theirs = _module("summ_eval.data_stats_utils")
    if theirs is None:
        return None

    def one(summary: str, document: str) -> list[float]:
        found = theirs.Fragments(summary, document)
        return [found.coverage(), found.density(), found.compression()]

    return lambda summaries, _, documents: [
        one(summary, texts[0]) for summary, texts in zip(summaries, documents, strict=True)
    ]


def stemmers() -> dict[str, tuple[str, Callable[[list[str]], list[str]]]]:
    """Stemmers of packages: name -> (ours, theirs); PyStemmer's has no equal among ours."""
    found: dict[str, tuple[str, Callable[[list[str]], list[str]]]] = {}
    nltk = _module("nltk.stem")
    if nltk is not None:
        porter, snowball = nltk.PorterStemmer().stem, nltk.SnowballStemmer("english").stem
        found["NLTK's PorterStemmer"] = ("porter-nltk", lambda words: list(map(porter, words)))
        found["NLTK's SnowballStemmer"] = ("porter2-nltk", lambda words: list(map(snowball, words)))
    pystemmer = _module("Stemmer")
    if pystemmer is not None:
        # Without its cache of stems, which would make it a dict.
        found["PyStemmer (Snowball 3)"] = ("porter2", pystemmer.Stemmer("english", 0).stemWords)
    return found


def meteor() -> Peer | None:
    """METEOR 1.5 itself, the jar that pycocoevalcap carries, in one process for all pairs."""
    java, package = shutil.which("java"), _module("pycocoevalcap")
    if java is None or package is None:
        return None
    jar = Path(package.__path__[0]) / "meteor" / "meteor-1.5.jar"

    def run(summaries: Texts, references: Lists, _: Lists) -> list[list[float]]:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, "hypotheses"), Path(folder, "references")]
            lines = [" ".join(one.split()) for one in summaries]
            files[0].write_text("\n".join(lines) + "\n", "utf-8")
            lines = [" ".join(texts[0].split()) for texts in references]
            files[1].write_text("\n".join(lines) + "\n", "utf-8")
            words = [java, "-Xmx2G", "-jar", jar, *files, "-l", "en", "-norm"]
            words += ["-m", "exact stem synonym"]
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
        found = re.findall(r"^Segment \d+ score:\s+(\S+)", done.stdout, re.MULTILINE)
        return [[float(value)] for value in found]

    return run

"""CIDEr-D: tf-idf weighted n-grams of a summary and its references, compared as vectors."""

from __future__ import annotations

import copy
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from rubrica.core import kernels
from rubrica.core.rouge_options import LONGEST_GRAM
from rubrica.data.files import content_name, read_text_lines
from rubrica.data.instance import EvalInstance, ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.pairwise import PairwiseMetric

_WORD = re.compile(r"\w+")

Examples = Sequence[Sequence[ReferenceType]]


@Metric.register("cider")
class Cider(PairwiseMetric):
    """CIDEr-D: tf-idf similarity of the n-grams of a summary and its references; rare n-grams weigh more.

    What is rare is counted in the references of all inputs that are scored together, or in a corpus
    of your own; a single input by itself scores 0. Empty texts score 0.

    Args:
        n: Longest n-grams, in words.
        sigma: Width of the penalty for a difference in length.
        tokenize: Words are runs of letters and digits; false: split at spaces.
        lowercase: Ignore case.
        corpus: File of references for document frequencies; each line is one text or a JSON list of
            texts.
    """

    value_range = (0.0, 10.0)
    citation = """@inproceedings{vedantam-etal-2015-cider,
    title = "{CIDE}r: Consensus-based image description evaluation",
    author = "Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi",
    booktitle = "Proceedings of the IEEE Conference on Computer Vision and Pattern Recognition",
    year = "2015", pages = "4566--4575", doi = "10.1109/CVPR.2015.7299087"}"""

    def __init__(
        self,
        n: int = 4,
        sigma: float = 6.0,
        tokenize: bool = True,
        lowercase: bool = False,
        corpus: str | None = None,
    ) -> None:
        super().__init__()
        if not 1 <= n <= LONGEST_GRAM:
            raise ParameterError(f"cider: n must be between 1 and {LONGEST_GRAM:,}, not {n}")
        if not 0 < sigma < math.inf:
            raise ParameterError(f"cider: sigma must be greater than 0, not {sigma}")
        self.n, self.sigma, self.tokenize, self.lowercase = n, sigma, tokenize, lowercase
        self.corpus = corpus
        # The references of the scored inputs, if known, and their n-grams.
        self._inputs: list[list[str]] | None = None
        self._counted: Any = None
        self.needs_whole_input = corpus is None
        if corpus is not None:
            # Report an unreadable file now.
            _read_corpus(corpus)

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Return a copy that counts n-grams in the references of these inputs, each input once."""
        if not self.needs_whole_input:
            return self
        inputs: dict[str, dict[str, None]] = {}
        for instance in instances:
            texts = map(flatten, instance.fields.get("references", ()))
            inputs.setdefault(instance.instance_id, {}).update(dict.fromkeys(texts))
        scorer = copy.copy(self)
        scorer._inputs = [list(texts) for texts in inputs.values()]
        scorer.needs_whole_input = False
        return scorer

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the kernels' counts: other processes count again."""
        return {**self.__dict__, "_counted": None}

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters, with the corpus by name and content; an input is identified by its digest."""
        parameters = super().signature_parameters()
        if self.corpus is not None:
            parameters["corpus"] = content_name(self.corpus)
        elif self._inputs is not None:
            digest = hashlib.blake2b(msgspec.msgpack.encode(self._inputs), digest_size=4)
            parameters["corpus"] = f"input@{digest.hexdigest()}"
        return parameters

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Score each summary against the reference at the same index; each reference is one example."""
        frequencies = self._frequencies([[reference] for reference in references])
        return self._similarities(frequencies, list(zip(summaries, references, strict=True)))

    def _score_all_pairs(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[list[MetricsDict]]]:
        rows = self._rows((summaries_list, references_list))
        pairs = [
            (summary, reference)
            for summaries, references in rows
            for summary in summaries
            for reference in references
        ]
        scored = iter(self._similarities(self._frequencies(references_list), pairs))
        return [
            [[next(scored) for _ in references] for _ in summaries]
            for summaries, references in rows
        ]

    def _similarities(
        self, frequencies: Any, pairs: Sequence[tuple[SummaryType, ReferenceType]]
    ) -> list[MetricsDict]:
        # Count each text once: it is the same object in all its pairs.
        places: dict[int, int] = {}
        texts: list[list[str]] = []
        for text in (text for pair in pairs for text in pair):
            if id(text) not in places:
                places[id(text)] = len(texts)
                texts.append(self._words(text))
        indices = [(places[id(summary)], places[id(reference)]) for summary, reference in pairs]
        numbers = np.array(indices, dtype=np.int64).reshape(-1, 2)
        scores = kernels.cider_similarities(frequencies, texts, numbers, self.sigma)
        return [MetricsDict({"cider": value}) for value in scores.tolist()]

    def _frequencies(self, examples: Examples) -> Any:
        """Return document frequencies from the corpus, the whole input, or else these examples."""
        if self.corpus is None and self._inputs is None:
            return self._count(examples)
        if self._counted is None:
            known = self._inputs if self.corpus is None else _read_corpus(self.corpus)
            self._counted = self._count(known or [])
        return self._counted

    def _count(self, examples: Examples) -> Any:
        return kernels.cider_frequencies(
            [[self._words(reference) for reference in references] for references in examples],
            self.n,
        )

    def _words(self, text: SummaryType) -> list[str]:
        joined = flatten(text)
        if self.lowercase:
            joined = joined.lower()
        return _WORD.findall(joined) if self.tokenize else joined.split()


@lru_cache(4)
def _read_corpus(path: str) -> list[list[str]]:
    """Return the references of a corpus, read once in this process."""
    examples = [_example(line, path, number) for number, line in read_text_lines(path)]
    if not examples:
        raise DataError("no references in this corpus: a line per input was expected", file=path)
    return examples


def _example(line: str, path: str, number: int) -> list[str]:
    if not line.startswith("["):
        return [line]
    try:
        return msgspec.json.decode(line, type=list[str])
    except (msgspec.DecodeError, RecursionError) as error:
        raise DataError(
            f"expected a text or a JSON list of texts: {error}", file=path, line=number
        ) from error

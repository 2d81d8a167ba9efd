"""CIDEr-D: tf-idf weighted n-grams of a summary and its references, compared as vectors."""

from __future__ import annotations

import copy
import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from rubrica.data.files import content_name, read_text_lines
from rubrica.data.instance import EvalInstance, ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError, ParameterError
from rubrica.metrics.base import Metric
from rubrica.metrics.pairwise import PairwiseMetric

_WORD = re.compile(r"\w+")

Gram = tuple[str, ...]


class DocumentFrequencies:
    """In how many of the examples n-grams occur; an example is the references of one input."""

    def __init__(self, examples: int, counts: Mapping[Gram, int]) -> None:
        self.counts = counts
        # An n-gram that no example has counts as one that a single example has.
        most = max(counts.values(), default=0)
        logs = [math.log(max(1, number)) for number in (examples, *range(most + 1))]
        self._idf = [logs[0] - log for log in logs[1:]]

    def weights(self, counts: Mapping[Gram, int]) -> dict[Gram, float]:
        """Each n-gram's count times its inverse document frequency."""
        known, idf = self.counts.get, self._idf
        return {gram: count * idf[known(gram, 0)] for gram, count in counts.items()}


@dataclass(frozen=True, slots=True)
class Vectors:
    """A text's weights by n-gram, their norms, and its length in bigrams."""

    weights: list[dict[Gram, float]]
    norms: list[float]
    length: int


Reader = Callable[[SummaryType], Vectors]


@Metric.register("cider")
class Cider(PairwiseMetric):
    """CIDEr-D: how alike the rarer n-grams of a summary and its references are, by tf-idf.

    What is rare is counted in the references of all inputs that are scored together, or in a corpus
    of your own; a single input by itself scores 0. Empty texts score 0.

    Args:
        n: Longest n-grams, in words.
        sigma: Width of the penalty for a difference in length.
        tokenize: Take runs of letters and digits as words; else what blanks separate.
        lowercase: Compare without case.
        corpus: File of the references that rarity is counted in: a line is one text, or a JSON list of texts.
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
        if n < 1:
            raise ParameterError(f"cider: n must be at least 1, not {n}")
        if not 0 < sigma < math.inf:
            raise ParameterError(f"cider: sigma must be greater than 0, not {sigma}")
        self.n, self.sigma, self.tokenize, self.lowercase = n, sigma, tokenize, lowercase
        self.corpus = corpus
        self._learned: tuple[DocumentFrequencies, str] | None = None
        self.needs_whole_input = corpus is None
        if corpus is not None:
            # A file that cannot be read is told now.
            self._of_corpus(corpus)

    def for_input(self, instances: Sequence[EvalInstance]) -> Metric:
        """A copy that counts n-grams in the references of these inputs, each input once."""
        if not self.needs_whole_input:
            return self
        inputs: dict[str, dict[str, None]] = {}
        for instance in instances:
            texts = map(flatten, instance.fields.get("references", ()))
            inputs.setdefault(instance.instance_id, {}).update(dict.fromkeys(texts))
        told = copy.copy(self)
        examples = [list(texts) for texts in inputs.values()]
        digest = hashlib.blake2b(msgspec.msgpack.encode(examples), digest_size=4).hexdigest()
        told._learned = self._frequencies(examples), digest
        told.needs_whole_input = False
        return told

    def signature_parameters(self) -> dict[str, str]:
        """The corpus by name and content; of an input that was read, its digest."""
        shown = super().signature_parameters()
        if self.corpus is not None:
            shown["corpus"] = content_name(self.corpus)
        elif self._learned is not None:
            shown["corpus"] = f"input@{self._learned[1]}"
        return shown

    def score_pairs(
        self, summaries: Sequence[SummaryType], references: Sequence[ReferenceType]
    ) -> list[MetricsDict]:
        """Each summary against the reference at the same place, which is an example by itself."""
        read = self._reader([[one] for one in references])
        return [self._pair(read, *pair) for pair in zip(summaries, references, strict=True)]

    def _score_all_pairs(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[list[MetricsDict]]]:
        rows = self._rows((summaries_list, references_list))
        read = self._reader(references_list)
        return [
            [[self._pair(read, summary, one) for one in references] for summary in summaries]
            for summaries, references in rows
        ]

    def _pair(self, read: Reader, summary: SummaryType, reference: ReferenceType) -> MetricsDict:
        return MetricsDict({"cider": self._similarity(read(summary), read(reference))})

    def _reader(self, examples: Sequence[Sequence[ReferenceType]]) -> Reader:
        """Makes the vectors of texts, each once; a text is the same object in all its pairs."""
        counted: dict[int, list[Counter[Gram]]] = {}
        if self.corpus is not None:
            frequencies = self._of_corpus(self.corpus)
        elif self._learned is not None:
            frequencies = self._learned[0]
        else:
            frequencies = self._frequencies(examples, counted)
        made: dict[int, Vectors] = {}

        def read(text: SummaryType) -> Vectors:
            if id(text) not in made:
                counts = counted.get(id(text)) or self._counts(text)
                weights = [frequencies.weights(one) for one in counts]
                norms = [math.hypot(*one.values()) for one in weights]
                # The original takes the number of bigrams for the length.
                length = max(0, counts[0].total() - 1)
                made[id(text)] = Vectors(weights, norms, length)
            return made[id(text)]

        return read

    def _similarity(self, own: Vectors, other: Vectors) -> float:
        total = 0.0
        for k in range(self.n):
            weights = other.weights[k]
            mine = own.weights[k]
            dot = 0.0
            for gram in [one for one in mine if one in weights]:
                theirs = weights[gram]
                dot += min(mine[gram], theirs) * theirs
            norm = own.norms[k] * other.norms[k]
            total += dot / norm if norm else dot
        apart = own.length - other.length
        return 10 * math.exp(-(apart**2) / (2 * self.sigma**2)) * total / self.n

    def _counts(self, text: SummaryType) -> list[Counter[Gram]]:
        """How often the text has each n-gram, for every n."""
        words = self._words(text)
        return [
            Counter(zip(*(words[start:] for start in range(k)), strict=False))
            for k in range(1, self.n + 1)
        ]

    def _words(self, text: SummaryType) -> list[str]:
        joined = flatten(text)
        if self.lowercase:
            joined = joined.lower()
        return _WORD.findall(joined) if self.tokenize else joined.split()

    def _frequencies(
        self,
        examples: Sequence[Sequence[ReferenceType]],
        counted: dict[int, list[Counter[Gram]]] | None = None,
    ) -> DocumentFrequencies:
        """Counted in these examples; what was counted of each text is put into `counted`."""
        found: Counter[Gram] = Counter()
        for references in examples:
            grams: dict[Gram, None] = {}
            for reference in references:
                counts = self._counts(reference)
                if counted is not None:
                    counted[id(reference)] = counts
                for one in counts:
                    grams.update(dict.fromkeys(one))
            found.update(grams.keys())
        # A Counter is slow to say that it has not counted something.
        return DocumentFrequencies(len(examples), dict(found))

    def _of_corpus(self, path: str) -> DocumentFrequencies:
        return _read_corpus(path, self.n, self.tokenize, self.lowercase)


@lru_cache(4)
def _read_corpus(path: str, n: int, tokenize: bool, lowercase: bool) -> DocumentFrequencies:
    """A corpus is counted once for all metrics that read its words alike, in this process."""
    examples = [_example(line, path, number) for number, line in read_text_lines(path)]
    if not examples:
        raise DataError("no references in this corpus: a line per input was expected", file=path)
    return Cider(n, tokenize=tokenize, lowercase=lowercase)._frequencies(examples)


def _example(line: str, path: str, number: int) -> list[str]:
    if not line.startswith("["):
        return [line]
    try:
        return msgspec.json.decode(line, type=list[str])
    except msgspec.DecodeError as error:
        raise DataError(
            f"expected a text or a JSON list of texts: {error}", file=path, line=number
        ) from error

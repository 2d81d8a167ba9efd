"""Run the original program of SUPERT on a checkpoint of your own, on a CPU and with current packages.

The checkout (github.com/danieldeutsch/SUPERT, which SacreROUGE runs, or yg211/acl20-ref-free-eval) is run unchanged.
The names that it takes from the old package pytorch_transformers load the checkpoint; its own download of a model,
and NLTK's downloads of Punkt and of stop words, are replaced by the checkpoint and by Rubrica's copies.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from rubrica.text.sentences import punkt_tokenizer

Scorer = Callable[[Sequence[str], Sequence[str]], list[float]]
_UNUSED = (
    *("RobertaModel", "RobertaTokenizer", "XLNetModel", "XLNetTokenizer"),
    *("AdamW", "WarmupLinearSchedule"),
)


def load_supert(checkout: Path, folder: Path) -> Scorer:
    """Return a function that scores the summaries of one input, given its documents."""
    sys.modules["pytorch_transformers"] = _transformers()
    sys.path.insert(0, str(checkout))
    package = import_module("sentence_transformers")
    models = import_module("sentence_transformers.models")
    bert = models.BERT(str(folder))
    pooling = models.Pooling(bert.get_word_embedding_dimension())
    program: Any = import_module("ref_free_metrics.supert")
    files: Any = import_module("utils.data_reader")
    program.SentenceTransformer = lambda _: package.SentenceTransformer(
        modules=[bert, pooling], device="cpu"
    )
    program.stopwords = _StopWords()
    program.sent_tokenize = files.sent_tokenize = punkt_tokenizer()
    late = hasattr(program.Supert, "load_documents")
    metric = program.Supert() if late else None

    def score(summaries: Sequence[str], documents: Sequence[str]) -> list[float]:
        with TemporaryDirectory() as temporary:
            inputs = Path(temporary) / "input_docs"
            inputs.mkdir()
            for number, text in enumerate(documents):
                page = f"<TEXT>\n{text}\n</TEXT>\n"
                (inputs / f"{number}.txt").write_text(page, encoding="utf-8")
            texts = files.CorpusReader(temporary)()
        if metric is None:
            return _numbers(program.Supert(texts)(summaries))
        metric.load_documents(texts)
        return _numbers(metric(summaries))

    return score


def _numbers(scores: Sequence[float | None]) -> list[float]:
    """Return scores, 0 for an empty summary, as SacreROUGE does."""
    return [0.0 if value is None else float(value) for value in scores]


class _StopWords:
    """The part of NLTK's corpus of stop words that the program calls."""

    def words(self, _: str) -> list[str]:
        from rubrica.text.stopwords import stopwords

        return sorted(stopwords("nltk"))


def _transformers() -> ModuleType:
    """Return a module of the old package's names, of which only BERT's are used."""
    from transformers import BertModel, BertTokenizer

    class Model(BertModel):  # type: ignore[misc]
        def forward(self, **inputs: Any) -> Any:
            return super().forward(**inputs, return_dict=True).to_tuple()

    names: Any = ModuleType("pytorch_transformers")
    names.BertModel, names.BertTokenizer = Model, BertTokenizer
    for name in _UNUSED:
        setattr(names, name, None)
    module: ModuleType = names
    return module

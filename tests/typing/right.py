"""Code as users write it; type checkers find nothing wrong with it, and know what everything is."""

from typing import assert_type

import rubrica
from rubrica import (
    Comparison,
    DatasetReader,
    EvalInstance,
    Evaluation,
    MetaEvaluation,
    Metric,
    Metrics,
    MetricsDict,
)
from rubrica.comparison import compare
from rubrica.metrics import BertScore, Bleu, ReferenceBasedMetric, Rouge

rouge = Rouge(max_ngram=2, use_porter_stemmer=False)
assert_type(rouge, Rouge)
assert_type(rouge.score("a summary", ["a reference"]), MetricsDict)
assert_type(rouge.score_all(["a summary"], [["a reference"]]), list[MetricsDict])
assert_type(Bleu(), Bleu)
assert_type(BertScore.name, str)
assert_type(rubrica.__version__, str)

reader = DatasetReader.from_config("reference-based")
instances = list(reader.read("summaries.jsonl"))
assert_type(instances, list[EvalInstance])
evaluation, rows = rubrica.evaluate(instances, [rouge, "chrf", {"type": "bleu"}], workers=2)
assert_type(evaluation, Evaluation)
assert_type(rows, list[Metrics])
assert_type(evaluation.systems["lead3"].scores["rouge-1.f1"].value, float)
assert_type(rubrica.score(instances, ["rouge"]), list[Metrics])
correlation = rubrica.correlate("scores.csv", "rouge-1.f1", "relevance")
assert_type(correlation.value, float | None)
ranking = rubrica.meta_evaluate("scores.csv", humans="relevance")
assert_type(ranking, MetaEvaluation)
assert_type(rubrica.load("rouge"), Metric)
assert_type(rubrica.report(ranking, "page.html"), str)
assert_type(rubrica.explain("a cat", "the cat").to_json(), str)
assert_type(compare({"a": ["x"], "b": ["y"]}, [["z"]], ["rouge"]), Comparison)


@Metric.register("word-count")
class WordCount(ReferenceBasedMetric):
    """The number of words."""

    def score_one(self, summary: str, references: list[str]) -> dict[str, float]:
        """Return the scores of one summary."""
        return {"words": float(len(summary.split()))}


assert_type(WordCount(), WordCount)
assert_type(rubrica.meta_evaluate("scores.jsonl", humans=["relevance"]), rubrica.MetaEvaluation)
assert_type(rubrica.report(evaluation, "page.html"), str)

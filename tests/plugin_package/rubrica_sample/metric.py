"""The metric `novelty`."""

from collections.abc import Sequence

from rubrica.data import flatten
from rubrica.metrics import DocumentBasedMetric


class Novelty(DocumentBasedMetric):
    """Share of the summary's words that no document has.

    Args:
        lowercase: Compare without case.
    """

    value_range = (0.0, 1.0)
    direction = "none"
    citation = "@misc{sample, title = {A sample}}"

    def __init__(self, lowercase: bool = True) -> None:
        super().__init__()
        self.lowercase = lowercase

    def score_one(
        self, summary: str | Sequence[str], documents: Sequence[str | Sequence[str]]
    ) -> dict[str, float]:
        known = {word for text in documents for word in self._words(text)}
        words = self._words(summary)
        return {"novelty": sum(w not in known for w in words) / max(1, len(words))}

    def _words(self, text: str | Sequence[str]) -> list[str]:
        joined = flatten(text)
        return (joined.lower() if self.lowercase else joined).split()

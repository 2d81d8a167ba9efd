"""BERTScore: token vectors of summary and reference, matched greedily."""

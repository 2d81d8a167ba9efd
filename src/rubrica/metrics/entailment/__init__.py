"""Faithfulness metrics over entailment models: SummaC, AlignScore, MiniCheck."""

"""BLEU, chrF and TER, computed with sacrebleu."""

"""REALSumm's outputs, texts and votes."""

"""How well metrics rank summaries and systems: pairs, ties, thresholds, stability."""

"""Commands that score and compare summaries."""

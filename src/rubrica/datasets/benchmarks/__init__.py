"""Published data sets of summaries and judgments, one module each."""

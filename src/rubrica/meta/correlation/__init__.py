"""Correlation with human scores: coefficients, levels, intervals and tests."""

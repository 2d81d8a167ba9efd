"""Resampling, intervals, significance tests and corrections, on plain arrays."""

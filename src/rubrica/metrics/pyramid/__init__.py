"""Metrics over content units that people found: pyramid scores and LitePyramids."""

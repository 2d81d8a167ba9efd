"""Metrics over human-annotated content units: pyramid scores and LitePyramids."""

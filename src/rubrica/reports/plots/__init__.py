"""Plots as SVG, PDF and PNG."""

"""Rubrica."""

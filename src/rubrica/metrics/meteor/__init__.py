"""METEOR 1.5 for English."""

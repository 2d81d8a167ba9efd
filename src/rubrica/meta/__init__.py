"""Evaluating metrics: how well their scores agree with people."""

"""Automatic pyramids from segment vectors, in the style of PyrEval."""

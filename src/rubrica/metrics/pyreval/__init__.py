"""Pyramids made by a program from the vectors of segments, in the manner of PyrEval."""

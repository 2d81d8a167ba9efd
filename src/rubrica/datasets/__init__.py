"""Data in: readers of evaluation instances, outside resources, and the data sets themselves."""

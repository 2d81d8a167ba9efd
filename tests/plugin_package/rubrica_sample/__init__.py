"""A plug-in of Rubrica: a metric and a reader."""

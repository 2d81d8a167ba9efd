"""Studies on other platforms."""

"""Files and tables of scores: ours, and those that other programs wrote."""

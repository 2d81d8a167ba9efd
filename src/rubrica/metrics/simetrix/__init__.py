"""SIMetrix: word distributions of a summary and of its documents."""

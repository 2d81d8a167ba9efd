"""Commands that evaluate metrics against human scores."""

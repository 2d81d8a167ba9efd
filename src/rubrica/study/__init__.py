"""Building a human study: from raw system outputs to aligned texts, tasks, answers and human scores."""

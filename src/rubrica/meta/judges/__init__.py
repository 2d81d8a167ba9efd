"""Human judgments: ratings, agreement between annotators, and the ceiling it sets."""

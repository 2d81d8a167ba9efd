"""Batch APIs of providers: many questions in one request, answered within a day at a lower price."""

"""Providers of language models: one module per wire format."""

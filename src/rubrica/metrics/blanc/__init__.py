"""BLANC: how much a summary helps a language model to fill in the gaps of its document."""

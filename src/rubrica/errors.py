"""Every error and warning of Rubrica. A message says what is wrong, where, and how to fix it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class RubricaError(Exception):
    """An error that one paragraph explains; the command line prints it without a traceback."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the state as it is: constructors need not accept their own message."""
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(cls: type[RubricaError], args: tuple[Any, ...], state: dict[str, Any]) -> RubricaError:
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


class UnknownNameError(RubricaError, KeyError):
    """A name that is not registered or not present; the message suggests similar names."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, owner: str = "", remedy: str = ""
    ) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        self.near = near_names(name, self.known)
        message = f"{owner} has no {kind} {name!r}" if owner else f"no {kind} {name!r}"
        super().__init__(_unknown(message, self.near, self.known, remedy))

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class ParameterError(RubricaError, ValueError):
    """A parameter, option or configuration key with a value that cannot be used."""


class UsageError(RubricaError, ValueError):
    """Arguments or command-line words that cannot be combined."""

    exit_code = 2


class DefinitionError(RubricaError, TypeError):
    """An incomplete metric, reader or data set class; raised when the class is created."""


class DataError(RubricaError, ValueError):
    """Input that cannot be parsed; the message gives file, line and field."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        self.file, self.line = file, line
        super().__init__(f"{place(file, line)}: {message}" if file is not None else message)

    def in_file(self, file: str) -> DataError:
        """Return the same error for a file of another name, the one that users know."""
        message = str(self).removeprefix(f"{place(self.file, self.line)}: ")
        return DataError(message, file=file, line=self.line)


class MismatchError(DataError):
    """Two inputs that do not match: line counts, ids, values."""


class MissingResourceError(RubricaError):
    """Something must be installed or fetched first; the message gives the command."""

    exit_code = 3


class OutputError(RubricaError):
    """A file that cannot be written."""

    def __init__(self, file: object, reason: object) -> None:
        super().__init__(f"{file}: cannot be written: {reason}")


class MetricFailedError(RubricaError):
    """A metric raised an exception or returned something that is not a score; names the metric and the input."""


class InterruptedRunError(RubricaError):
    """A run was stopped before its end; finished results are kept."""

    exit_code = 130


class RubricaWarning(UserWarning):
    """The root of Rubrica's warnings."""


class UndefinedScoreWarning(RubricaWarning):
    """A score was undefined and was set by rule."""


class ComparabilityWarning(RubricaWarning):
    """A number is not comparable with other numbers of the same name."""


class DataWarning(RubricaWarning):
    """Input that is usable but not as it should be."""


def place(file: str | None, line: int | None) -> str:
    """Return `file:line`, in compiler format."""
    return f"{file}:{line}" if line is not None else str(file)


def printable(text: str) -> str:
    """Return untrusted text safe for a terminal: control characters become visible escapes."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def one_line(text: str) -> str:
    """As `printable`, on one line: tabs and line breaks become escapes, too."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def near_names(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Return the known names closest to `name`, best first; ignores hyphens, underscores and case."""

    def plain(text: str) -> str:
        return text.lower().replace("_", "-").replace(".", "-")

    by_plain: dict[str, str] = {}
    for candidate in known:
        by_plain.setdefault(plain(candidate), candidate)
    return [by_plain[p] for p in difflib.get_close_matches(plain(name), by_plain, limit, 0.6)]


def _unknown(message: str, near: list[str], known: list[str], remedy: str) -> str:
    if near:
        message += "; did you mean " + " or ".join(repr(n) for n in near) + "?"
    elif known:
        shown = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
        message += f" (there are: {shown})"
    sentence = remedy and not remedy.startswith("(") and not message.endswith("?")
    return f"{message}{'.' if sentence else ''} {remedy}".rstrip()

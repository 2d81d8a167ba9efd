"""Every error and warning Rubrica raises, and how an error is told: what, where, and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class RubricaError(Exception):
    """A mistake that can be told in one paragraph; the command line prints it without a traceback."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process as it is: constructors need not take their own message."""
        return _remade, (type(self), self.args, self.__dict__)


def _remade(cls: type[RubricaError], args: tuple[Any, ...], state: dict[str, Any]) -> RubricaError:
    made = cls.__new__(cls, *args)
    made.__dict__.update(state)
    return made


class UnknownNameError(RubricaError, KeyError):
    """A name that is not registered or not present; the message offers near ones."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, owner: str = "", remedy: str = ""
    ) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        self.near = near_names(name, self.known)
        told = f"{owner} has no {kind} {name!r}" if owner else f"no {kind} {name!r}"
        super().__init__(_unknown(told, self.near, self.known, remedy))

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class ParameterError(RubricaError, ValueError):
    """A parameter, option or configuration key with a value that cannot be used."""


class UsageError(RubricaError, ValueError):
    """Arguments, or words of a command line, that do not go together."""

    exit_code = 2


class DefinitionError(RubricaError, TypeError):
    """A metric, reader or data set class that is not complete; raised when the class is made."""


class DataError(RubricaError, ValueError):
    """Input that cannot be read as what it should be; says file, line and field."""

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        self.file, self.line = file, line
        super().__init__(f"{place(file, line)}: {message}" if file is not None else message)

    def in_file(self, file: str) -> DataError:
        """Return the same error in a file of another name, the one that people know."""
        message = str(self).removeprefix(f"{place(self.file, self.line)}: ")
        return DataError(message, file=file, line=self.line)


class MismatchError(DataError):
    """Two inputs that should fit together and do not: line counts, ids, values."""


class MissingResourceError(RubricaError):
    """Something must be installed or fetched first; the message holds the command that does it."""

    exit_code = 3


class OutputError(RubricaError):
    """A file that cannot be written where it should be."""

    def __init__(self, file: object, reason: object) -> None:
        super().__init__(f"{file}: cannot be written: {reason}")


class MetricFailedError(RubricaError):
    """A metric raised an exception, or gave something that is no score; says which and on what."""


class InterruptedRunError(RubricaError):
    """A run was stopped before its end; what it had finished is kept."""

    exit_code = 130


class RubricaWarning(UserWarning):
    """The root of Rubrica's warnings."""


class UndefinedScoreWarning(RubricaWarning):
    """A score had no defined value and was set by rule."""


class ComparabilityWarning(RubricaWarning):
    """A number was made in a way that should not be compared with what its name suggests."""


class DataWarning(RubricaWarning):
    """Input that is usable but not as it should be."""


def place(file: str | None, line: int | None) -> str:
    """`file:line`, as compilers write it."""
    return f"{file}:{line}" if line is not None else str(file)


def printable(text: str) -> str:
    """Text from outside, safe for a terminal: control characters become visible escapes."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def near_names(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names most like `name`, best first; hyphens, underscores and case do not count."""

    def plain(text: str) -> str:
        return text.lower().replace("_", "-").replace(".", "-")

    by_plain: dict[str, str] = {}
    for one in known:
        by_plain.setdefault(plain(one), one)
    return [by_plain[p] for p in difflib.get_close_matches(plain(name), by_plain, limit, 0.6)]


def _unknown(message: str, near: list[str], known: list[str], remedy: str) -> str:
    if near:
        message += "; did you mean " + " or ".join(repr(n) for n in near) + "?"
    elif known:
        shown = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
        message += f" (there are: {shown})"
    return f"{message} {remedy}".rstrip()

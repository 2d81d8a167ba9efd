"""The parser of every command: argparse with suggestions, old spellings, examples, and options that add up."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from textwrap import fill, wrap
from typing import Any, NoReturn

from rubrica.errors import UsageError, near_names


class Parser(argparse.ArgumentParser):
    """argparse without abbreviations, whose complaints are `UsageError`s with a suggestion."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        options.setdefault("formatter_class", _Formatter)
        super().__init__(**options)
        # The default action of `add_argument`.
        self.register("action", None, _Store)
        # A command line, or several, that the end of the help shows.
        self.example = ""
        # Options as they were called before -> as they are called now.
        self.old_spellings: dict[str, str] = {}
        # Words that a shell completes, by the destination of an argument without choices.
        self.completions: dict[str, Callable[[], Iterable[str]]] = {}
        # Returns a hint about an option that is unknown here, such as its owner; or an empty text.
        self.owner_hint: Callable[[str], str] = lambda name: ""
        # A hint about an option that resembles none.
        self.unknown_hint = ""
        # A hint about words that belong to no option; empty for the one about `-r`.
        self.plain_words_hint = ""
        # A hint for when something required is missing.
        self.missing_hint = ""
        # Changes the words before they are parsed, for example by options of a file.
        self.expand: Callable[[list[str]], list[str]] = lambda words: words
        # Whether positional words may come before, between and after options.
        self.intermixed = False
        # Whether a word after an option of several words is a file, and so one of the positional words.
        self.is_file_word: Callable[[str], bool] | None = None
        # The usage of a command that reads its words itself: they are `arguments.words`.
        self.verbatim_usage = ""

    def error(self, message: str) -> NoReturn:
        """Raise the complaint as a `UsageError`; nothing is printed here."""
        begins, _, words = message.partition(": ")
        plain = begins == "unrecognized arguments" and not words.startswith("-")
        if plain and self.plain_words_hint:
            message += f"; {self.plain_words_hint}"
        elif plain and "-r" in self.option_names():
            message += "; -r takes one file, write -r again for a second one"
        if begins == "the following arguments are required":
            message += self.missing_hint
        raise UsageError(f"{message}\nSee: {self.prog} --help")

    def parse(self, argv: list[str]) -> argparse.Namespace:
        """Parse all words; an unknown option raises an error that suggests the nearest one."""
        if self.verbatim_usage:
            return self._verbatim(argv)
        argv = self._files_first(self._renamed(self.expand(argv)))
        known = self.option_names()
        for word in argv:
            name = word.partition("=")[0]
            # Before argparse, which would complain about what is missing instead.
            if name.startswith("--") and name != "--" and name not in known:
                # Hyphens that all names begin with would make any two of them similar.
                words = [option.removeprefix("--") for option in known if option.startswith("--")]
                near = [f"--{word}" for word in near_names(name.removeprefix("--"), words)]
                hint = f"; did you mean {' or '.join(near)}?" if near else ""
                self.error(f"no option {name}{self.owner_hint(name) or hint or self.unknown_hint}")
        if not self.intermixed:
            return self.parse_args(argv)
        # Otherwise argparse sets a usage that lists every option.
        self.usage = self.usage or self._usage_line()
        return self.parse_intermixed_args(argv)

    def _verbatim(self, argv: list[str]) -> argparse.Namespace:
        if argv[:1] in (["--help"], ["-h"]):
            print(self.verbatim_usage.rstrip("\n"))
            self.exit()
        return argparse.Namespace(words=argv)

    def _files_first(self, argv: list[str]) -> list[str]:
        """Move files that follow the words of an option to the front: `-m rouge chrf FILE`."""
        if self.is_file_word is None:
            return argv
        several = {
            name
            for action in self._actions
            for name in action.option_strings
            if action.nargs == "+" and action.metavar != "FILE"
        }
        files, words, in_option, seen = [], [], False, False
        for word in argv:
            if word.startswith("-") and word != "-":
                in_option, seen = word in several, False
            elif in_option and (seen or self.is_file_word(word)):
                seen = True
                files.append(word)
                continue
            words.append(word)
        return [*files, *words]

    def _renamed(self, argv: list[str]) -> list[str]:
        """Replace old spellings of options, with one warning for all of them."""
        words: list[str] = []
        seen: dict[str, str] = {}
        for word in argv:
            name, equals, value = word.partition("=")
            after_format = words[-1:] in (["-f"], ["--format"])
            if word == "--format=table" or (word == "table" and after_format):
                word = word.replace("table", "text")
                seen["--format table"] = "--format text"
            elif name in self.old_spellings:
                seen[name] = self.old_spellings[name]
                word = f"{seen[name]}{equals}{value}"
            words.append(word)
        if seen and not {"-q", "--quiet", "--silent"} & set(argv):
            changes = ", ".join(f"{old} is now {new}" for old, new in seen.items())
            print(f"warning: old spelling: {changes}", file=sys.stderr)
        return words

    def format_help(self) -> str:
        """Return help whose first line has what is required; options are listed below it."""
        self.usage = self.usage or self._usage_line()
        # General options come last.
        self._action_groups.sort(key=lambda group: group.title == "general")
        text = super().format_help()
        if self.example:
            lines = "\n".join(f"  {line}" for line in self.example.splitlines())
            text += f"\nexample:\n{lines}\n"
        return text

    def _usage_line(self) -> str:
        plain = [_value(action) for action in self._actions if not action.option_strings]
        needed = [
            f"{action.option_strings[0]} {_value(action)}"
            for action in self._actions
            if action.option_strings and action.required
        ]
        # argparse formats it with %.
        return " ".join([self.prog, *plain, *needed, "[options]"]).replace("%", "%%")

    def option_names(self) -> list[str]:
        """Return every option string it knows."""
        return [name for action in self._actions for name in action.option_strings]


def _value(action: argparse.Action) -> str:
    """Return the words that an argument takes, for a usage line."""
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    name = str(action.metavar or choices or action.dest.upper())
    if isinstance(action.nargs, int):
        return " ".join([name] * action.nargs)
    shown = {"+": f"{name} [{name} ...]", "*": f"[{name} ...]", "?": f"[{name}]"}
    return shown.get(str(action.nargs), name)


class _Store(argparse._StoreAction):
    """Stores a value; an option of several words that is repeated adds to them.

    argparse would drop the earlier ones, and `--input-files a --input-files b` would score half the input.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        earlier = getattr(namespace, self.dest, self.default)
        if self.option_strings and self.nargs in ("+", "*") and earlier is not self.default:
            values = [*earlier, *values]
        super().__call__(parser, namespace, values, option_string)


class _Formatter(argparse.HelpFormatter):
    """Help with room for long option names, no wider than the terminal."""

    def __init__(self, prog: str) -> None:
        width = 100
        if sys.stdout.isatty():
            from shutil import get_terminal_size

            width = min(width, get_terminal_size().columns)
        super().__init__(prog, max_help_position=34 if width > 90 else 26, width=width)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Both spellings of an option, then its value once."""
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"

    # Lines never break inside the name of an option.
    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return fill(
            " ".join(text.split()),
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )

"""The options of ROUGE-1.5.5.pl, read as Perl's Getopt::Std reads them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from rubrica.errors import RubricaError

_WITH_VALUE = "bceflnprtwz23"
_SWITCHES = "adhHmMsuUvx"
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

USAGE = """usage: rubrica rouge155 [options] settings.xml [system-id]
       rubrica rouge155 [options] -z SPL|SEE|ISI|SIMPLE list [system-id]
       rubrica rouge155 [options] --pyrouge SYSTEM_DIR MODEL_DIR
               --system-pattern REGEX --model-pattern REGEX [--system-id ID]

The options of ROUGE-1.5.5.pl; the output is the same. With --pyrouge -m is always on, as pyrouge
does; without other options, those of pyrouge are used: -c 95 -2 -1 -U -r 1000 -n 4 -w 1.2.
  -a       evaluate all systems of the settings file
  -n N     ROUGE-1 to ROUGE-N        -x       no ROUGE-L
  -w W     ROUGE-W with weight W     -2 GAP   ROUGE-S (-1: any gap)
  -u, -U   ROUGE-SU instead of S, or both
  -3 MODE  basic elements: H HM HMR HM1 HMR1 HMR2
  -m       stem words                -s       drop common words
  -l N     first N words only        -b N     first N bytes only
  -f A|B   several references: average (default), best
  -p ALPHA weight of F (0 recall, 1 precision; default 0.5)
  -c CF    confidence in percent (default 95)   -r N   resamples (default 1000)
  -t 0|1|2 average scores, pool counts, or print counts
  -d       scores of each evaluation          -v     and details
  -e DIR   accepted; no data directory is needed

example:
  rubrica rouge155 -a -m -n 2 -c 95 -r 1000 settings.xml
"""


class StopError(RubricaError):
    """What ends the official program, with its exit status."""

    def __init__(self, message: str, exit_code: int = 255) -> None:
        self.exit_code = exit_code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Options:
    """Options as typed, and what follows them."""

    values: dict[str, str]
    rest: list[str]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str, default: str = "") -> str:
        """An option's value as typed; results show it so."""
        return self.values.get(name, default)

    def number(self, name: str, default: float = 0.0) -> float:
        """An option's value as Perl counts: the number it begins with, else 0."""
        if name not in self.values:
            return default
        match = _NUMBER.match(self.values[name])
        return float(match[0]) if match else 0.0


def read_options(argv: list[str]) -> Options:
    """Options up to the first word that is none; `-md` is `-m -d`, `-n2` is `-n 2`."""
    words, values = list(argv), {}
    while words and len(words[0]) > 1 and words[0].startswith("-"):
        if words[0] == "--":
            words.pop(0)
            break
        word = words.pop(0)
        name, attached = word[1], word[2:]
        if name in _WITH_VALUE:
            if attached or words:
                values[name] = attached or words.pop(0)
            continue
        if name in _SWITCHES:
            values[name] = "1"
        else:
            print(f"Unknown option: {name}", file=sys.stderr)
        if attached:
            words.insert(0, "-" + attached)
    options = Options(values, words)
    _check(options)
    return options


def _check(options: Options) -> None:
    if "h" in options or "H" in options or not options.rest:
        raise StopError(USAGE)
    if not 0 <= options.number("c", 95) <= 100:
        raise StopError("Confidence interval should be within 0 and 100.")
    if "w" in options and not options.number("w") > 0:
        raise StopError("ROUGE-W weight factor must greater than 0.")
    if not 0 <= options.number("p", 0.5) <= 1:
        raise StopError(
            "Relative importance of ROUGE recall and precision has to be between 0 and 1 inclusively."
        )
    if options.number("l") and options.number("b"):
        raise StopError("Please specify length limit in words or bytes but not both.")
    if "m" in options and "M" in options:
        # The program then stems only one side in some measures, by a rule we do not know.
        raise StopError("-m (stem all) and -M (stem the models only) cannot be used together here.")
    if int(options.number("r", 1000)) < 1:
        raise StopError("Illegal division by zero: -r must be at least 1")

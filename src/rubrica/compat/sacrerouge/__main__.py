"""`python -m rubrica.compat.sacrerouge ...`: SacreROUGE's command lines."""

from __future__ import annotations

import sys

from rubrica.compat.sacrerouge import install
from rubrica.compat.sacrerouge.arguments import build_argument_parser
from rubrica.errors import RubricaError, printable


def main(argv: list[str] | None = None) -> int:
    """Run a command line of SacreROUGE; the exit codes are Rubrica's."""
    # Packages of the user import `sacrerouge`.
    install()
    parser = build_argument_parser()
    arguments = parser.parse_args(argv)
    if "func" not in arguments:
        parser.print_help()
        return 0
    try:
        arguments.func(arguments)
    except RubricaError as error:
        print(printable(f"sacrerouge: {error}"), file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

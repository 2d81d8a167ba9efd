"""`python -m rubrica`: the command, where it is not on the path."""

import sys

from rubrica.cli.app import main

sys.exit(main())

r"""Words as Peyrard's programs cut them (JS, ROUGE-WE, S3): runs of `\w` in lower case."""

from __future__ import annotations

import re

from rubrica.data.instance import Text, flatten

_WORD = re.compile(r"\w+")


def words_of(text: Text) -> list[str]:
    """Return runs of letters, digits and underscores, in lower case; ignores sentence boundaries."""
    return [word.lower() for word in _WORD.findall(flatten(text))]

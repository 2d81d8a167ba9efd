"""REALSumm's texts: sentences in tags, in other spellings per system, or with no marks at all."""

from __future__ import annotations

import re

from rubrica.text.tags import without_tags

_SENTENCE = re.compile(r"<t>(.*?)</t>")
_GAP = re.compile(" {3,}")


def between_tags(line: str) -> list[str]:
    """Return the sentences of `<t> a </t> <t> b </t>`, without outer tags and empty sentences."""
    line = line.strip()
    inner = line.removeprefix("<t>").removesuffix("</t>").strip()
    # BART's file has a pair of tags around the tagged sentences.
    if inner.startswith("<t>") and inner.endswith("</t>"):
        line = inner
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(line)]
    return [sentence for sentence in sentences if sentence] or (
        [line] if line and "<t>" not in line else []
    )


def cut_at_gaps(line: str) -> list[str]:
    """Return the sentences of an untagged line, separated by three or more blanks."""
    return [sentence.strip() for sentence in _GAP.split(without_tags(line)) if sentence.strip()]


def cut_after_stops(line: str) -> list[str]:
    """Split a line after each token `.`, `!` or `?`."""
    sentences: list[list[str]] = [[]]
    for word in without_tags(line).split():
        sentences[-1].append(word)
        if word in (".", "!", "?"):
            sentences.append([])
    return [" ".join(sentence) for sentence in sentences if sentence]

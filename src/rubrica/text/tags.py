"""A text per line with tagged sentences, ` <t> a </t>  <t> b </t> `, and lines that stand for none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from rubrica.errors import DataError, ParameterError

NO_MATCH = "### NO MATCH FOUND ###"
DUPLICATE = "### DUPLICATE ###"

# How to read malformed tags: refuse them, repair them, or read them like REALSumm's regular
# expression, which keeps an inner tag as text and drops text outside.
TagRule: TypeAlias = Literal["strict", "repair", "realsumm"]

TAG = re.compile(r"</?t>")
_REALSUMM = re.compile(r"<t> (.+?) </t>")


def is_stand_in(line: str) -> bool:
    """Return whether a line (tagged or not) marks a missing text, such as `### NO MATCH FOUND ###`."""
    text = without_tags(line).strip()
    return len(text) > 6 and text.startswith("###") and text.endswith("###")


def tagged(sentences: Sequence[str]) -> str:
    """Return a line of tagged sentences; raise if a sentence contains a tag."""
    for sentence in sentences:
        if TAG.search(sentence):
            raise DataError(
                f"a sentence contains a tag: {sentence[:60]!r}; remove it, or say that the "
                "input is tagged already"
            )
    # A line end inside a sentence would shift every line after it.
    return "".join(f" <t> {' '.join(sentence.split())} </t> " for sentence in sentences)


def has_tags(line: str) -> bool:
    """Return whether a line holds a tag."""
    return TAG.search(line) is not None


def without_tags(line: str) -> str:
    """Return the line with blanks in place of its tags."""
    return TAG.sub(" ", line)


def tag_faults(line: str) -> list[str]:
    """Return the faults of a line's tags: `doubled`, `unbalanced`, `text outside`, `empty sentence`."""
    faults: dict[str, None] = {}
    inside, start = False, 0
    for tag in TAG.finditer(line):
        between = line[start : tag.start()].strip()
        if not inside and between:
            faults["text outside"] = None
        if tag[0] == "<t>":
            if inside:
                faults["unbalanced" if between else "doubled"] = None
            inside = True
        else:
            if not inside:
                faults["unbalanced" if between else "doubled"] = None
            elif not between:
                faults["empty sentence"] = None
            inside = False
        start = tag.end()
    if inside:
        faults["unbalanced"] = None
    elif line[start:].strip():
        faults["text outside"] = None
    return list(faults)


def sentences_of(
    line: str, rule: TagRule = "strict", *, file: str | None = None, number: int | None = None
) -> list[str]:
    """Return the sentences of a line; a line without tags is one sentence, a blank line has none.

    With `realsumm` a line without tags has no sentence at all, as in the original.
    """
    if rule not in get_args(TagRule):
        raise ParameterError(
            f"tags are read as one of {', '.join(get_args(TagRule))}, not {rule!r}"
        )
    if rule == "realsumm":
        return [sentence for sentence in _REALSUMM.findall(line) if sentence.strip()]
    if not has_tags(line):
        return [line.strip()] if line.strip() else []
    faults = [fault for fault in tag_faults(line) if fault != "empty sentence"]
    if faults and rule == "strict":
        raise DataError(
            f"malformed tags ({', '.join(faults)}); correct the file, or read it with "
            "--tags repair, which drops superfluous tags",
            file=file,
            line=number,
        )
    # With all tags in order, or repaired: a tag of either kind is a boundary.
    return [piece for part in TAG.split(line) if (piece := " ".join(part.split()))]

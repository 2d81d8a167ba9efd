"""Dependency parses in CoNLL-U: sentences of tokens with lemma, tag, features, head and entity.

Named entities are read from a column `NER` (CoNLL-U Plus: `# global.columns = ... NER`) or from
`NER=B-PERSON` in the last column, in the BIO or BIOES scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rubrica.data.instance import Text
from rubrica.errors import DataError

_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_NEEDED = ("ID", "FORM", "LEMMA", "UPOS", "HEAD", "DEPREL")


@dataclass(frozen=True, slots=True)
class Token:
    """A syntactic word. `head` is the place of its head in the sentence, -1 for the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    features: Mapping[str, str]
    head: int
    relation: str
    entity: str  # "B-PERSON", "I-PERSON", ..., "O" or ""


Sentence = Sequence[Token]


def parse_conllu(text: Text) -> list[Sentence]:
    """Return the sentences of a parse, which is one text or a list of texts (such as one per sentence)."""
    pieces = [text] if isinstance(text, str) else text
    return [sentence for piece in pieces for sentence in _sentences(piece)]


def _sentences(text: str) -> Iterator[Sentence]:
    columns: Sequence[str] = _COLUMNS
    rows: list[tuple[int, dict[str, str]]] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.rstrip("\r")
        if line.startswith("#"):
            name, _, value = line[1:].partition("=")
            if name.strip() == "global.columns":
                columns = _check(value.split(), number)
        elif line.strip():
            cells = line.split("\t")
            if len(cells) != len(columns):
                raise _error(
                    f"{len(cells)} columns, not {len(columns)}; a parse has a token per line with "
                    f"columns {' '.join(columns)} between tabs",
                    number,
                )
            rows.append((number, dict(zip(columns, cells, strict=True))))
        elif rows:
            yield _sentence(rows)
            rows = []


def _check(columns: list[str], number: int) -> list[str]:
    for name in _NEEDED:
        if name not in columns:
            raise _error(f"global.columns has no {name}", number)
    return columns


def _sentence(rows: list[tuple[int, dict[str, str]]]) -> Sentence:
    # Ranges (1-2) and empty nodes (1.1) are not syntactic words.
    words = [(number, row) for number, row in rows if row["ID"].isdecimal()]
    places = {row["ID"]: place for place, (_, row) in enumerate(words)}
    if len(places) < len(words):
        raise _error("two tokens of a sentence have one ID", words[0][0])
    places["0"] = -1
    return [_token(number, row, places) for number, row in words]


def _token(number: int, row: dict[str, str], places: dict[str, int]) -> Token:
    if row["HEAD"] not in places:
        raise _error(f"HEAD {row['HEAD']!r} is no token of the sentence", number)
    misc = _pairs(row.get("MISC", "_"))
    form = row["FORM"]
    return Token(
        form=form,
        lemma=form if row["LEMMA"] == "_" and form != "_" else row["LEMMA"],
        upos=row["UPOS"],
        xpos="" if row.get("XPOS", "_") == "_" else row["XPOS"],
        features=_pairs(row.get("FEATS", "_")),
        head=places[row["HEAD"]],
        relation=row["DEPREL"],
        entity=row["NER"] if "NER" in row else misc.get("NER", ""),
    )


def _pairs(cell: str) -> dict[str, str]:
    if cell == "_":
        return {}
    return {name: value for name, _, value in (pair.partition("=") for pair in cell.split("|"))}


def _error(message: str, number: int) -> DataError:
    return DataError(f"CoNLL-U, line {number} of the text: {message}")

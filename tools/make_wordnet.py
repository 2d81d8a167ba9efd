"""Makes src/rubrica/text/data/wordnet.txt.gz from the files of Debian's package `wordnet-base`.

    apt-get install wordnet-base && python tools/make_wordnet.py

The table says which synsets a lemma is in and what the base forms of irregular forms are; it has no
glosses and no pointers. Synsets are numbered through all parts of speech by the offset of their
record, equal offsets in two data files sharing a number: METEOR drops the part of speech, and about
300 such coincidences are part of its numbers.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
from pathlib import Path

SOURCE = Path("/usr/share/wordnet")
TARGET = Path(__file__).resolve().parent.parent / "src/rubrica/text/data/wordnet.txt.gz"
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
# Debian corrects three records, so those after them stand elsewhere than in Princeton's files:
# (part of speech, first offset, first offset no longer concerned, by how much).
MOVED = (("verb", 613036, 2422967, 18), ("adj", 1681478, 1 << 40, 1))
# blake2b of the table before compression; another release of WordNet gives another.
DIGEST = "4a893f4405f95be4b461a136c62e1dfd"


def main() -> None:
    """Make the table, if the files are the known ones."""
    table = make(SOURCE)
    digest = hashlib.blake2b(table, digest_size=16).hexdigest()
    if digest != DIGEST:
        sys.exit(f"digest {digest}: these are not the files of wordnet-base 1:3.0-37")
    with open(TARGET, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        stream.write(table)
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


def make(source: Path) -> bytes:
    """The table: `lemma n:1,2 v:3` for lemmas, `form > base base` for irregular forms."""
    senses: dict[str, dict[str, list[int]]] = {}
    for part, letter in PARTS.items():
        for line in (source / f"index.{part}").read_text("ascii").splitlines():
            if line.startswith(" "):
                continue  # the licence
            lemma, _, count, *rest = line.split()
            offsets = [princeton(part, int(offset)) for offset in rest[-int(count) :]]
            senses.setdefault(lemma, {})[letter] = offsets
    used = {o for by_part in senses.values() for offsets in by_part.values() for o in offsets}
    numbers = {offset: number for number, offset in enumerate(sorted(used))}
    bases: dict[str, dict[str, None]] = {}
    for part in PARTS:
        for line in (source / f"{part}.exc").read_text("ascii").splitlines():
            form, *forms = line.split()
            bases.setdefault(form, {}).update(dict.fromkeys(forms))
    lines = [
        " ".join(
            [lemma]
            + [
                f"{p}:{','.join(str(numbers[o]) for o in offsets)}"
                for p, offsets in by_part.items()
            ]
        )
        for lemma, by_part in sorted(senses.items())
    ]
    lines += [f"{form} > {' '.join(found)}" for form, found in sorted(bases.items())]
    return "\n".join(lines).encode("ascii") + b"\n"


def princeton(part: str, offset: int) -> int:
    """Where Princeton's own file has the record."""
    return offset - sum(
        by for moved, first, end, by in MOVED if moved == part and first <= offset < end
    )


if __name__ == "__main__":
    main()

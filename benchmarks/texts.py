"""Texts to measure on: made from a seed, the same on every machine, in sentences with newlines.

Word frequencies follow Zipf's law over real English stems with regular endings, so that stemming,
repeated words and rare words have the share they have in news. A summary takes about half of its
sentences from its reference, with words dropped and changed, as systems do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

_FUNCTION = (
    "the of to and a in that is was for on with he as it by at from his said were be has have are "
    "an had but not this they which will their who been after its one about more or would when up "
    "she out there two all no her people can new over last into could than also time first only "
    "we other some him so most them what if may like because against while before now just then"
).split()
_STEMS = (
    "govern report announc develop manag operat present elect attack support agree decid move "
    "establish investig suspect arrest charg kill injur protest strike demand offer reject accept "
    "plan build construct destroy damag repair close open launch test fire shoot reach return "
    "leave enter cross visit meet talk discuss negoti settl pay cost rais lower increas reduc "
    "grow fall drop gain lose win beat play score train coach sign sell buy trade invest bank "
    "market compan industr product factor work employ labor union strik leader minist presid "
    "parliament part vote campaign candid opposit critic prais accus deni claim confirm reveal "
    "suggest expect believ think know learn teach school student univers research stud scienc "
    "discover observ measur calcul estim predict forecast weather storm flood rain wind heat cold "
    "water river lake sea coast island mountain forest fire farm crop food drink eat cook restaur "
    "hotel travel flight plane airport train station road driver car truck accid crash rescu save "
    "hospit doctor nurs patient treat diseas virus infect vaccin drug medicin health care mental "
    "famil child parent mother father brother sister marri divorc love hate fear hope dream live "
    "house home street cit town villag count state nation countr border refuge migrat popul cultur "
    "music film actor direct author book write publish paper televis broadcast internet comput "
    "phone network secur polic offic court judg law crime prison releas murder weapon soldier armi "
    "war peac treat conflict bomb explos terror threat warn alert emerg respons fund budget tax "
    "debt loan credit price rate econom financ polit social public privat local region centr north"
).split()
_ENDINGS = ("", "s", "ed", "ing", "er", "ers", "ment", "ments", "ation", "ly", "al", "ive", "able")


def vocabulary() -> list[str]:
    """About 4,000 words, most frequent first."""
    inflected = [stem + ending for ending in _ENDINGS for stem in dict.fromkeys(_STEMS)]
    random.Random(1).shuffle(inflected)
    return [*_FUNCTION, *inflected]


def make_pairs(tokens: int, count: int, seed: int = 7) -> tuple[list[str], list[str]]:
    """`count` references and as many summaries of about `tokens` words each."""
    rng = random.Random(f"{seed}/{tokens}")
    words = vocabulary()
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))

    def sentence() -> list[str]:
        return rng.choices(words, cum_weights=weights, k=rng.randint(10, 30))

    def text(source: Sequence[list[str]] = ()) -> list[list[str]]:
        out: list[list[str]] = []
        while sum(map(len, out)) < tokens - 8:
            if source and rng.random() < 0.5:
                kept = [w for w in rng.choice(source) if rng.random() < 0.8]
                out.append([rng.choice(words) if rng.random() < 0.1 else w for w in kept] or ["so"])
            else:
                out.append(sentence())
        return out

    references, summaries = [], []
    for _ in range(count):
        reference = text()
        references.append(_written(reference, rng))
        summaries.append(_written(text(reference), rng))
    return references, summaries


def _written(sentences: Sequence[Sequence[str]], rng: random.Random) -> str:
    lines = []
    for words in sentences:
        marked = [w + "," if rng.random() < 0.06 else w for w in words]
        marked[0] = marked[0].capitalize()
        lines.append(" ".join(marked) + rng.choice((".", ".", ".", "?", ' ."')))
    return "\n".join(lines)


def read_news(folder: Path) -> tuple[list[str], list[str]]:
    """News summaries where the machine has them: `ref.txt` and system outputs, one text a line."""
    references: list[str] = []
    summaries: list[str] = []
    reference_files = sorted(folder.rglob("ref.txt"))
    if reference_files:
        own = _lines(reference_files[0])
        for path in sorted(folder.rglob("*out*.txt")):
            texts = _lines(path)
            if len(texts) == len(own):
                references += own
                summaries += texts
    return references, summaries


def _lines(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return [line.replace("</t>", "\n").replace("<t>", "") for line in lines]

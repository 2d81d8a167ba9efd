"""Texts whose tokens are compared with spaCy's: the sample data, and sentences made to be difficult."""

from __future__ import annotations

import json
from pathlib import Path

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news"

DIFFICULT = """\
Don't you think it's the U.S. that won't pay $5.3bn (about 10% of GDP)?
She said: "I can't, I couldn't've and I shan't." 'Cause they're gonna leave at 5pm or 10 a.m.
The 28-year-old's well-known e-book cost 820-million-euro; two-thirds sold in 1990-95.
Mr. Smith, Ph.D., of Smith & Sons Inc. moved to Calif. in Jan. 2014, i.e. two years ago.
He ran 100km in 9h, then 5kg/day... and/or rested—at last–in St. Petersburg.
Visit www.example.org or https://example.com/a-b?c=d, or write to jane.doe@example.org!
“Y’all should’ve seen the islanders’ faces,” said Maja Popović. Then she left.
Readers' letters, the 1990s' best; rock 'n' roll; o'clock; ma'am; c'mon; lets; let's; cannot.
Costs rose +3.5% to €1,000.50 (from £900): a/b, x=y, 3x4, 2*3, A&B, #tag, @name, ~5.
Ill-treated, they were well; its shell was hell; whos there? thats all; im here; id say.
NATO's U.N. envoy -- ex-Gov. J.R.R. Brown -- left.The next day he returned,smiling.
¿Qué? ¡Sí! «Bien» … Ångström's naïve café. Ünal was there. Élan vital.
don’t can’t it’s we’ll they’d’ve who’d ‘single’ ''double'' ``ticks'' 5′ 3″
""".splitlines()


def texts() -> list[str]:
    """All of them; every one is a single line."""
    found = list(DIFFICULT)
    with open(NEWS / "summaries.jsonl", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            found += row["summary"]["text"]
            for reference in row["references"]:
                found += reference["text"]
    with open(NEWS / "documents.jsonl", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            found += row["document"]["text"]
    return list(dict.fromkeys(found))

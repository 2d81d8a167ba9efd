"""Training sets: Multi-News, WCEP, New York Times, XSum."""

from __future__ import annotations

import json

from support.dataset_samples.build import Tree, json_lines


def multinews() -> Tree:
    sources = (
        "One. NEWLINE_CHAR NEWLINE_CHAR Two.|||||Three.\n"
        "Only one.||||| NEWLINE_CHAR \n"
        " NEWLINE_CHAR \n"
    )
    files = {}
    for split in ("train", "val", "test"):
        files[f"{split}.src.cleaned"] = sources
        files[f"{split}.tgt"] = "– A summary.\n- Another.\nThird.\n"
        files[f"{split}.id"] = "242916\n267893\n201256\n"
    return files


def wcep() -> Tree:
    def article(name: str, url: str, origin: str, text: str) -> dict[str, str]:
        return {
            "id": name,
            "title": "T",
            "url": url,
            "origin": origin,
            "time": "2016",
            "text": text,
        }

    event = {
        "id": 12,
        "date": "2016-08-26",
        "summary": "It happened.",
        "reference_urls": ["u1"],
        "articles": [
            article("a", "u1", "CommonCrawl", "Copy."),
            article("b", "u1", "WCEP", "Source. "),
            article("c", "u2", "CommonCrawl", "  "),
            article("d", "u3", "CommonCrawl", "Crawled."),
            article("e", "u3", "CommonCrawl", "Crawled again."),
        ],
    }
    return {f"{split}.jsonl.gz": json_lines(event) for split in ("train", "val", "test")}


def nitf(number: int | str, headline: str = "<hl1>The &mdash; head</hl1>") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nitf SYSTEM "http://www.nitf.org/IPTC/NITF/3.3/nitf-3-3.dtd">\n'
        '<nitf><head><meta content="1" name="publication_day_of_month"/><meta content="1" name="publication_month"/>'
        f'<meta content="1987" name="publication_year"/><docdata><doc-id id-string="{number}"/></docdata></head>'
        f"<body><body.head><hedline>{headline}</hedline><abstract><p>An abstract.</p></abstract></body.head>"
        '<body.content><block class="lead_paragraph"><p>Lead.</p></block><block class="full_text"><p>Lead.</p>'
        "<p>More <em>here</em>.</p></block></body.content></body></nitf>"
    )


def nytimes() -> Tree:
    return {
        "LDC2008T19.tgz": {
            "nyt_corpus/data/1987/01.tgz": {
                "01/01/0000001.xml": nitf(1),
                "01/01/0000002.xml": nitf(2, "<hl2>Second line</hl2>"),
                "01/01/0000003.xml": nitf(3),
                # The id that the article has inside counts.
                "01/02/0000004.xml": nitf("1003004"),
            }
        },
        "mapping_train.txt": "1\n99\n",
        "mapping_valid.txt": "2\n",
        "mapping_test.txt": "4\n\n",
    }


def xsum() -> Tree:
    page = "[SN]URL[SN]\nhttp://bbc\n\n[SN]TITLE[SN]\nT\n\n[SN]FIRST-SENTENCE[SN]\nThe first\nsentence.\n\n[SN]RESTBODY[SN]\nBody one.\nBody two.\n"
    return {
        "XSUM-EMNLP18-Summary-Data-Original.tar.gz": {
            "bbc-summary-data/35764147.summary": page,
            "bbc-summary-data/35764148.summary": page.replace("first", "other"),
        },
        "XSum-TRAINING-DEV-TEST-SPLIT-90-5-5.json": json.dumps(
            {"train": ["35764147", "1"], "validation": [], "test": ["35764148"]}
        ),
    }


SAMPLES = {"multinews": multinews, "wcep": wcep, "nytimes": nytimes, "xsum": xsum}

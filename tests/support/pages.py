"""The pages that the browser tests open, made once from the sample data and from hostile texts."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

from rubrica.cli.app import main
from rubrica.reports.linked import LinkedPage, write_linked
from rubrica.reproductions.board_pages import render_board
from rubrica.reproductions.leaderboard import BoardEntry, Leaderboard
from support.shared import made_once, shared_folder

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news"
HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=alert(1)> & <b>bold</b> \"quotes\" 'single' `ticks` ${template}",
    "<!-- a comment <script> ]]> \\u003c \u2028 \u2029 \x00 \x07",
    "a" * 3000 + " zero\u200bwidth\u200djoiner \ufeff",
    "שלום עולם \u202e reversed \u202c مرحبا بالعالم",
    "会议决定重新开放图书馆 👩‍👩‍👧 🏳️‍🌈 𝒳 cafe\u0301",
    "=cmd|'/c calc'!A1",
    "",
]


def until(page: Any, expression: str) -> None:
    """Wait until an expression holds; Playwright's own way needs eval, which the pages forbid."""
    end = time.monotonic() + 100
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def _run(*words: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main([*map(str, words), "--silent"]) == 0


@made_once
def scored() -> Path:
    """Rows of scores of the sample data."""
    path = shared_folder() / "rows.jsonl"
    words = ["rouge", "evaluate", "--input-files", NEWS / "summaries.jsonl", "--max_ngram", 2]
    _run(*words, "--micro-output-jsonl", path)
    return path


@made_once
def systems_page() -> Path:
    path = shared_folder() / "systems.html"
    texts = ["--summaries", NEWS / "summaries.jsonl", "--documents", NEWS / "documents.jsonl"]
    _run("report", "systems", scored(), *texts, "-o", path)
    return path


@made_once
def systems_page_without_documents() -> Path:
    path = shared_folder() / "no-documents.html"
    _run("report", "systems", scored(), "--summaries", NEWS / "summaries.jsonl", "-o", path)
    return path


@made_once
def long_names_page() -> Path:
    """Systems and inputs whose names are long and cannot be broken at blanks."""
    texts = {
        "summary": "the cat sat",
        "references": ["the cat sat down"],
        "summarizer_type": "peer",
    }
    names = {
        "instance_id": "a-very-long-instance-identifier/with/slashes",
        "summarizer_id": "a-system-with-a-really-long-name-v2.0-finetuned-checkpoint-12000",
    }
    written = _write("long.jsonl", [{**names, **texts}, {**names, **texts, "summarizer_id": "b"}])
    rows, path = shared_folder() / "long-rows.jsonl", shared_folder() / "long.html"
    words = ["--max_ngram", 1, "--rounds", 0, "--micro-output-jsonl", rows]
    _run("rouge", "evaluate", "--input-files", written, *words)
    _run("report", "systems", rows, "-o", path)
    return path


def _all_measures(rows: Path) -> list[str]:
    """Return what to write for measures that are left out by default, such as precision and recall."""
    metrics = [json.loads(line)["metrics"] for line in rows.read_text("utf-8").splitlines()]
    names = [
        f"{metric}.{value}"
        for row in metrics
        for metric, values in row.items()
        if not metric.endswith("_jk")
        for value in values
    ]
    return ["--measures", *dict.fromkeys(names)]


@made_once
def meta_page() -> Path:
    path, result = shared_folder() / "meta.html", shared_folder() / "meta.json"
    words = ["--human", "relevance", "fluency", "faithfulness", "--summarizer-type", "peer"]
    files = ["--scores", scored(), NEWS / "human.jsonl", *_all_measures(scored())]
    _run("meta-evaluate", *words, *files, "--rounds", 200, "--output", result)
    _run("report", "meta", result, "--summaries", NEWS / "summaries.jsonl", "-o", path)
    return path


@made_once
def many_metrics_page() -> Path:
    """A meta-evaluation of more metrics than there are colours."""
    rows, result, path = (
        shared_folder() / f"many{ending}" for ending in (".jsonl", ".json", ".html")
    )
    words = ["rouge", "evaluate", "--input-files", NEWS / "summaries.jsonl"]
    _run(*words, "--rounds", 0, "--micro-output-jsonl", rows)
    words = ["--human", "relevance", "--summarizer-type", "peer", "--rounds", 20]
    files = ["--scores", rows, NEWS / "human.jsonl", *_all_measures(rows)]
    _run("meta-evaluate", *words, *files, "--output", result)
    _run("report", "meta", result, "-o", path)
    return path


def _first_words(text: Any, count: int) -> str:
    whole = " ".join(text) if isinstance(text, list) else text
    return " ".join(whole.split()[:count])


@made_once
def embeddings_page() -> Path:
    """Token similarities of short texts: a browser lays out a cell for every two tokens."""
    rows = [json.loads(line) for line in (NEWS / "summaries.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        row["summary"]["text"] = _first_words(row["summary"]["text"], 14)
        for reference in row["references"]:
            reference["text"] = _first_words(reference["text"], 16)
    path = shared_folder() / "embeddings.html"
    _run("report", "embeddings", _write("short.jsonl", rows), "--max-summaries", 3, "-o", path)
    return path


@made_once
def wide_embeddings_page() -> Path:
    """Token similarities of whole summaries: a table wider than a sheet of paper."""
    path = shared_folder() / "wide-embeddings.html"
    _run("report", "embeddings", NEWS / "summaries.jsonl", "--max-summaries", 3, "-o", path)
    return path


@made_once
def greedy_page() -> Path:
    """As BERTScore makes one: cosines, links for precision and for recall."""
    from rubrica.metrics.base.alignment import Link, TokenAlignment

    cosines = [[0.9, 0.2, 0.1], [0.3, 0.4, 0.8]]
    links = [Link(0, 0, 0.5, "precision"), Link(1, 2, 0.5, "precision")]
    links += [Link(0, 0, 0.2, "recall"), Link(1, 1, 0.3, "recall"), Link(1, 2, 0.5, "recall")]
    values = {"bertscore.precision": 0.85, "bertscore.recall": 0.7}
    words = ("a", "cat"), ("a", "big", "dog")
    return _aligned_page("greedy.html", TokenAlignment(*words, "cosine", cosines, links, values))


@made_once
def large_matrix_page() -> Path:
    """A summary and a reference of 200 tokens each."""
    from rubrica.metrics.base.alignment import Link, TokenAlignment

    size = 200
    words = tuple(f"word{number}" for number in range(size))
    cosines = [[1 / (1 + abs(s - r)) for r in range(size)] for s in range(size)]
    links = [Link(at, at, 1 / size, "precision") for at in range(size)]
    made = TokenAlignment(words, words, "cosine", cosines, links, {"bertscore.precision": 1.0})
    return _aligned_page("matrix.html", made)


def _aligned_page(name: str, made: Any) -> Path:
    from rubrica.data.instance import Languages
    from rubrica.reports.embeddings import AlignedSummary, EmbeddingsReport

    row = AlignedSummary("d1", "s", [made], Languages("en", ("en",)))
    path = shared_folder() / name
    report = EmbeddingsReport("Tokens", "0", "bertscore", "bertscore|v:0", [row], 0)
    path.write_bytes(report.page())
    return path


@made_once
def rouge_page() -> Path:
    path = shared_folder() / "rouge.html"
    _run("report", "rouge", NEWS / "summaries.jsonl", "-o", path, "--max-instances", 3)
    return path


LANGUAGES = {
    "ar": "2021: أعلنت المدينة إغلاق الجسر القديم",
    "ja": "橋脚にひび割れが見つかった。直骨海",
    "zh-Hant": "旧桥因桥墩裂缝关闭八个月。直骨海",
    "": "העירייה הודיעה על סגירת הגשר",
    "no code": "The bridge is closed",
}


@made_once
def languages_page() -> Path:
    """Matches of texts in several languages; references are said to be Thai, summaries their own."""
    rows = [
        {
            "instance_id": code or "none",
            "summarizer_id": "s",
            "summarizer_type": "peer",
            "language": code,
            "summary": text,
            "references": [{"text": "สะพานเก่าจะปิด", "lang": "th"}, text],
        }
        for code, text in LANGUAGES.items()
    ]
    path = shared_folder() / "languages.html"
    _run("report", "rouge", _write("languages.jsonl", rows), "--profiles", "unicode", "-o", path)
    return path


@made_once
def dropped_arabic_page() -> Path:
    text = LANGUAGES["ar"]
    row = {"instance_id": "ar", "summarizer_id": "s", "summarizer_type": "peer"}
    written = _write("arabic.jsonl", [{**row, "summary": text, "references": [text]}])
    path = shared_folder() / "arabic.html"
    _run("report", "rouge", written, "--profiles", "unicode", "rouge-1.5.5", "-o", path)
    return path


@made_once
def pyramid_page() -> Path:
    path = shared_folder() / "pyramid.html"
    files = NEWS / "pyramids.jsonl", NEWS / "pyramid-annotations.jsonl"
    _run("report", "pyramid", *files, "-o", path)
    return path


@made_once
def bare_pyramid_page() -> Path:
    path = shared_folder() / "bare.html"
    _run("report", "pyramid", NEWS / "pyramids.jsonl", "-o", path)
    return path


@made_once
def judge_page() -> Path:
    """The audit of a judge of ratings and pairs, whose texts and names are hostile."""
    path = shared_folder() / "judge.html"
    rows = [
        {
            "instance_id": f"d{at}",
            "summarizer_id": HOSTILE[system],
            "summarizer_type": "peer",
            "summary": {"text": HOSTILE[at % len(HOSTILE)]},
            "metrics": {
                "human": [system + at % 5, system + at % 3],
                "judge": system + at % 4,
                "other": at % 3,
            },
        }
        for system in range(3)
        for at in range(12)
    ]
    pairs = [
        {"original": 1, "swapped": 2, "label": 1, "text_1": text, "text_2": "plain"}
        for text in HOSTILE
    ]
    scores, verdicts = _write("judge-scores", rows), _write("judge-verdicts", pairs)
    words = ["--human", "human", "--judges", "judge", "other", "--scores", scores]
    words += ["--ratings", scores, "--summaries", scores]
    words += ["--pairs", verdicts, "--rounds", 20, "--html", path]
    _run("judge-audit", *words)
    return path


def index_page() -> Path:
    """The index of two pages, whose names and files are hostile."""
    folder = shared_folder() / "linked"
    first, second, third, fourth = HOSTILE[:4]
    linked = [
        LinkedPage("0 &%.html", first, second, third, b""),
        LinkedPage("1 &%.html", second, third, fourth, b""),
    ]
    return Path(write_linked(str(folder), linked, title=HOSTILE[1], notes=HOSTILE))


def leaderboard_page() -> Path:
    """A leaderboard of two comparisons in each of two languages, whose names are hostile."""
    path = shared_folder() / "leaderboard.html"
    entries = [
        BoardEntry(
            benchmark=benchmark,
            human="h",
            language=language,
            level=level,
            measure=name,
            needs=("references", "documents")[at % 2],
            cost="lexical" if at else "neural",
            value=None if at == 7 else 0.5 - at / 10,
            lower=None if at == 7 else 0.3 - at / 10,
            upper=None if at == 7 else 0.6 - at / 10,
            cluster=None if at == 7 else 1 + at // 3,
            signature=name,
        )
        for benchmark, language in (("set", "en"), ("conjunto", "es"))
        for level in ("system", "summary")
        for at, name in enumerate([*HOSTILE[:-1], "plain"])
    ]
    signatures = {f"{e.benchmark}, {e.human}, {e.level}": "meta" for e in entries}
    board = Leaderboard(
        title="Leaderboard",
        version="0",
        coefficient="kendall",
        entries=entries,
        signatures=signatures,
    )
    path.write_bytes(render_board(board, "html"))
    return path


def _write(name: str, rows: list[dict[str, Any]]) -> Path:
    path = shared_folder() / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@made_once
def hostile_summaries() -> Path:
    """Hostile texts as summaries, references, ids and systems."""
    return _write(
        "hostile.jsonl",
        [
            {
                "instance_id": f"{text[:60] or 'empty'} {number}",
                "summarizer_id": name,
                "summarizer_type": "peer",
                "summary": text if name == "plain" else [text, "the cat sat", text],
                "references": [HOSTILE[number - 1], [text, "the cat sat"]],
            }
            for number, text in enumerate(HOSTILE)
            for name in ("plain", "<b onclick=alert(2)>x</b>")
        ],
    )


@made_once
def hostile_pages() -> dict[str, Path]:
    """Each kind of page of hostile texts."""
    summaries, rows = hostile_summaries(), shared_folder() / "hostile-rows.jsonl"
    title = "</title><script>alert(3)</script>"
    _run("rouge", "evaluate", "--input-files", summaries, "--micro-output-jsonl", rows)
    kinds = ("systems", "meta", "rouge", "pyramid", "embeddings")
    pages = {kind: shared_folder() / f"hostile-{kind}.html" for kind in kinds}
    result = shared_folder() / "hostile-meta.json"
    words = ["--summarizer-type", "peer", "--rounds", 20, "--output", result]
    _run("meta-evaluate", "--human", "rouge-1.f1", "--scores", rows, *words)
    _run("report", "meta", result, "--summaries", summaries, "-o", pages["meta"], "--title", title)
    _run(
        "report",
        "systems",
        rows,
        "--summaries",
        summaries,
        "-o",
        pages["systems"],
        "--title",
        title,
    )
    vectors = shared_folder() / "tiny.txt"
    vectors.write_text("the 1 0 0\ncat 0 1 0\nsat 0 0 1\nbold 1 1 0\n")
    tiny = json.dumps({"type": "wms", "embeddings": str(vectors), "stop_list": None})
    _run(
        "report",
        "embeddings",
        summaries,
        "-m",
        tiny,
        "-o",
        pages["embeddings"],
        "--title",
        title,
    )
    profiles = ["--profiles", "rouge-1.5.5", "unicode", "rouge-score", "rouge"]
    _run("report", "rouge", summaries, "-o", pages["rouge"], "--title", title, *profiles)
    texts = [text or " " for text in HOSTILE]
    whole = [{"text": text, "start": 0, "end": len(text)} for text in texts]
    pyramid = {
        "instance_id": HOSTILE[0],
        "summaries": texts,
        "summarizer_ids": [f"{number} {text}" for number, text in enumerate(texts)],
        "scus": [
            {
                "scu_id": number,
                "label": text,
                "contributors": [
                    {"summary_index": number, "label": text, "parts": [whole[number]]}
                ],
            }
            for number, text in enumerate(texts)
        ],
    }
    _run("report", "pyramid", _write("hostile-pyramid.jsonl", [pyramid]), "-o", pages["pyramid"])
    return pages

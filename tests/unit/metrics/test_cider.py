"""CIDEr: where rarity is counted, in calls, in runs, and in a corpus of one's own."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError, ParameterError
from rubrica.metrics import Cider
from rubrica.scoring import evaluate, score
from support.interrupted import leave_rows

REFERENCES = [["Rain fell on the town.", "It rained."], ["Snow lay in the hills."], ["No wind."]]


def instance(number: int, system: str, kind: str = "peer") -> EvalInstance:
    summary = REFERENCES[number][0] if system == "good" else "The town."
    fields = Fields(summary=summary, references=REFERENCES[number])
    return EvalInstance(f"d{number}", system, kind, fields)


def test_an_equal_text_scores_10_and_an_input_by_itself_0() -> None:
    rows = Cider(n=2).score_all(
        ["Snow lay in the hills.", "No wind."], [REFERENCES[1], REFERENCES[2]]
    )
    assert rows[0]["cider"] == pytest.approx(10)
    # Two words have no longer n-grams to agree on.
    assert rows[1]["cider"] == pytest.approx(10)
    assert Cider().score("No wind.", REFERENCES[2]) == {"cider": 0}


def test_nothing_to_score_and_empty_texts() -> None:
    assert Cider().score_all([], []) == []
    assert Cider().score_all(["", "No wind."], [["No wind."], [""]]) == [{"cider": 0}] * 2


def test_length_is_counted_in_bigrams() -> None:
    metric = Cider(n=1)
    (row, _) = metric.score_all(["snow snow snow", "x"], [["snow"], ["rain"]])
    # Three words against one: two bigrams against none; the weights are 3 ln 2 and ln 2.
    assert row["cider"] == pytest.approx(10 * (1 / 3) * math.exp(-4 / 72))


def test_a_run_counts_every_input_once_however_many_systems_and_batches_there_are() -> None:
    rows = [instance(n, system) for n in range(3) for system in ("good", "bad")]
    expected = Cider().score_multi_all(
        [[one.fields["summary"] for one in rows[2 * n : 2 * n + 2]] for n in range(3)], REFERENCES
    )
    values = [group["cider"] for pair in expected for group in pair]
    assert values[0] > 0
    for workers, batch_size in ((1, 2048), (1, 1), (2, 2)):
        _, found = evaluate(rows, [Cider()], workers=workers, batch_size=batch_size)
        assert [one.metrics["cider"] for one in found] == values


def test_jackknifed_values_keep_the_frequencies_of_the_run() -> None:
    rows = [instance(n, "bad") for n in range(3)]
    own = EvalInstance(
        "d0", "A", "reference", Fields(summary=REFERENCES[0][0], references=[REFERENCES[0][1]])
    )
    found = score([*rows, own], [Cider()])
    told = Cider().for_input([*rows, own])
    singles = [told.score("The town.", [one])["cider"] for one in REFERENCES[0]]
    assert found[0].metrics["cider_jk"] == pytest.approx(sum(singles) / 2)
    assert found[3].metrics == {
        "cider_jk": told.score(REFERENCES[0][0], REFERENCES[0][1:])["cider"]
    }


def test_a_corpus_fixes_the_frequencies(tmp_path: Path) -> None:
    corpus = tmp_path / "references.jsonl"
    corpus.write_text("\n".join(json.dumps(one) for one in REFERENCES))
    metric = Cider(corpus=str(corpus))
    summaries = ["Rain fell.", "Snow in town.", "No wind."]
    together = Cider().score_all(summaries, REFERENCES)
    apart = [metric.score(one, refs) for one, refs in zip(summaries, REFERENCES, strict=True)]
    assert apart == together
    assert not metric.needs_whole_input
    assert "corpus:references.jsonl@" in str(metric.signature())


def test_a_corpus_of_plain_lines_has_one_reference_per_input(tmp_path: Path) -> None:
    lines, listed = tmp_path / "plain.txt", tmp_path / "lists.jsonl"
    lines.write_text("\n".join(one[0] for one in REFERENCES))
    listed.write_text("\n".join(json.dumps(one[:1]) for one in REFERENCES))
    scores = [Cider(corpus=str(one)).score("Rain fell.", REFERENCES[0]) for one in (lines, listed)]
    assert scores[0] == scores[1]
    assert scores[0]["cider"] > 0


def test_words_and_case() -> None:
    pair = [["rain, rain"], ["snow"]]
    assert Cider(n=1).score_all(["rain rain", "x"], pair)[0]["cider"] == pytest.approx(10)
    assert Cider(n=1, tokenize=False).score_all(["rain rain", "x"], pair)[0]["cider"] < 10
    assert Cider(n=1).score_all(["RAIN rain", "x"], pair)[0]["cider"] < 10
    folded = Cider(n=1, lowercase=True).score_all(["RAIN rain", "x"], pair)
    assert folded[0]["cider"] == pytest.approx(10)


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="n must be"):
        Cider(n=0)
    with pytest.raises(ParameterError, match="sigma"):
        Cider(sigma=0)
    with pytest.raises(DataError, match="cannot be opened"):
        Cider(corpus=str(tmp_path / "none"))
    (tmp_path / "bad").write_text('A text.\n["a", 3]\n')
    with pytest.raises(DataError, match="bad:2: expected a text or a JSON list"):
        Cider(corpus=str(tmp_path / "bad"))
    (tmp_path / "empty").write_text("")
    with pytest.raises(DataError, match="no references"):
        Cider(corpus=str(tmp_path / "empty"))


@pytest.mark.parametrize("n", [0, 10_001, 2**62])
def test_ngrams_have_a_length_that_can_be_counted(n: int) -> None:
    with pytest.raises(ParameterError, match=f"n must be between 1 and 10,000, not {n}"):
        Cider(n=n)


def test_an_interrupted_run_goes_on_with_the_frequencies_of_the_whole_input(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    out, source = tmp_path / "rows.jsonl", str(news / "summaries.jsonl")
    words = ["cider", "score", out, "--input-files", source, "--silent", "--resume"]
    assert rubrica(*words).code == 0
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    assert sum(json.loads(line)["metrics"].get("cider", 0) > 0 for line in lines) > 50
    run = {
        "task": "score",
        "metrics": json.loads(lines[0])["signatures"],
        "peer_jackknifing": True,
        "reader": "reference-based",
        "files": [source],
    }
    # What a run leaves that was stopped after its first 40 rows.
    leave_rows(out, json.dumps(run, separators=(",", ":")), lines[:40])
    out.unlink()
    assert rubrica(*words).code == 0
    assert out.read_bytes() == whole
    assert not list(tmp_path.glob("*.partial*"))

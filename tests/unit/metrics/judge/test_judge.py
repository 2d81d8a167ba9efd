"""A language model as a metric: ratings, preferences, checklists; what is read, counted and kept out."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataWarning, ParameterError
from rubrica.metrics import Metric
from rubrica.metrics.judge.prompt import find_prompt
from rubrica.scoring import evaluate
from support.judge_server import DOCUMENT, Raw, Reply, judge, likely, said


def _prefers_longer(body: dict[str, Any]) -> Reply:
    text = body["messages"][-1]["content"]
    first = text.partition("<summary_a>\n")[2].partition("\n</summary_a>")[0]
    second = text.partition("<summary_b>\n")[2].partition("\n</summary_b>")[0]
    return said("A" if len(first) > len(second) else "B")


def test_a_rating_is_the_mean_of_the_samples_with_their_spread(serve: Any) -> None:
    server = serve(lambda body: said(str(1 + body["seed"] % 5)))
    scores = judge(server, samples=4, sampling_seed=10).score("The ferry stopped.", DOCUMENT)
    # Seeds 10 to 13 are answered by 1, 2, 3, 4.
    made = scores["judge-coherence"]
    assert made["score"] == 2.5
    assert made["sd"] == pytest.approx(math.sqrt(5 / 3))
    assert made["invalid"] == 0
    assert sorted(one["seed"] for one in server.requests) == [10, 11, 12, 13]
    sent = server.requests[0]
    assert sent["model"] == "tester"
    assert "The ferry stopped." in sent["messages"][-1]["content"]
    assert DOCUMENT[0] in sent["messages"][-1]["content"]


def test_answers_that_cannot_be_read_are_counted_and_left_out(serve: Any) -> None:
    replies = {0: "4", 1: "Somewhere between 3 and 4", 2: "7", 3: "Rating: 2"}
    server = serve(lambda body: said(replies[body["seed"]]))
    with pytest.warns(DataWarning, match="2 of 4 answers could not be read, such as 'Somewhere"):
        made = judge(server, samples=4, sampling_seed=0).score("A summary.", DOCUMENT)[
            "judge-coherence"
        ]
    assert made["score"] == 3
    assert made["invalid"] == 0.5


def test_without_a_readable_answer_there_is_no_score(serve: Any) -> None:
    metric = judge(serve(lambda _: said("I cannot judge this.")))
    with pytest.warns(DataWarning, match="5 of 5 answers"):
        made = metric.score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] is None
    assert made["judge-coherence"]["invalid"] == 1


def test_an_empty_summary_has_the_lowest_score_and_is_not_asked_about(serve: Any) -> None:
    server = serve(lambda _: said("5"))
    assert judge(server).score(" ", DOCUMENT)["judge-coherence"]["score"] == 1
    assert server.requests == []


def test_answers_that_were_cut_are_told_with_the_remedy(serve: Any) -> None:
    server = serve(lambda _: said("The summary begins with", finish_reason="length"))
    with pytest.warns(DataWarning, match="1 of them were cut: raise --max_tokens"):
        judge(server, samples=1).score("A summary.", DOCUMENT)


def test_an_answer_without_content_is_unreadable(serve: Any) -> None:
    with pytest.warns(DataWarning, match="1 of 1"):
        made = judge(serve(lambda _: said(None)), samples=1).score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] is None


def test_temperature_zero_takes_one_answer(serve: Any) -> None:
    server = serve(lambda _: said("3"))
    metric = judge(server, temperature=0)
    assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["sd"] is None
    assert len(server.requests) == 1
    assert "|samples:1|temperature:0|" in str(metric.signature())


def test_log_probabilities_give_the_expectation(serve: Any) -> None:
    shares = {"4": math.log(0.5), " 4": math.log(0.1), "2": math.log(0.2), "The": math.log(0.15)}
    server = serve(lambda _: likely(**shares))
    made = judge(server, scoring="logprobs").score("A summary.", DOCUMENT)["judge-coherence"]
    assert made["score"] == pytest.approx((0.6 * 4 + 0.2 * 2) / 0.8)
    assert made["sd"] is None
    # What is not a number of the scale, listed or not, could not be read.
    assert made["invalid"] == pytest.approx(0.2)
    assert server.requests[0]["logprobs"] is True
    assert server.requests[0]["max_tokens"] == 1
    assert len(server.requests) == 1


def test_tokens_written_alike_add_up(serve: Any) -> None:
    top = [
        {"token": "4", "logprob": math.log(0.3)},
        {"token": "4", "logprob": math.log(0.3)},
        {"token": "2", "logprob": math.log(0.2)},
    ]
    server = serve(lambda _: said("4", logprobs={"content": [{"top_logprobs": top}]}))
    made = judge(server, scoring="logprobs").score("A summary.", DOCUMENT)["judge-coherence"]
    assert made["score"] == pytest.approx((0.6 * 4 + 0.2 * 2) / 0.8)


def test_log_probabilities_that_are_none_do_not_count(serve: Any) -> None:
    content = (
        b'{"choices": [{"message": {"content": "4"}, "logprobs": {"content": [{"top_logprobs": ['
        b'{"token": "1", "logprob": 1e300}, {"token": "2", "logprob": NaN}, '
        b'{"token": "3", "logprob": -Infinity}, {"token": "4", "logprob": -1}]}]}}]}'
    )
    made = judge(serve(lambda _: Raw(content)), scoring="logprobs").score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 4


@pytest.mark.parametrize(
    "scale", ["lowest = 1\nhighest = 10", "lowest = -2\nhighest = 2", "lowest = 0.2\nhighest = 0.9"]
)
def test_a_scale_that_one_token_does_not_tell_is_refused(
    serve: Any, tmp_path: Any, scale: str
) -> None:
    # "1" may be the beginning of "10".
    file = tmp_path / "ten.toml"
    file.write_text(
        f'name = "x"\nversion = "1"\nkind = "rating"\ntemplate = "{{{{summary}}}}"\n{scale}'
    )
    with pytest.raises(ParameterError, match="0 to 9; use scoring=samples"):
        judge(serve(lambda _: said("3")), prompt=str(file), scoring="logprobs")
    assert judge(serve(lambda _: said("3")), prompt=str(file)).samples == 5  # type: ignore[attr-defined]


def test_a_preference_is_asked_in_both_orders(serve: Any) -> None:
    # This model always prefers the first place: both orders together make that a tie.
    server = serve(lambda _: said("A"))
    metric = judge(server, prompt="preference", samples=1)
    assert metric.required_context_fields == ("documents", "references")
    made = metric.score("Ours.", DOCUMENT, ["Theirs.", "Another."])
    assert made["judge-preference"]["score"] == 0.5
    # And the preference for the place is told.
    assert made["judge-preference"]["first"] == 1
    assert len(server.requests) == 4


def test_a_model_without_a_preferred_place_has_a_first_of_one_half(serve: Any) -> None:
    metric = judge(serve(_prefers_longer), prompt="preference", samples=1)
    made = metric.score("The longer one.", DOCUMENT, ["Short."])["judge-preference"]
    assert (made["score"], made["first"]) == (1, 0.5)


def test_equal_and_empty_rivals_are_not_asked_about(serve: Any) -> None:
    server = serve(lambda _: said("B"))
    metric = judge(server, prompt="preference", samples=2)
    made = metric.score("Ours.", DOCUMENT, ["Ours. ", " "])["judge-preference"]
    assert (made["score"], made["first"], made["invalid"]) == (0.75, None, 0)
    assert server.requests == []


def test_a_preference_among_peers_is_the_share_of_wins(serve: Any) -> None:
    server = serve(_prefers_longer)
    metric = judge(server, prompt="preference", against="peers", samples=1)
    assert metric.needs_whole_input
    rows = metric.score_multi(["aaa", "a", "aa"], DOCUMENT)
    assert [row["judge-preference"]["score"] for row in rows] == [1, 0, 0.5]
    # In a run the rivals are those of the whole input, however it is batched.
    instances = [
        EvalInstance("one", name, "peer", Fields(summary=name, documents=DOCUMENT))
        for name in ("aaa", "a", "aa")
    ]
    again = judge(server, prompt="preference", against="peers", samples=1)
    server.requests.clear()
    _, scored = evaluate(instances, [again], batch_size=1, workers=1)
    assert [one.metrics["judge-preference"]["score"] for one in scored] == [1, 0, 0.5]
    # A pair is asked about once for both of its summaries, in either order; and that is counted.
    assert len(server.requests) == 6
    assert again.describe().startswith(
        "judge: 6 answers requested, 6 from the cache; 600 + 12 tokens"
    )


def test_a_checklist_is_the_share_of_yes(serve: Any) -> None:
    asked = find_prompt("checklist").questions
    server = serve(lambda b: said("Yes." if asked[0] in b["messages"][-1]["content"] else "no"))
    made = judge(server, prompt="checklist", samples=1).score("A summary.", DOCUMENT)
    assert made["judge-checklist"]["score"] == 1 / len(asked)


def test_the_signature_tells_prompt_version_and_drawing(serve: Any) -> None:
    server = serve(lambda _: said("3"))
    line = str(judge(server, samples=4).signature())
    # With the port: two servers of one machine are two judges.
    place = server.url.removeprefix("http://").removesuffix("/v1").replace(":", "%3A")
    assert line.startswith(f"judge|model:tester|endpoint:{place}|prompt:coherence@1|prompt_digest:")
    assert (
        "|scoring:samples|sampling_seed:12345|samples:4|temperature:1|top_p:1|max_tokens:16|"
        in line
    )
    told = judge(server, request={"seed": None, "reasoning_effort": "low"}, retries=1).signature()
    assert told.parameters["request"] == '{"reasoning_effort":"low","seed":null}'
    assert "retries" not in told.parameters


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"samples": 0}, "samples"),
        ({"top_p": 0}, "top_p"),
        ({"top_p": 1.1}, "top_p"),
        ({"temperature": -1}, "temperature"),
        ({"requests_per_minute": 0}, "requests_per_minute"),
        ({"price_in": 1}, "must be given together"),
        ({"price_in": 1, "price_out": -1}, "price_out must not be negative"),
        ({"temperature": float("nan")}, "temperature must not be negative"),
        ({"timeout": 0}, "timeout must be above 0"),
        ({"request": {"stream": True}}, "'stream'"),
        ({"request": {"messages": []}}, "'messages'"),
        ({"endpoint": None, "request": {"seed": None}}, "needs an endpoint"),
        ({"endpoint": "ftp://x"}, "an endpoint is a URL"),
        ({"endpoint": "http://127.0.0.1:99999/v1"}, "out of range"),
    ],
    ids=str,
)
def test_a_value_that_cannot_be_is_refused(wrong: dict[str, Any], told: str) -> None:
    config = {"type": "judge", "model": "m", "endpoint": "http://127.0.0.1:9/v1", **wrong}
    with pytest.raises(ParameterError, match=told):
        Metric.from_config(config)


def test_a_configuration_makes_the_same_judge(serve: Any) -> None:
    metric = judge(serve(lambda _: said("3")), request={"seed": None}, samples=2)
    again = Metric.from_config(json.loads(json.dumps(metric.to_config())))
    assert str(again.signature()) == str(metric.signature())

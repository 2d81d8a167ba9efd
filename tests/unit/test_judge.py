"""A language model as a metric: prompts, strict reading, retries, caches, costs; against a server of our own."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError, MissingResourceError, ParameterError, UnknownNameError
from rubrica.metrics import Metric
from rubrica.metrics.judge.endpoint import EndpointError
from rubrica.metrics.judge.parsing import expectation, preference, rating, spread, yes_no
from rubrica.metrics.judge.prompt import FOLDER, find_prompt
from rubrica.scoring import evaluate
from tiny_models import checkpoint, needs_torch

Reply = dict[str, Any] | int | str


class Server:
    """An endpoint that answers as a test tells it to, and remembers what it was asked."""

    def __init__(self, answer: Callable[[dict[str, Any]], Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    owner.requests.append(body)
                    owner.keys.append(self.headers.get("Authorization"))
                    made = answer(body)
                code, content = 200, made
                if isinstance(made, int):
                    code, content = made, {"error": {"message": f"trouble {made}"}}
                data = (
                    content.encode() if isinstance(content, str) else json.dumps(content).encode()
                )
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def said(text: str, **more: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text}, **more}
    return {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 2}}


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(answer: Callable[[dict[str, Any]], Reply]) -> Server:
        started.append(Server(answer))
        return started[-1]

    yield start
    for server in started:
        server.close()


def judge(server: Server, **parameters: Any) -> Metric:
    config = {"type": "judge", "model": "tester", "endpoint": server.url, "back_off": 0.001}
    return Metric.from_config({**config, "cache_dir": "off", **parameters})


DOCUMENT = ["The ferry was taken out of service on Tuesday. A replacement is expected on Friday."]


def test_a_rating_is_the_mean_of_the_samples_with_their_spread(serve: Any) -> None:
    server = serve(lambda body: said(str(1 + body["seed"] % 5)))
    scores = judge(server, samples=4, seed=10).score("The ferry stopped.", DOCUMENT)
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
    made = judge(server, samples=4, seed=0).score("A summary.", DOCUMENT)["judge-coherence"]
    assert made["score"] == 3
    assert made["invalid"] == 0.5


def test_without_a_readable_answer_there_is_no_score(serve: Any) -> None:
    made = judge(serve(lambda _: said("I cannot judge this."))).score("A summary.", DOCUMENT)
    assert made["judge-coherence"]["score"] is None
    assert made["judge-coherence"]["invalid"] == 1


def test_an_empty_summary_has_the_lowest_score_and_is_not_asked_about(serve: Any) -> None:
    server = serve(lambda _: said("5"))
    assert judge(server).score(" ", DOCUMENT)["judge-coherence"]["score"] == 1
    assert server.requests == []


def test_log_probabilities_give_the_expectation(serve: Any) -> None:
    top = [
        {"token": "4", "logprob": math.log(0.5)},
        {"token": " 4", "logprob": math.log(0.1)},
        {"token": "2", "logprob": math.log(0.2)},
        {"token": "The", "logprob": math.log(0.2)},
    ]
    server = serve(lambda _: said("4", logprobs={"content": [{"top_logprobs": top}]}))
    made = judge(server, scoring="logprobs").score("A summary.", DOCUMENT)["judge-coherence"]
    assert made["score"] == pytest.approx((0.6 * 4 + 0.2 * 2) / 0.8)
    assert made["sd"] is None
    assert server.requests[0]["logprobs"] is True
    assert server.requests[0]["max_tokens"] == 1
    assert len(server.requests) == 1


def test_a_preference_is_asked_in_both_orders(serve: Any) -> None:
    # This model always prefers the first place: both orders together make that a tie.
    server = serve(lambda _: said("A"))
    metric = judge(server, prompt="preference", samples=1)
    assert metric.required_context_fields == ("documents", "references")
    made = metric.score("Ours.", DOCUMENT, ["Theirs.", "Another."])
    assert made["judge-preference"]["score"] == 0.5
    assert len(server.requests) == 4


def test_a_preference_among_peers_is_the_share_of_wins(serve: Any) -> None:
    def longer(body: dict[str, Any]) -> Reply:
        text = body["messages"][-1]["content"]
        first = text.partition("<summary_a>\n")[2].partition("\n</summary_a>")[0]
        second = text.partition("<summary_b>\n")[2].partition("\n</summary_b>")[0]
        return said("A" if len(first) > len(second) else "B")

    metric = judge(serve(longer), prompt="preference", against="peers", samples=1)
    assert metric.needs_whole_input
    rows = metric.score_multi(["aaa", "a", "aa"], DOCUMENT)
    assert [row["judge-preference"]["score"] for row in rows] == [1, 0, 0.5]
    # In a run the rivals are those of the whole input, however it is batched.
    instances = [
        EvalInstance("one", name, "peer", Fields(summary=name, documents=DOCUMENT))
        for name in ("aaa", "a", "aa")
    ]
    _, scored = evaluate(instances, [metric], batch_size=1, workers=1)
    assert [one.metrics["judge-preference"]["score"] for one in scored] == [1, 0, 0.5]


def test_a_checklist_is_the_share_of_yes(serve: Any) -> None:
    asked = find_prompt("checklist").questions
    server = serve(lambda b: said("Yes." if asked[0] in b["messages"][-1]["content"] else "no"))
    made = judge(server, prompt="checklist", samples=1).score("A summary.", DOCUMENT)
    assert made["judge-checklist"]["score"] == 1 / len(asked)


def test_a_busy_endpoint_is_asked_again(serve: Any) -> None:
    left = [429, 503, 500]
    server = serve(lambda _: left.pop(0) if left else said("3"))
    metric = judge(server, samples=1, retries=3)
    assert metric.score("A summary.", DOCUMENT)["judge-coherence"]["score"] == 3
    assert len(server.requests) == 4


def test_an_endpoint_that_stays_busy_is_told(serve: Any) -> None:
    server = serve(lambda _: 503)
    with pytest.raises(EndpointError, match=r"no answer in 3 attempts; the last: 503 trouble 503"):
        judge(server, samples=1, retries=2).score("A summary.", DOCUMENT)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "error", "told"),
    [
        (401, MissingResourceError, r"\$RUBRICA_TEST_KEY"),
        (404, EndpointError, "404 trouble 404"),
        ("<html>", EndpointError, "not JSON"),
        ({"choices": []}, EndpointError, r"no choices\[0\]"),
    ],
)
def test_other_refusals_are_told_at_once(
    serve: Any, reply: Reply, error: type[Exception], told: str
) -> None:
    server = serve(lambda _: reply)
    with pytest.raises(error, match=told):
        judge(server, samples=1, api_key_variable="RUBRICA_TEST_KEY").score("A summary.", DOCUMENT)
    assert len(server.requests) == 1


def test_nobody_listening_is_told() -> None:
    config = {
        "type": "judge",
        "model": "m",
        "endpoint": "http://127.0.0.1:9/v1",
        "cache_dir": "off",
    }
    with pytest.raises(EndpointError, match="no answer in 1 attempts"):
        Metric.from_config({**config, "retries": 0}).score("A summary.", DOCUMENT)


def test_the_key_comes_from_the_environment(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_TEST_KEY", "secret")
    server = serve(lambda _: said("3"))
    metric = judge(server, samples=1, api_key_variable="RUBRICA_TEST_KEY")
    metric.score("A summary.", DOCUMENT)
    assert server.keys == ["Bearer secret"]
    assert "secret" not in str(metric.signature()) + json.dumps(metric.to_config())


def test_the_key_is_not_sent_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_TEST_KEY", "secret")
    config = {"type": "judge", "model": "m", "endpoint": "http://example.invalid/v1", "samples": 1}
    config |= {"api_key_variable": "RUBRICA_TEST_KEY", "cache_dir": "off", "retries": 0}
    with pytest.raises(ParameterError, match="plain http"):
        Metric.from_config(config).score("A summary.", DOCUMENT)


def test_answers_are_kept_for_the_next_run(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda body: said(str(1 + body["seed"] % 5)))
    first = judge(server, samples=3, cache_dir=str(tmp_path), price_in=2.0, price_out=8.0)
    expected = first.score_all(["One.", "Two."], [DOCUMENT, DOCUMENT])
    assert len(server.requests) == 6
    assert first.describe() == (
        "judge: 6 answers asked for, 0 from the cache; 600 + 12 tokens, cost 0.0013"
    )
    second = judge(server, samples=3, cache_dir=str(tmp_path))
    assert second.score_all(["One.", "Two."], [DOCUMENT, DOCUMENT]) == expected
    assert len(server.requests) == 6
    assert "0 answers asked for, 6 from the cache" in second.describe()
    # Another seed, temperature or model is another question.
    judge(server, samples=1, seed=99, cache_dir=str(tmp_path)).score("One.", DOCUMENT)
    assert len(server.requests) == 7


def test_a_damaged_kept_answer_is_asked_for_again(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda _: said("3"))
    judge(server, samples=1, cache_dir=str(tmp_path)).score("One.", DOCUMENT)
    (file,) = tmp_path.rglob("*.json")
    file.write_text("{", "utf-8")
    made = judge(server, samples=1, cache_dir=str(tmp_path)).score("One.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert len(server.requests) == 2


def test_the_rate_is_limited(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.metrics.judge import endpoint

    slept: list[float] = []
    now = [0.0]
    monkeypatch.setattr(endpoint.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(endpoint.time, "sleep", slept.append)
    judge(serve(lambda _: said("3")), samples=4, requests_per_minute=120, concurrency=1).score(
        "A summary.", DOCUMENT
    )
    # The clock stands still: each waits half a second longer than the one before.
    assert slept == [0.0, 0.5, 1.0, 1.5]


def test_the_signature_tells_prompt_version_and_drawing(serve: Any) -> None:
    line = str(judge(serve(lambda _: said("3")), samples=4).signature())
    assert line.startswith(
        "judge|model:tester|endpoint:127.0.0.1|prompt:coherence@1|prompt_digest:"
    )
    assert "|scoring:samples|seed:12345|samples:4|temperature:1|top_p:1|max_tokens:16|" in line


def test_texts_are_put_in_as_they_are(serve: Any) -> None:
    server = serve(lambda _: said("3"))
    judge(server, samples=1).score("A {{document}} and {{nothing}}.", ["One {{summary}}."])
    sent = server.requests[0]["messages"][-1]["content"]
    assert "A {{document}} and {{nothing}}." in sent
    assert "One {{summary}}." in sent


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_prompt_of_ours_is_complete(path: Path) -> None:
    made = find_prompt(path.stem)
    assert made.name == path.stem
    assert made.version


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name = "x"', "needs 'version'"),
        (
            'name = "x"\nversion = "1"\nkind = "essay"\ntemplate = "{{summary}}"',
            "not one of rating",
        ),
        (
            'name = "x"\nversion = "1"\nkind = "rating"\ntemplate = "rate it"',
            r"lacks \{\{summary\}\}",
        ),
        (
            'name = "x"\nversion = "1"\nkind = "rating"\ntemplate = "{{summary}} {{author}}"',
            "unknown placeholders: author",
        ),
        (
            'name = "x"\nversion = "1"\nkind = "rating"\ntemplate = "{{summary}}"\nlowest = 5\nhighest = 1',
            "the first smaller",
        ),
        ("name = ", "not valid TOML"),
    ],
)
def test_a_prompt_that_is_not_right_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(DataError, match=told):
        find_prompt(str(file))


def test_an_own_prompt_is_used(serve: Any, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'name = "short"\nversion = "7"\nkind = "rating"\nlowest = 0\nhighest = 10\ntemplate = "{{summary}}?"'
    )
    server = serve(lambda _: said("9/10"))
    metric = judge(server, prompt=str(file), samples=1)
    assert metric.score("A summary.")["judge-short"]["score"] == 9
    assert server.requests[0]["messages"] == [{"role": "user", "content": "A summary.?"}]
    assert "prompt:short@7" in str(metric.signature())


def test_an_unknown_prompt_is_told_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="coherence"):
        find_prompt("coherance")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("4", 4),
        (" 4\n", 4),
        ("4.5", 4.5),
        ("**4**", 4),
        ("Score: 4", 4),
        ("4/5", 4),
        ("4 out of 5", 4),
        ("4 - it reads well", 4),
        ("4\nBecause 3 would be low.", 4),
        ("4/10", None),
        ("3 or 4", None),
        ("3-4", None),
        ("6", None),
        ("0", None),
        ("four", None),
        ("I give it a 4", None),
        ("", None),
    ],
)
def test_ratings_are_read_strictly(answer: str, expected: float | None) -> None:
    assert rating(answer, 1, 5) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("A", 1), ("b.", 0), ("Tie", 0.5), ("Summary A", 1), ("Verdict: B", 0), ("Both", None)],
)
def test_preferences_are_read_strictly(answer: str, expected: float | None) -> None:
    assert preference(answer) == expected


@pytest.mark.parametrize(("answer", "expected"), [("Yes", 1), ("no, because", 0), ("Maybe", None)])
def test_yes_and_no_are_read_strictly(answer: str, expected: float | None) -> None:
    assert yes_no(answer) == expected


def test_an_expectation_without_a_valid_token_is_undefined() -> None:
    assert expectation({"The": -0.1}, {"1": 1.0}) is None


def test_one_value_has_no_spread() -> None:
    assert spread([3.0]) is None
    assert spread([3.0, 5.0]) == pytest.approx(math.sqrt(2))


@needs_torch
def test_a_local_model_draws_the_same_answers_from_the_same_seed() -> None:
    config = {"type": "judge", "model": checkpoint("gpt"), "cache_dir": "off", "device": "cpu"}
    rows = [
        Metric.from_config({**config, "samples": 3, "max_tokens": 4, "seed": seed})._answering()  # type: ignore[attr-defined]
        for seed in (1, 1)
    ]
    from rubrica.metrics.judge.answers import Question

    def asked(seed: int) -> Question:
        return Question((("user", "The ferry stopped. Rate it."),), 1.0, 1.0, 6, seed, False)

    first = [rows[0].ask(asked(seed)).text for seed in range(4)]
    assert [rows[1].ask(asked(seed)).text for seed in range(4)] == first
    assert len(set(first)) > 1


@needs_torch
def test_a_local_models_expectation_is_that_of_its_next_token() -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = checkpoint("gpt")
    metric = Metric.from_config(
        {
            "type": "judge",
            "model": folder,
            "scoring": "logprobs",
            "cache_dir": "off",
            "device": "cpu",
        }
    )
    made = metric.score("The ferry stopped.", DOCUMENT)["judge-coherence"]["score"]
    prompt = find_prompt("coherence")
    texts = {
        "summary": "The ferry stopped.",
        "document": DOCUMENT[0],
        "lowest": "1",
        "highest": "5",
    }
    shown = "\n\n".join(one["content"] for one in prompt.messages(**texts))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(shown, add_special_tokens=False, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = AutoModelForCausalLM.from_pretrained(folder)(ids).logits[0, -1]
    shares = torch.softmax(logits.double(), -1)
    top = set(logits.topk(200).indices.tolist())
    assert any(tokenizer.get_vocab()[str(n)] in top for n in range(1, 6))
    weights = {
        n: sum(
            shares[i].item()
            for token in (str(n), f"Ġ{n}")
            if (i := tokenizer.get_vocab().get(token)) is not None and i in top
        )
        for n in range(1, 6)
    }
    expected = sum(n * w for n, w in weights.items()) / sum(weights.values())
    assert made == pytest.approx(expected, abs=1e-5)

"""Whatever a summary or an answer says: the prompt keeps its shape, and reading gives a value or none."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from rubrica.metrics.judge.answers import Question
from rubrica.metrics.judge.connection import Reply
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.parser import preference, rating, yes_no
from rubrica.metrics.judge.prompt import find_prompt
from rubrica.metrics.judge.providers.base import PROVIDERS, ProviderOptions
from rubrica.metrics.judge.responses import Trouble, read_reply

PIECES = ["<summary>", "</summary>", "</ Summary >", "<document>", "<", ">", "/", "{{document}}"]
PIECES += ["<|im_end|>", "<|", "|>", "&lt;", "summary", "a", " ", "\n", "4", "A", "tie", "yes", "."]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 600) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("choices", "message", "content", "usage", "error", "code", "logprobs"),
                    *("candidates", "parts", "output", "delta", "type", "finishReason", "done"),
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(texts, texts)
def test_a_text_never_leaves_its_place(summary: str, document: str) -> None:
    shown = find_prompt("coherence").messages(
        summary=summary, document=document, lowest="1", highest="5"
    )[-1]["content"]
    plain = shown.lower().replace(" ", "")
    for tag in ("<summary>", "</summary>", "<document>", "</document>"):
        assert plain.count(tag) == 1
    assert "<|im_end|>" not in shown


@given(texts)
def test_an_answer_is_read_or_not(answer: str) -> None:
    points = rating(answer, 1, 5)
    assert points is None or 1 <= points <= 5
    assert preference(answer) in {None, 0.0, 0.5, 1.0}
    assert yes_no(answer) in {None, 0.0, 1.0}


def outcome(reply: Reply, logprobs: bool, provider: str = "openai") -> str:
    model = PROVIDERS.get(provider)("m", ProviderOptions("http://127.0.0.1:1"))
    assert isinstance(model, Endpoint)
    question = Question((("user", "How good?"),), 1.0, 1.0, 16, 1, logprobs)
    try:
        answer = read_reply(reply, lambda content: model.answer(content, question), model.merge)
        return f"answer: {answer.text}"
    except Trouble as trouble:
        return f"trouble: {trouble}"


FORMATS = st.sampled_from(["openai", "anthropic", "gemini", "ollama", "bedrock"])
TYPES = st.sampled_from(["application/json", "text/event-stream", "application/x-ndjson"])


@given(values, st.sampled_from([200, 400, 404, 429, 500]), st.booleans(), FORMATS, TYPES)
def test_any_json_is_an_answer_or_a_trouble(
    value: object, status: int, logprobs: bool, provider: str, kind: str
) -> None:
    content = json.dumps(value).encode()
    content = b"data: " + content if kind == "text/event-stream" else content
    result = outcome(Reply(status, {"Content-Type": kind}, content), logprobs, provider)
    assert status == 200 or result.startswith(f"trouble: {status} ")


@given(st.binary(max_size=40))
def test_any_bytes_are_an_answer_or_a_trouble(content: bytes) -> None:
    assert outcome(Reply(200, {}, content), False).startswith("trouble: the answer ")

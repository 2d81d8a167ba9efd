"""Ollama's own API, which can refuse a prompt that is too long; its compatible one truncates it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.responses import Trouble, count_tokens, first_token_probabilities

_TOP = 20


class Ollama(Endpoint):
    """`POST BASE/api/chat`, on this machine by default."""

    base: ClassVar[str] = "http://127.0.0.1:11434"
    key_name: ClassVar[str] = "OLLAMA_API_KEY"

    def path(self, base: str) -> str:
        """Return the path to append."""
        return "/api/chat"

    def body(self, question: Question) -> dict[str, Any]:
        """Return the request."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in question.messages],
            "stream": self.options.stream,
            # Refuse a prompt that does not fit into num_ctx; without this it would be cut silently.
            "truncate": False,
            "options": {
                "temperature": question.temperature,
                "top_p": question.top_p,
                "num_predict": question.max_tokens,
                "seed": question.seed,
            },
        }
        if question.logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP}
        if question.schema:
            body["format"] = json.loads(question.schema)
        return body

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the message."""
        text = content["message"]["content"]
        if not isinstance(text, str):
            raise TypeError(text)
        first: dict[str, float] = {}
        if question.logprobs:
            first = first_token_probabilities(
                lambda: (
                    (token["token"], token["logprob"])
                    for token in content["logprobs"][0]["top_logprobs"]
                ),
                "logprobs[0].top_logprobs",
                content,
            )
        cut = content.get("done_reason") == "length" and not question.logprobs
        usage = count_tokens(content, "prompt_eval_count", "eval_count")
        return Answer(text, first, *usage, cut=cut)

    def merge(self, events: Sequence[Any]) -> Any:
        """Return the reply whose lines were streamed."""
        if not events or not events[-1].get("done"):
            raise Trouble("the stream ended before the answer did", retry=True)
        text = "".join(event["message"]["content"] for event in events)
        logprobs = [token for event in events for token in event.get("logprobs") or ()]
        return {**events[-1], "message": {"content": text}, "logprobs": logprobs}

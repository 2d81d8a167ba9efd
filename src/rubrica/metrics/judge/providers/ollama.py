"""Ollama's own API, which can refuse a prompt that is too long; its compatible one truncates it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.providers.openai import OpenAI
from rubrica.metrics.judge.responses import Trouble


class Ollama(OpenAI):
    """`POST BASE/api/chat`, on this machine by default; the fields of OpenAI under other names."""

    base = "http://127.0.0.1:11434"
    batches = None
    key_name = "OLLAMA_API_KEY"
    _path = "/api/chat"
    _logprobs_place = "logprobs[0].top_logprobs"

    def sampling(self, question: Question) -> dict[str, Any]:
        """Return the fields that say how the answer is drawn and sent."""
        return {
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

    def structure(self, schema: Any) -> dict[str, Any]:
        """Return the field that holds the answer to a schema."""
        return {"format": schema}

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the message."""
        choice = {"message": content["message"], "finish_reason": content.get("done_reason")}
        choice["logprobs"] = {"content": content.get("logprobs")}
        usage = {
            "prompt_tokens": content.get("prompt_eval_count"),
            "completion_tokens": content.get("eval_count"),
        }
        return super().answer({"choices": [choice], "usage": usage}, question)

    def merge(self, events: Sequence[Any]) -> Any:
        """Return the reply whose lines were streamed."""
        if not events or not events[-1].get("done"):
            raise Trouble("the stream ended before the answer did", retry=True)
        text = "".join(event["message"]["content"] for event in events)
        logprobs = [token for event in events for token in event.get("logprobs") or ()]
        return {**events[-1], "message": {"content": text}, "logprobs": logprobs}

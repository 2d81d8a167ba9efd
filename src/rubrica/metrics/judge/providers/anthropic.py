"""The Messages API of Anthropic."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.batches.anthropic import AnthropicBatches
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.responses import Trouble, count_tokens


class Anthropic(Endpoint):
    """`POST BASE/messages`. The API has no seed and no log-probabilities."""

    base: ClassVar[str] = "https://api.anthropic.com/v1"
    key_name: ClassVar[str] = "ANTHROPIC_API_KEY"
    has_logprobs = False
    batches = AnthropicBatches

    def path(self, base: str) -> str:
        """Return the path to append."""
        return "/messages"

    def headers(self, key: str, body: bytes) -> dict[str, str]:
        """Return the version of the API, and the key."""
        version = {"anthropic-version": "2023-06-01"}
        return {**version, "x-api-key": key} if key else version

    def body(self, question: Question) -> dict[str, Any]:
        """Return the request; the system prompt is a field of its own."""
        system = "\n\n".join(text for role, text in question.messages if role == "system")
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": question.max_tokens,
            "system": system or None,
            "messages": [
                {"role": role, "content": text}
                for role, text in question.messages
                if role != "system"
            ],
            "temperature": min(1.0, question.temperature),
            # Newer models refuse top_p beside a temperature.
            "top_p": question.top_p if question.top_p < 1 else None,
        }
        if question.schema:
            body["output_config"] = {
                "format": {"type": "json_schema", "schema": json.loads(question.schema)}
            }
        if self.options.stream:
            body["stream"] = True
        return body

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the text blocks; thinking blocks are left out."""
        if content.get("stop_reason") == "refusal":
            raise Trouble("the model refuses to answer (stop_reason refusal)", of_question=True)
        texts = [block["text"] for block in content["content"] if block.get("type") == "text"]
        usage = count_tokens(content.get("usage"), "input_tokens", "output_tokens")
        return Answer("".join(texts), {}, *usage, cut=content.get("stop_reason") == "max_tokens")

    def merge(self, events: Sequence[Any]) -> Any:
        """Return the message whose pieces were streamed."""
        texts, usage, reason = [], dict[str, Any](), None
        for event in events:
            if event.get("type") == "message_start":
                usage |= event["message"].get("usage") or {}
            elif event.get("type") == "content_block_delta":
                texts.append(event["delta"].get("text") or "")
            elif event.get("type") == "message_delta":
                reason = event["delta"].get("stop_reason") or reason
                usage |= event.get("usage") or {}
        if reason is None:
            raise Trouble("the stream ended before the answer did", retry=True)
        content = [{"type": "text", "text": "".join(texts)}]
        return {"content": content, "stop_reason": reason, "usage": usage}

"""The Gemini API of Google."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.batches.gemini import GeminiBatches
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.responses import Trouble, count_tokens, first_token_probabilities

_TOP = 20
_ENDED = ("STOP", "MAX_TOKENS")


class Gemini(Endpoint):
    """`POST BASE/models/MODEL:generateContent`."""

    base: ClassVar[str] = "https://generativelanguage.googleapis.com/v1beta"
    key_name: ClassVar[str] = "GEMINI_API_KEY"
    batches = GeminiBatches

    def path(self, base: str) -> str:
        """Return the path of the model."""
        return f"/models/{quote(self.model.removeprefix('models/'), safe='')}:generateContent"

    def stream_path(self, path: str) -> str:
        """Return the path that streams server-sent events."""
        return path.replace(":generateContent", ":streamGenerateContent?alt=sse")

    def headers(self, key: str, body: bytes) -> dict[str, str]:
        """Return the header with the key: an address ends up in logs."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, question: Question) -> dict[str, Any]:
        """Return the request; roles are user and model."""
        system = "\n\n".join(text for role, text in question.messages if role == "system")
        roles = {"user": "user", "assistant": "model"}
        config: dict[str, Any] = {
            "temperature": question.temperature,
            "topP": question.top_p,
            "maxOutputTokens": question.max_tokens,
            "seed": question.seed,
        }
        if question.logprobs:
            config |= {"responseLogprobs": True, "logprobs": _TOP}
        if question.schema:
            config |= {
                "responseMimeType": "application/json",
                "responseJsonSchema": json.loads(question.schema),
            }
        return {
            "systemInstruction": {"parts": [{"text": system}]} if system else None,
            "contents": [
                {"role": roles[role], "parts": [{"text": text}]}
                for role, text in question.messages
                if role != "system"
            ],
            "generationConfig": config,
        }

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the first candidate; a blocked prompt or candidate is a refused question."""
        feedback = content.get("promptFeedback")
        if feedback and feedback.get("blockReason"):
            raise Trouble(f"the prompt was blocked: {feedback['blockReason']}", of_question=True)
        candidate = content["candidates"][0]
        reason = candidate.get("finishReason")
        if reason not in _ENDED:
            raise Trouble(f"the answer was blocked: {reason}", of_question=True)
        parts = candidate.get("content", {}).get("parts") or ()
        text = "".join(part.get("text") or "" for part in parts if not part.get("thought"))
        first: dict[str, float] = {}
        if question.logprobs:
            first = first_token_probabilities(
                lambda: (
                    (token["token"], token["logProbability"])
                    for token in candidate["logprobsResult"]["topCandidates"][0]["candidates"]
                ),
                "candidates[0].logprobsResult.topCandidates[0].candidates",
                content,
            )
        usage = count_tokens(
            _with_thoughts(content.get("usageMetadata")), "promptTokenCount", "answerTokenCount"
        )
        cut = reason == "MAX_TOKENS" and not question.logprobs
        return Answer(text, first, *usage, cut=cut)

    def merge(self, events: Sequence[Any]) -> Any:
        """Return the reply whose parts were streamed."""
        parts: list[Any] = []
        whole: dict[str, Any] = {}
        for event in events:
            whole |= {name: value for name, value in event.items() if name != "candidates"}
            for candidate in event.get("candidates") or ():
                parts += candidate.get("content", {}).get("parts") or ()
                before = whole.setdefault("candidates", [{}])[0]
                logprobs = before.get("logprobsResult") or candidate.get("logprobsResult")
                before |= {**candidate, "content": {"parts": parts}, "logprobsResult": logprobs}
        if "promptFeedback" not in whole and not whole.get("candidates", [{}])[0].get(
            "finishReason"
        ):
            raise Trouble("the stream ended before the answer did", retry=True)
        return whole


def _with_thoughts(usage: Any) -> Any:
    """Return the usage with the tokens of the answer, which are billed with those of thoughts."""
    if not isinstance(usage, dict):
        return usage
    answer, thoughts = usage.get("candidatesTokenCount", 0), usage.get("thoughtsTokenCount", 0)
    if not (isinstance(answer, int) and isinstance(thoughts, int)):
        return usage
    return {**usage, "answerTokenCount": answer + thoughts}

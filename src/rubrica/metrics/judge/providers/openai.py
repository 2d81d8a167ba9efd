"""Chat completions: OpenAI and every server that is compatible with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from rubrica.errors import ParameterError
from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.batches.base import BatchApi
from rubrica.metrics.judge.batches.openai import OpenAIBatches
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.responses import Trouble, count_tokens, first_token_probabilities

_TOP = 20


class OpenAI(Endpoint):
    """`POST BASE/chat/completions`."""

    base: ClassVar[str] = "https://api.openai.com/v1"
    key_name: ClassVar[str] = "OPENAI_API_KEY"
    batches: ClassVar[type[BatchApi] | None] = OpenAIBatches
    _path = "/chat/completions"
    _logprobs_place = "choices[0].logprobs.content[0].top_logprobs"

    def path(self, base: str) -> str:
        """Return the path to append; a base URL may already end in it."""
        return "" if base.endswith(self._path) else self._path

    def batch_base(self) -> str:
        """Return the URL without what chat completions append."""
        return self.url.removesuffix(self._path)

    def body(self, question: Question) -> dict[str, Any]:
        """Return the request."""
        body = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in question.messages],
            **self.sampling(question),
        }
        if question.logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP}
        if question.schema:
            body |= self.structure(json.loads(question.schema))
        return body

    def sampling(self, question: Question) -> dict[str, Any]:
        """Return the fields that say how the answer is drawn and sent."""
        fields: dict[str, Any] = {
            "temperature": question.temperature,
            "top_p": question.top_p,
            "max_tokens": question.max_tokens,
            "seed": question.seed,
        }
        if self.options.stream:
            fields |= {"stream": True, "stream_options": {"include_usage": True}}
        return fields

    def structure(self, schema: Any) -> dict[str, Any]:
        """Return the field that holds the answer to a schema."""
        form = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the first choice."""
        choice = content["choices"][0]
        text = choice["message"]["content"]
        if not (text is None or isinstance(text, str)):
            raise TypeError(text)
        first: dict[str, float] = {}
        if question.logprobs:
            first = first_token_probabilities(
                lambda: (
                    (token["token"], token["logprob"])
                    for token in choice["logprobs"]["content"][0]["top_logprobs"]
                ),
                self._logprobs_place,
                content,
            )
        cut = choice.get("finish_reason") == "length" and not question.logprobs
        usage = count_tokens(content.get("usage"), "prompt_tokens", "completion_tokens")
        return Answer(text or "", first, *usage, cut=cut)

    def merge(self, events: Sequence[Any]) -> Any:
        """Return the reply whose pieces were streamed."""
        texts, choice = [], dict[str, Any]()
        usage = None
        for event in events:
            usage = event.get("usage") or usage
            for piece in event.get("choices") or ():
                texts.append(piece.get("delta", {}).get("content") or "")
                if piece.get("finish_reason"):
                    choice["finish_reason"] = piece["finish_reason"]
                if piece.get("logprobs"):
                    choice.setdefault("logprobs", piece["logprobs"])
        if "finish_reason" not in choice:
            raise Trouble("the stream ended before the answer did", retry=True)
        choice["message"] = {"content": "".join(texts)}
        return {"choices": [choice], "usage": usage}


class Vllm(OpenAI):
    """A vLLM server, on this machine by default."""

    base = "http://127.0.0.1:8000/v1"
    batches = None
    key_name = "VLLM_API_KEY"


class LlamaCpp(OpenAI):
    """A llama.cpp server (`llama-server`), on this machine by default."""

    base = "http://127.0.0.1:8080/v1"
    batches = None
    key_name = "LLAMA_API_KEY"


class Azure(OpenAI):
    """Azure OpenAI by its `v1` API; the model is the name of a deployment."""

    base = ""
    key_name = "AZURE_OPENAI_API_KEY"

    def path(self, base: str) -> str:
        """Return the path to append to the resource's address."""
        if not base:
            raise ParameterError(
                "judge: provider=azure needs the address of your resource, such as "
                "--endpoint https://NAME.openai.azure.com"
            )
        prefix = "" if "/openai/" in f"{base}/" else "/openai/v1"
        return prefix + super().path(base)

    def headers(self, key: str, body: bytes) -> dict[str, str]:
        """Return the header with the key."""
        return {"api-key": key} if key else {}

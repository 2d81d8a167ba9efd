"""The Converse API of Amazon Bedrock, with an API key or a signature of AWS keys."""

from __future__ import annotations

import os
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from rubrica.errors import MissingResourceError, ParameterError
from rubrica.metrics.judge.answers import Answer, Question
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.providers.base import ProviderOptions
from rubrica.metrics.judge.providers.signing import Credentials, signed_headers
from rubrica.metrics.judge.responses import Trouble, count_tokens


class Bedrock(Endpoint):
    """`POST BASE/model/MODEL/converse`; the base is that of the region ($AWS_REGION) by default.

    Signs requests with $AWS_ACCESS_KEY_ID, $AWS_SECRET_ACCESS_KEY and $AWS_SESSION_TOKEN unless the
    key variable holds a Bedrock API key. Files and services of AWS with credentials are not read.
    """

    key_name: ClassVar[str] = "AWS_BEARER_TOKEN_BEDROCK"
    has_logprobs = False

    def __init__(self, model: str, options: ProviderOptions) -> None:
        if options.stream:
            raise ParameterError("judge: provider=bedrock does not stream; leave out --stream")
        super().__init__(model, options)

    @property
    def base(self) -> str:  # type: ignore[override]
        """The address of the region."""
        return f"https://bedrock-runtime.{_region()}.amazonaws.com"

    def path(self, base: str) -> str:
        """Return the path of the model, whose name may be an ARN."""
        return f"/model/{quote(self.model, safe='')}/converse"

    def headers(self, key: str, body: bytes) -> dict[str, str]:
        """Return the API key, or a signature of this request."""
        if key:
            return {"Authorization": f"Bearer {key}"}
        host = urlsplit(self.url).hostname or ""
        # bedrock-runtime.REGION.amazonaws.com
        parts = host.split(".")
        region = parts[1] if host.endswith(".amazonaws.com") and len(parts) == 4 else _region()
        return signed_headers(self.url, body, _credentials(), region=region, service="bedrock")

    def secrets(self) -> list[str]:
        """Return what must not appear in messages."""
        names = (self.key_variable, "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        return [os.environ.get(name, "").strip() for name in names]

    def body(self, question: Question) -> dict[str, Any]:
        """Return the request."""
        body: dict[str, Any] = {
            "system": [{"text": text} for role, text in question.messages if role == "system"],
            "messages": [
                {"role": role, "content": [{"text": text}]}
                for role, text in question.messages
                if role != "system"
            ],
            "inferenceConfig": {
                "maxTokens": question.max_tokens,
                "temperature": min(1.0, question.temperature),
                # Some models refuse topP beside a temperature.
                "topP": question.top_p if question.top_p < 1 else None,
            },
        }
        if question.schema:
            structure = {"jsonSchema": {"name": "answer", "schema": question.schema}}
            body["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": structure}}
        return body

    def answer(self, content: Any, question: Question) -> Answer:
        """Return the text blocks; reasoning blocks are left out."""
        reason = content.get("stopReason")
        if reason in ("guardrail_intervened", "content_filtered"):
            raise Trouble(f"the answer was blocked: {reason}", of_question=True)
        blocks = content["output"]["message"]["content"]
        texts = [block["text"] for block in blocks if "text" in block]
        usage = count_tokens(content.get("usage"), "inputTokens", "outputTokens")
        return Answer("".join(texts), {}, *usage, cut=reason == "max_tokens")


def _region() -> str:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        region = os.environ.get(name, "").strip()
        if region:
            if not region.replace("-", "").isalnum() or not region.isascii():
                raise ParameterError(f"${name} is not the name of a region, such as eu-west-1")
            return region
    raise MissingResourceError("Bedrock needs a region: set AWS_REGION, such as eu-west-1")


def _credentials() -> Credentials:
    key, secret = (
        os.environ.get(name, "").strip() for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    )
    if not (key and secret):
        raise MissingResourceError(
            "Bedrock needs a key: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY"
        )
    return Credentials(key, secret, os.environ.get("AWS_SESSION_TOKEN", "").strip())

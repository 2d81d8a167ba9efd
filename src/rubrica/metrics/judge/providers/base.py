"""What a provider of language models implements, and the registry of providers."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import ClassVar

from rubrica.metrics.judge.answers import Answer, Question
from rubrica.registry import Registry


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """How to reach a model: None takes the provider's own address and key variable."""

    endpoint: str | None = None
    key_variable: str | None = None
    retries: int = 5
    back_off: float = 1.0
    requests_per_minute: float | None = None
    timeout: float = 120.0
    stream: bool = False


class Provider:
    """A `LanguageModel` that is constructed from a model's name and `ProviderOptions`.

    Another package adds one by the entry point group `rubrica.judge_providers`, or registers a class
    with `PROVIDERS.register(name)`. A provider behind HTTP extends `Endpoint`, which already retries,
    limits the rate and protects the key.
    """

    name: ClassVar[str] = ""
    # Whether answers come with log-probabilities.
    has_logprobs: ClassVar[bool] = True

    def __init__(self, model: str, options: ProviderOptions) -> None:
        self.model, self.options = model, options
        # What the signature calls the endpoint.
        self.host = ""

    def identity(self) -> str:
        """Return what identifies the model: equal identities give equal answers."""
        raise TypeError(f"{type(self).__name__} does not define identity")

    def ask(self, question: Question, stopped: threading.Event) -> Answer:
        """Return the answer, or raise `RefusedQuestionError` or `NoAnswerError`."""
        raise TypeError(f"{type(self).__name__} does not define ask")


_HERE = "rubrica.metrics.judge.providers"
PROVIDERS: Registry[Provider] = Registry(
    "provider",
    "rubrica.judge_providers",
    Provider,
    {
        "anthropic": f"{_HERE}.anthropic:Anthropic",
        "azure": f"{_HERE}.openai:Azure",
        "bedrock": f"{_HERE}.bedrock:Bedrock",
        "gemini": f"{_HERE}.gemini:Gemini",
        "llama-cpp": f"{_HERE}.openai:LlamaCpp",
        "ollama": f"{_HERE}.ollama:Ollama",
        "openai": f"{_HERE}.openai:OpenAI",
        "vllm": f"{_HERE}.openai:Vllm",
    },
)

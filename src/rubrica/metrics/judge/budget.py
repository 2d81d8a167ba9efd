"""What answers cost: prices, a limit that is never passed, and estimates before anything is asked."""

from __future__ import annotations

import json
import math
import threading

from rubrica.metrics.judge.answers import Answer, NoAnswerError, Prices, Question

# Characters of English per token are about four; other scripts have fewer.
_CHARACTERS_PER_TOKEN = 4.0
# Tokens around every message of a chat.
_TOKENS_PER_MESSAGE = 4


class BudgetError(NoAnswerError):
    """The next request could cost more than is left."""


def estimate_tokens(question: Question) -> int:
    """Return about how many tokens a question has, by its characters."""
    tokens = 0.0
    for _, text in question.messages:
        ascii_count = sum(map(str.isascii, text))
        # A character of another script is often a token of its own.
        tokens += ascii_count / _CHARACTERS_PER_TOKEN + (len(text) - ascii_count)
        tokens += _TOKENS_PER_MESSAGE
    return math.ceil(tokens)


class Budget:
    """A limit on the cost of a run; a request reserves what it may cost at most until its answer arrives."""

    def __init__(self, prices: Prices, limit: float) -> None:
        self._prices, self._limit = prices, limit
        self._spent = self._reserved = 0.0
        self._lock = threading.Lock()

    def reserve(self, question: Question) -> float:
        """Return the reserved cost; raise `BudgetError` if the request could exceed the limit."""
        # Twice the estimate: the tokenizer of a model may cut words into smaller pieces.
        cost = self._prices.cost(2 * estimate_tokens(question), question.max_tokens)
        with self._lock:
            if self._spent + self._reserved + cost > self._limit:
                more = f", with up to {self._reserved:,.4f} more for requests under way"
                raise BudgetError(
                    f"stopped at a cost of {self._spent:,.4f}{more if self._reserved > 0 else ''}: the "
                    f"next request, up to {cost:,.4f}, could exceed max_cost {self._limit:g}. Raise "
                    "--max_cost to go on"
                )
            self._reserved += cost
        return cost

    def settle(self, reserved: float, answer: Answer | None) -> None:
        """Replace a reservation by what the answer cost; a failed request costs nothing."""
        with self._lock:
            self._reserved -= reserved
            if answer is not None and answer.counted:
                self._spent += self._prices.cost(answer.prompt_tokens, answer.completion_tokens)
            elif answer is not None:
                # Nobody said how many tokens it took: assume the most.
                self._spent += reserved


class DryRun:
    """Counts questions and estimates their tokens instead of asking them."""

    def __init__(self) -> None:
        self.requests = self.cached = self.prompt_tokens = self.answer_tokens = 0
        self._known: set[Question] = set()

    def answer(self, question: Question, *, cached: bool) -> Answer | None:
        """Count a question; return ten units if it asks for a list of units, else None.

        A question that was asked before, in this run or another, costs nothing.
        """
        if cached or question in self._known:
            self.cached += 1
        else:
            self._known.add(question)
            self.requests += 1
            self.prompt_tokens += estimate_tokens(question)
            self.answer_tokens += question.max_tokens
        if '"units"' not in question.schema:
            return None
        # Long lists are asked about in several questions; ten units are typical.
        units = [{"text": f"unit {number}", "importance": "vital"} for number in range(1, 11)]
        return Answer(json.dumps({"units": units}))

    def describe(self, prices: Prices | None) -> str:
        """Return the estimate as text."""
        text = (
            f"{self.requests:,} answers to request, {self.cached:,} from the cache; about "
            f"{self.prompt_tokens:,} tokens of prompts, at most {self.answer_tokens:,} of answers"
        )
        if prices is None:
            return f"{text}; the price is unknown: pass price_in and price_out for the cost"
        cost = prices.cost(self.prompt_tokens, self.answer_tokens)
        return f"{text}; cost about {cost:,.4f} at most{prices.note()}"

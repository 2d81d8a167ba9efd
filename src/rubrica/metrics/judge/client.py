"""Asking many questions at a time: what is refused or cannot be read is told, an interrupt ends it soon."""

from __future__ import annotations

import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from queue import SimpleQueue

from rubrica.errors import DataWarning, printable
from rubrica.metrics.judge.answers import Answer, AnswerCache, Question, RefusedQuestionError
from rubrica.neural.progress import report

# Seconds that answers under way have after an interrupt.
_GRACE = 5.0


def ask_all(
    questions: Sequence[Question],
    cache: AnswerCache,
    *,
    concurrency: int,
    readable: Callable[[Answer], bool],
    label: str,
) -> list[Answer | None]:
    """The answers in order, None where a question is refused."""
    refusals: list[str] = []

    def ask(question: Question, stopped: threading.Event) -> Answer | None:
        try:
            return cache.ask(question, stopped)
        except RefusedQuestionError as error:
            refusals.append(str(error))
            return None

    made: list[Answer | None] = [None] * len(questions)
    # Closed at once: an interrupt that comes while progress is told must reach the threads too.
    with closing(_answered(questions, ask, concurrency)) as coming:
        for done, (at, answer) in enumerate(coming, 1):
            made[at] = answer
            report("answers", done, len(questions))
    if refusals:
        _warn(
            f"{label}: {len(refusals):,} of {len(made):,} questions were refused and count as invalid: "
            f"{refusals[-1]}"
        )
    answered = [one for one in made if one is not None]
    unread = [one for one in answered if not readable(one)]
    if unread:
        cut = sum(one.cut for one in unread)
        remedy = f"; {cut:,} of them were cut: raise --max_tokens" if cut else ""
        _warn(
            f"{label}: {len(unread):,} of {len(answered):,} answers could not be read, such as "
            f"{printable(unread[0].text[:60])!r}{remedy}"
        )
    return made


def _answered(
    questions: Sequence[Question],
    ask: Callable[[Question, threading.Event], Answer | None],
    concurrency: int,
) -> Generator[tuple[int, Answer | None], None, None]:
    """Place and answer of each question, as they come."""
    stopped = threading.Event()
    if concurrency == 1:
        for at, question in enumerate(questions):
            yield at, ask(question, stopped)
        return
    waiting = deque(enumerate(questions))
    answers: SimpleQueue[tuple[int, Answer | BaseException | None]] = SimpleQueue()

    def work() -> None:
        while not stopped.is_set():
            try:
                at, question = waiting.popleft()
            except IndexError:
                return
            try:
                answers.put((at, ask(question, stopped)))
            except BaseException as error:
                answers.put((at, error))

    # Not those of an executor, for which the program would wait at its end however long they take.
    threads = [
        threading.Thread(target=work, name="judge", daemon=True)
        for _ in range(min(concurrency, len(questions)))
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in questions:
            at, answer = answers.get()
            if isinstance(answer, BaseException):
                raise answer
            yield at, answer
    finally:
        # After an error or an interrupt nobody waits for another attempt, and what is under way has
        # a little time to arrive and be cached.
        stopped.set()
        end = time.monotonic() + _GRACE
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))


def _warn(told: str) -> None:
    warnings.warn(told, DataWarning, stacklevel=2)

"""Ask many questions concurrently: reports refused and unreadable answers, stops soon after an interrupt."""

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

# Seconds to wait for pending answers after an interrupt.
_GRACE = 5.0


def ask_all(
    questions: Sequence[Question],
    cache: AnswerCache,
    *,
    concurrency: int,
    readable: Callable[[Answer], bool],
    label: str,
    remedy: str,
) -> list[Answer | None]:
    """Return the answers in order; None for a refused question. `remedy` says what may help against refusals."""
    refusals: list[str] = []

    def ask(question: Question, stopped: threading.Event) -> Answer | None:
        try:
            return cache.ask(question, stopped)
        except RefusedQuestionError as error:
            refusals.append(str(error))
            return None

    answers: list[Answer | None] = [None] * len(questions)
    # Close explicitly: an interrupt during progress reporting must reach the threads too.
    with closing(_answer_stream(questions, ask, concurrency)) as coming:
        for count, (at, answer) in enumerate(coming, 1):
            answers[at] = answer
            report("answers", count, len(questions))
    if refusals:
        _warn(
            f"{label}: {len(refusals):,} of {len(answers):,} questions were refused and count as invalid: "
            f"{refusals[-1]}{remedy and f'; {remedy}'}"
        )
    answered = [answer for answer in answers if answer is not None]
    unread = [answer for answer in answered if not readable(answer)]
    if unread:
        cut = sum(answer.cut for answer in unread)
        advice = f"; {cut:,} of them were cut: raise --max_tokens" if cut else ""
        _warn(
            f"{label}: {len(unread):,} of {len(answered):,} answers could not be read, such as "
            f"{printable(unread[0].text[:60])!r}{advice}"
        )
    return answers


def _answer_stream(
    questions: Sequence[Question],
    ask: Callable[[Question, threading.Event], Answer | None],
    concurrency: int,
) -> Generator[tuple[int, Answer | None], None, None]:
    """Yield the index and answer of each question as they arrive."""
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

    # Daemon threads, not an executor: the program must not wait for them when it exits.
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
        # After an error or an interrupt, stop retrying, and give pending answers
        # a little time to arrive and be cached.
        stopped.set()
        end = time.monotonic() + _GRACE
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=2)

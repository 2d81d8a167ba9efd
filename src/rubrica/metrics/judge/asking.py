"""Asking many questions at a time: what is refused or cannot be read is told, an interrupt ends it soon."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from rubrica.errors import DataWarning, printable
from rubrica.metrics.judge.answers import Answer, KeptAnswers, Question, RefusedQuestionError
from rubrica.text.progress import report


def ask_all(
    questions: Sequence[Question],
    kept: KeptAnswers,
    *,
    concurrency: int,
    readable: Callable[[Answer], bool],
    label: str,
) -> list[Answer | None]:
    """The answers in order, None where a question is refused."""
    stopped = threading.Event()
    refusals: list[str] = []

    def ask(question: Question) -> Answer | None:
        try:
            return kept.ask(question, stopped)
        except RefusedQuestionError as error:
            refusals.append(str(error))
            return None

    made: list[Answer | None] = []
    with ThreadPoolExecutor(concurrency) as pool:
        try:
            for answer in pool.map(ask, questions):
                made.append(answer)
                report("answers", len(made), len(questions))
        except BaseException:
            # Whoever waits for another attempt waits no longer; what is under way is still kept.
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
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


def _warn(told: str) -> None:
    warnings.warn(told, DataWarning, stacklevel=2)

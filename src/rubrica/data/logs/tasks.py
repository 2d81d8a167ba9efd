"""Whether harness logs are of one task: samples of different tasks may have equal ids, and are different inputs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

from rubrica.data.jsonl import read_json
from rubrica.data.logs import helm, inspect_log, lm_eval, mlflow, promptfoo
from rubrica.data.logs.lm_eval import SAMPLES_NAME
from rubrica.data.logs.rows import decode_json, neighbour, text_at
from rubrica.data.logs.zip_members import ZipMembers
from rubrica.errors import DataError


def check_tasks(ids_by_file: Mapping[str, Iterable[str]]) -> None:
    """Raise an error if logs of two tasks share ids of samples: they would be paired, and are not the same inputs.

    Logs that name no task are compared by the questions of their samples.
    """
    if len(ids_by_file) < 2:
        return
    tasks: dict[str, tuple[str, str]] = {}
    questions: dict[str, tuple[bytes, str]] = {}
    for file, ids in ids_by_file.items():
        task = log_task(file)
        if task is None:
            for instance_id, question in log_questions(file):
                digest = blake2b(question, digest_size=16).digest()
                other_digest, other_file = questions.setdefault(instance_id, (digest, file))
                if other_digest != digest:
                    raise DataError(
                        f"sample {instance_id!r} has another question in {other_file}; pass logs of one task",
                        file=file,
                    )
            continue
        for instance_id in ids:
            other_task, other_file = tasks.setdefault(instance_id, (task, file))
            if other_task != task:
                raise DataError(
                    f"a log of task {task!r}, but {other_file} is of task {other_task!r}: sample {instance_id!r} of "
                    "one is not that of the other; pass logs of one task",
                    file=file,
                )


def log_task(path: str) -> str | None:
    """Return the task that a log names; None for other files, and for logs that name none."""
    name = os.path.basename(path)
    ending = os.path.splitext(name)[1].lower()
    if not os.path.isfile(path):
        return None
    if ending == inspect_log.ARCHIVE_ENDING:
        with ZipMembers(path) as members:
            headers = [h for h in inspect_log.HEADERS if h in members.names]
            return (
                text_at(decode_json(members.read(headers[0]), path), "eval", "task")
                if headers
                else None
            )
    if match := SAMPLES_NAME.fullmatch(name):
        return match[1]
    if ending != ".json":
        return None
    document = _document(path)
    if inspect_log.matches(document):
        return text_at(document, "eval", "task")
    if helm.matches(document):
        run = text_at(neighbour(path, "run_spec.json"), "name") or helm.run_folder(path)
        # mmlu:subject=anatomy,model=x -> mmlu:subject=anatomy
        return re.sub(r"[,:]model=[^,:]+", "", run)
    return None


def log_questions(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the question of each sample of a log that names no task; nothing for other files."""
    ending = os.path.splitext(path)[1].lower()
    if not os.path.isfile(path):
        return
    if ending == ".jsonl":
        yield from lm_eval.questions(path)
    elif ending == ".json":
        document = _document(path)
        if promptfoo.matches(document):
            yield from promptfoo.questions(document)
        elif mlflow.matches(document):
            yield from mlflow.questions(document)


def _document(path: str) -> Any:
    """Return the JSON document; None for rows in lines, which the name does not exclude."""
    try:
        return read_json(path)
    except DataError:
        return None

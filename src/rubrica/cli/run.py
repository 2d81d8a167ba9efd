"""Running `evaluate` and `score`: rows to files as they come, results to standard output."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from rubrica.batch import Plan, ScoredRow, score_batch
from rubrica.cli.console import Console, warnings_told
from rubrica.cli.inputs import check_fields
from rubrica.cli.options import UsageError
from rubrica.cli.results import evaluation_table
from rubrica.cli.signals import stoppable
from rubrica.data.files import writable
from rubrica.data.instance import EvalInstance
from rubrica.data.jsonl import RowWriter, encoded_json, write_json
from rubrica.data.metrics import MetricsDict
from rubrica.data.store import ScoreStore
from rubrica.datasets.readers.base import DatasetReader
from rubrica.engines.base import engine_for
from rubrica.errors import (
    InterruptedRunError,
    MismatchError,
    OutputError,
    RubricaError,
    printable,
)
from rubrica.evaluation import Evaluation, EvaluationBuilder
from rubrica.metrics.base import Metric
from rubrica.metrics.intervals import Resampling
from rubrica.scoring import for_input, refuse_duplicates, score_rows, watch


@dataclass(frozen=True, slots=True)
class Run:
    """One run: metrics, reader, files, and the words of the command line."""

    arguments: argparse.Namespace
    metrics: Sequence[Metric]
    reader: DatasetReader
    files: Sequence[str]

    def evaluate(self, macro: str | None, micro: str | None) -> int:
        """Score all rows, then tell the systems' scores."""
        resampling = _resampling(self.arguments)
        self._check_outputs(macro, micro)
        if self.arguments.format == "rouge155" and all(m.name != "rouge" for m in self.metrics):
            raise UsageError(
                "--format rouge155 shows the metric 'rouge', which is not computed here"
            )
        builder = EvaluationBuilder(self.metrics, self.arguments.include_references, resampling)
        plan = Plan(self.metrics)
        with self._console() as console:
            instances = self._input(lambda: watch(self.reader.read(*self.files), builder))
            made: list[Evaluation] = []

            def finish() -> None:
                # Files before anything is printed, and before the rows count as finished: what
                # goes wrong now is made good by --resume.
                made.append(builder.build())
                if macro is not None and macro != "-":
                    write_json(macro, made[0].to_dict())

            for row in self._rows(plan, instances, micro, console, finish):
                builder.add(row.summarizer_id, row.summarizer_type, row.parts, row.statistics)
                builder.digest.add(
                    row.instance_id, row.summarizer_id, row.summarizer_type, row.digest
                )
            if macro == "-":
                print(self._shown(made[0], "json"), flush=True)
            elif micro != "-":
                console.result(self._shown(made[0], self.arguments.format))
        return 0

    def _shown(self, evaluation: Evaluation, layout: str) -> str:
        if layout == "json":
            return encoded_json(evaluation.to_dict()).decode().rstrip()
        if layout == "rouge155":
            from rubrica.cli.rouge155.layout import rouge155_layout

            return printable(rouge155_layout(evaluation, list(self.metrics)))
        return evaluation_table(evaluation)

    def score(self, output: str) -> int:
        """Score all rows, peers and references, with jackknifing."""
        plan = Plan(self.metrics, "score", not self.arguments.disable_peer_jackknifing)
        if output.endswith("/"):
            return self._score_files(plan, output)
        self._check_outputs(output)
        with self._console() as console:
            instances = self._input(lambda: refuse_duplicates(self.reader.read(*self.files)))
            count = sum(1 for _ in self._rows(plan, instances, output, console))
            if not count:
                raise MismatchError("nothing to score: the input is empty", file=self.files[0])
            if output != "-":
                console.say(f"{count:,} rows scored: {output}")
        return 0

    def _score_files(self, plan: Plan, folder: str) -> int:
        """Score each input file into a part of its own, wherever the engine has workers."""
        from rubrica.sharded import score_files

        arguments = self.arguments
        if "-" in self._inputs():
            raise UsageError("a folder of parts is made from files, not from standard input")
        store = self._store()
        with self._console() as console:
            parts = score_files(
                self.files,
                plan,
                self.reader,
                folder,
                engine=engine_for(
                    arguments.engine, workers=arguments.workers, address=arguments.address
                ),
                resume=arguments.resume,
                store=os.path.abspath(store.path) if store else None,
                batch_size=arguments.batch_size,
            )
            made = list(console.progress(parts, "files"))
            kept = sum(part.kept for part in made)
            rows = sum(part.rows for part in made)
            console.say(
                f"{rows:,} rows scored, {len(made) - kept:,} files"
                + (f", {kept:,} kept of an earlier run" if kept else "")
                + f": {folder}"
            )
        return 0

    def _input(self, read: Callable[[], Iterator[EvalInstance]]) -> Iterable[EvalInstance]:
        """The rows, to be read as often as is asked; standard input can be read once only."""
        return read() if "-" in self._inputs() else _Readable(read)

    def _check_outputs(self, *outputs: str | None) -> None:
        """Before anything is scored: can the files be written, and is none of them an input?"""
        for output in outputs:
            if output is None or output == "-":
                continue
            path = writable(output)
            if path.exists() and any(
                os.path.exists(file) and os.path.samefile(file, path) for file in self._inputs()
            ):
                raise UsageError(f"{output} is an input file; scores must go to another one")

    def _inputs(self) -> list[str]:
        """All files that are read: those of --input-files, and those the reader's options name."""
        named = [value for key, value in vars(self.arguments).items() if key.startswith("reader_")]
        lists = [value if isinstance(value, list) else [value] for value in named]
        return [*self.files, *(one for values in lists for one in values if isinstance(one, str))]

    @contextmanager
    def _console(self) -> Iterator[Console]:
        console = Console(silent=self.arguments.silent, log_file=self.arguments.log_file)
        try:
            with warnings_told(console), stoppable():
                check_fields(self.reader, self.metrics)
                with console.telling(self.metrics):
                    yield console
                    if told := self.reader.describe():
                        console.say(told)
        finally:
            console.close()

    def _rows(
        self,
        plan: Plan,
        given: Iterable[EvalInstance],
        path: str | None,
        console: Console,
        finish: Callable[[], None] = lambda: None,
    ) -> Iterator[ScoredRow]:
        """All rows in input order, each written to `path` before it is passed on; then `finish`."""
        # Now, so that the finished rows of an interrupted run count as input too.
        plan, given = for_input(plan, given)
        instances = iter(given)
        arguments, signatures = self.arguments, plan.signatures()
        engine = engine_for(arguments.engine, workers=arguments.workers, address=arguments.address)
        store = self._store()
        score = partial(
            score_rows, plan=plan, engine=engine, batch_size=arguments.batch_size, store=store
        )
        made = score(instances)
        scored = console.progress(made, "rows")
        if path is None or path == "-":
            if arguments.resume:
                raise UsageError("--resume needs a file for the rows")
            for row in scored:
                if path == "-":
                    sys.stdout.buffer.write(msgspec.json.encode(row.to_record(signatures)) + b"\n")
                yield row
            sys.stdout.buffer.flush()
            finish()
            _tell_store(store, console)
            return
        writer = RowWriter(path, run=self._describe(plan), resume=arguments.resume)
        if writer.rows_kept:
            console.say(f"resuming after {writer.rows_kept:,} finished rows")
        try:
            if writer.rows_kept:
                yield from _kept(writer, plan, instances, score)
            flushed = time.monotonic()
            for row in scored:
                writer.write(row.to_record(signatures))
                # A kill that leaves no time to clean up costs a second's work at most.
                if time.monotonic() - flushed > 1:
                    writer.flush()
                    flushed = time.monotonic()
                yield row
            finish()
            writer.finish()
            _tell_store(store, console)
        except RubricaError:
            self._tell_partial(writer, console)
            raise
        except OSError as error:
            # A full disk, or one that went away. What could not be written is not in the file.
            self._tell_partial(writer, console)
            raise OutputError(path, error.strerror or error) from error
        except KeyboardInterrupt as error:
            raise InterruptedRunError(
                f"interrupted; finished rows are kept in {writer.partial}: "
                "repeat the command with --resume to go on"
            ) from error
        finally:
            writer.close()
            # Now, not when somebody collects it: the store writes what it holds.
            made.close()

    def _store(self) -> ScoreStore | None:
        if self.arguments.store is None:
            return None
        store = ScoreStore(self.arguments.store)
        store.check_writable()
        return store

    def _tell_partial(self, writer: RowWriter, console: Console) -> None:
        if writer.rows_safe():
            console.say(f"finished rows are kept in {writer.partial}; --resume goes on from there")

    def _describe(self, plan: Plan) -> str:
        """What must be equal for a run to be resumed."""
        description = {
            "task": plan.task,
            "metrics": plan.signatures(),
            "peer_jackknifing": plan.peer_jackknifing,
            "reader": self.reader.name,
            "files": list(self.files),
        }
        return msgspec.json.encode(description).decode()


class _Readable:
    """Rows that can be read again: the files are."""

    def __init__(self, read: Callable[[], Iterator[EvalInstance]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[EvalInstance]:
        return self._read()


def _tell_store(store: ScoreStore | None, console: Console) -> None:
    if store is not None:
        console.say(f"{store.path}: {store.found:,} scores found, {store.added:,} added")


def _kept(
    writer: RowWriter,
    plan: Plan,
    instances: Iterator[EvalInstance],
    score: Callable[[Iterator[EvalInstance]], Iterator[ScoredRow]],
) -> Iterator[ScoredRow]:
    """The rows of the interrupted run, checked against the input they were made from."""
    checked = _checked(writer, plan, instances)
    # Corpus statistics are not in the rows: metrics that have them score again, or ask the store.
    if any(metric.corpus_statistics for metric in plan.metrics):
        yield from score(instance for _, instance in checked)
        return
    owners: dict[str, int] = {}
    for kept, instance in checked:
        metrics = MetricsDict(kept["metrics"])
        if not metrics.keys() <= owners.keys():
            row = score_batch(plan, [instance])[0]
            owners |= {key: at for at, part in enumerate(row.parts) for key in part}
            yield row
        else:
            parts = [MetricsDict() for _ in plan.metrics]
            for key, value in metrics.items():
                parts[owners[key]][key] = value
            ids = instance.instance_id, instance.summarizer_id, instance.summarizer_type
            yield ScoredRow(*ids, parts, kept["digest"], {})


def _checked(
    writer: RowWriter, plan: Plan, instances: Iterator[EvalInstance]
) -> Iterator[tuple[dict[str, Any], EvalInstance]]:
    """Kept rows, each with the instance it was made from."""
    names = plan.field_names()
    for number, kept in enumerate(writer.kept(), 1):
        instance = next(instances, None)
        if instance is None or _identity(kept) != (
            instance.instance_id,
            instance.summarizer_id,
            instance.fields.digest(names),
        ):
            raise MismatchError(
                "was made from other input than the files hold now; drop --resume to start over",
                file=str(writer.partial),
                line=number,
            )
        yield kept, instance


def _identity(row: dict[str, Any]) -> tuple[Any, Any, Any]:
    return row.get("instance_id"), row.get("summarizer_id"), row.get("digest")


def _resampling(arguments: argparse.Namespace) -> Resampling:
    if not 0 < arguments.confidence < 100:
        raise UsageError(f"--confidence must lie between 0 and 100, not {arguments.confidence:g}")
    if arguments.num_samples < 0:
        raise UsageError(f"--num-samples must not be negative: {arguments.num_samples}")
    return Resampling(arguments.num_samples, arguments.confidence, arguments.seed)

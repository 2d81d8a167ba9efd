"""Running `evaluate` and `score`: rows to files as they come, results to standard output."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain

import msgspec

from rubrica.batch import Plan
from rubrica.cli.console import Console, warnings_told
from rubrica.cli.inputs import check_fields
from rubrica.cli.options import UsageError, check_confidence
from rubrica.cli.signals import stoppable
from rubrica.core.cores import at_most
from rubrica.data.files import writable
from rubrica.data.jsonl import RowWriter, encoded_json, write_json
from rubrica.data.store import ScoreStore
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.source import Source
from rubrica.duplicates import Seen
from rubrica.engines.base import engine_for
from rubrica.errors import (
    InterruptedRunError,
    MismatchError,
    OutputError,
    RubricaError,
    printable,
)
from rubrica.evaluation import Evaluation
from rubrica.evaluation_builder import EvaluationBuilder
from rubrica.kept import Finished, KeptRows, without_kept
from rubrica.metrics.base import Metric
from rubrica.metrics.intervals import Resampling
from rubrica.pieces import ScoredPiece, Work
from rubrica.scoring import for_input, growing, rows_per_batch, score_pieces


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
        parts = micro is not None and micro.endswith("/")
        self._check_outputs(macro, None if parts else micro)
        if self.arguments.format == "rouge155" and all(m.name != "rouge" for m in self.metrics):
            raise UsageError(
                "--format rouge155 shows the metric 'rouge', which is not computed here"
            )
        builder = EvaluationBuilder(self.metrics, self.arguments.include_references, resampling)
        with self._console() as console:
            made: list[Evaluation] = []
            rows = 0

            def finish() -> None:
                if not rows:
                    raise self._empty("evaluate")
                # Files before anything is printed, and before the rows count as finished: what
                # goes wrong now is made good by --resume.
                with at_most(self.arguments.workers):
                    made.append(builder.build())
                if macro is not None and macro != "-":
                    write_json(macro, made[0].to_dict())

            def count(piece: ScoredPiece) -> None:
                nonlocal rows
                rows += len(piece)
                if piece.table is not None:
                    builder.add(piece.table)
                    builder.digest.add(piece.identities)

            plan = Plan(self.metrics)
            if micro is not None and parts:
                self._parts(plan, micro, console, count)
                finish()
            else:
                for piece in self._pieces(plan, micro, console, finish):
                    count(piece)
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
        return str(evaluation)

    def score(self, output: str) -> int:
        """Score all rows, peers and references, with jackknifing."""
        plan = Plan(self.metrics, "score", not self.arguments.disable_peer_jackknifing)
        if output.endswith("/"):
            with self._console() as console:
                self._parts(plan, output, console, lambda piece: None)
            return 0
        self._check_outputs(output)
        with self._console() as console:
            count = sum(map(len, self._pieces(plan, output, console)))
            if not count:
                raise self._empty("score")
            if output != "-":
                console.say(f"{count:,} rows scored: {output}")
        return 0

    def _empty(self, task: str) -> MismatchError:
        header = "; the first line of a table is its header" if self.reader.name == "csv" else ""
        return MismatchError(
            f"nothing to {task}: the input has no rows{header}", file=self.files[0]
        )

    def _parts(
        self, plan: Plan, folder: str, console: Console, counted: Callable[[ScoredPiece], None]
    ) -> None:
        """Score each input file into a part of its own, wherever the engine has workers."""
        from rubrica.sharded import score_files

        arguments = self.arguments
        if "-" in self._inputs():
            raise UsageError("a folder of parts is made from files, not from standard input")
        store = self._store()
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
            format=arguments.parts_format,
        )
        rows = made = kept = 0
        for part in console.progress(parts, "files"):
            made, kept = made + (not part.kept), kept + part.kept
            if not part.kept:
                rows += len(part)
            for piece in part.pieces:
                counted(piece)
        console.say(
            f"{rows:,} rows scored, {made:,} files"
            + (f", {kept:,} kept of an earlier run" if kept else "")
            + f": {folder}"
        )

    def _source(self, plan: Plan) -> Source:
        """The rows, to be read as often as is asked; standard input can be read once only."""
        twice = any(metric.needs_whole_input for metric in plan.metrics)
        source = Source(self.reader, self.files)
        return source.held() if twice and "-" in self._inputs() else source

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

    def _pieces(
        self,
        plan: Plan,
        path: str | None,
        console: Console,
        finish: Callable[[], None] = lambda: None,
    ) -> Iterator[ScoredPiece]:
        """All rows in input order, each written to `path` before it is passed on; then `finish`."""
        source = self._source(plan)
        # Now, so that the finished rows of an interrupted run count as input too.
        plan, _ = for_input(plan, source)
        arguments = self.arguments
        engine = engine_for(arguments.engine, workers=arguments.workers, address=arguments.address)
        store, seen = self._store(), Seen()
        work = Work(plan, source.reader, plan.signatures())
        pieces = source.pieces(growing(rows_per_batch(engine, arguments.batch_size)))
        score = partial(score_pieces, work=work, engine=engine, seen=seen, store=store)
        if path is None or path == "-":
            if arguments.resume:
                raise UsageError("--resume needs a file for the rows")
            for done in console.progress(score(pieces), "rows", len):
                if path == "-":
                    sys.stdout.buffer.write(done.lines)
                yield done
            sys.stdout.buffer.flush()
            finish()
            _tell_store(store, console)
            return
        writer = RowWriter(path, run=self._describe(plan), resume=arguments.resume)
        made: Iterator[ScoredPiece] = iter(())
        new: Iterator[tuple[ScoredPiece, bytes]]
        before = Finished(str(writer.partial), writer.rows_kept, writer.kept)
        try:
            if writer.rows_kept:
                console.say(f"resuming after {writer.rows_kept:,} finished rows")
            if writer.rows_kept and not any(one.corpus_statistics for one in plan.metrics):
                kept = KeptRows(before, work, pieces, seen)
                yield from kept.pieces()
                made = score(chain([kept.rest] if kept.rest else [], pieces))
                new = ((done, done.lines) for done in console.progress(made, "rows", len))
            else:
                made = score(pieces)
                new = without_kept(before, console.progress(made, "rows", len))
            flushed = time.monotonic()
            for done, lines in new:
                writer.write_lines(lines)
                # A kill that leaves no time to clean up costs a second's work at most.
                if time.monotonic() - flushed > 1:
                    writer.flush()
                    flushed = time.monotonic()
                yield done
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
            getattr(made, "close", lambda: None)()

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


def _tell_store(store: ScoreStore | None, console: Console) -> None:
    if store is not None:
        console.say(f"{store.path}: {store.found:,} scores found, {store.added:,} added")


def _resampling(arguments: argparse.Namespace) -> Resampling:
    check_confidence(arguments.confidence)
    if arguments.num_samples < 0:
        raise UsageError(f"--num-samples must not be negative: {arguments.num_samples}")
    return Resampling(arguments.num_samples, arguments.confidence, arguments.seed)

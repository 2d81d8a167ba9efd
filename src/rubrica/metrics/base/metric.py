"""The `Metric` interface: five ways to score, one of which a metric's author writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from rubrica import aliases
from rubrica.data.columns import ColumnScores
from rubrica.data.instance import EvalInstance
from rubrica.data.jackknife import Jackknifer
from rubrica.data.measures import Direction, plain_path
from rubrica.data.metrics import MetricsDict, mean
from rubrica.data.resource import Resource
from rubrica.errors import (
    DefinitionError,
    MismatchError,
    ParameterError,
    UsageError,
)
from rubrica.metrics import ADDRESSES
from rubrica.metrics.base.aggregation import MeanAggregation
from rubrica.metrics.base.configured import Configured
from rubrica.metrics.base.originals import like_original
from rubrica.metrics.base.validation import check_context, check_texts, checked_scores
from rubrica.registry import C, Registry

Range: TypeAlias = tuple[float, float]
Say: TypeAlias = Callable[[str], None]
WithJackknife: TypeAlias = tuple[MetricsDict, MetricsDict | None]

UNBOUNDED: Range = (float("-inf"), float("inf"))
_DEFAULT: Any = object()
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])


def must_override(method: _F) -> _F:
    """Marks a method of a base class that an author's class must replace."""
    method.must_be_overridden = True  # type: ignore[attr-defined]
    return method


class Metric(Configured, MeanAggregation):
    """Scores summaries. An author writes `score_one` (one at a time) or `score_multi_all` (batched).

    Arguments come in the order of `required_summary_fields`, then `required_context_fields`. What the
    values mean is declared by the class attributes: `value_range`, `direction` (of all measures, or
    by dotted measure name), `citation` and `parallel` (whether its work releases the interpreter lock).
    """

    value_range: ClassVar[Range | Mapping[str, Range]] = UNBOUNDED
    direction: ClassVar[Direction | Mapping[str, Direction]] = "higher"
    citation: ClassVar[str] = ""
    # "device" is work that uses the whole machine (or its GPU): one batch at a time.
    parallel: ClassVar[Literal["threads", "processes", "device"]] = "processes"
    # The parameters of a bare name, where people expect other measures than those of the defaults; unless a
    # parameter that chooses measures is set.
    usual_parameters: ClassVar[Mapping[str, Any]] = {}
    measure_parameters: ClassVar[Set[str]] = frozenset()
    # The parameters that `like="sacrerouge"` sets: where our defaults are not SacreROUGE's.
    like_sacrerouge: ClassVar[Mapping[str, Any]] = {}
    # Whether a score depends on the other inputs of a run; then `for_input` is called first.
    needs_whole_input: bool = False
    # Whether its numbers are meaningless without the name of a model.
    runs_a_model: ClassVar[bool] = False
    # Packages it imports, with the extra that installs them; `setup-metric` checks them.
    packages: ClassVar[Mapping[str, str]] = {}
    # Files it reads; `setup-metric` fetches them.
    resources: ClassVar[Sequence[Resource]] = ()

    # A class must define one of these methods.
    required_overrides: ClassVar[tuple[str, ...]] = ("score_one", "score_multi_all")

    required_summary_fields: Sequence[str] = ("summary",)
    required_context_fields: Sequence[str] = ()
    jackknifer: Jackknifer | None = None

    def __init_subclass__(cls, *, abstract: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        missing = all(
            hasattr(getattr(cls, name), "must_be_overridden") for name in cls.required_overrides
        )
        if missing and not abstract:
            raise DefinitionError(
                f"metric class {cls.__name__} must define {' or '.join(cls.required_overrides)}"
            )

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Refuse to make a metric of no kind."""
        if cls is Metric:
            name = args[0] if args and isinstance(args[0], str) else "rouge"
            raise UsageError(
                "Metric is the base class of metrics; "
                f"use rubrica.load({name!r}) or rubrica.Metric.from_config({name!r})"
            )
        return super().__new__(cls, *args, **kwargs)

    def __init__(
        self,
        required_summary_fields: Sequence[str] | None = None,
        required_context_fields: Sequence[str] | None = None,
        jackknifer: Jackknifer | None = _DEFAULT,
    ) -> None:
        if required_summary_fields is not None:
            self.required_summary_fields = tuple(required_summary_fields)
        if required_context_fields is not None:
            self.required_context_fields = tuple(required_context_fields)
        if jackknifer is not _DEFAULT:
            self.jackknifer = jackknifer

    # An author writes one of these two. `**named` lets type checkers accept any parameters.

    @must_override
    def score_one(self, *fields: Any, **named: Any) -> Mapping[str, Any]:
        """Return the scores of one summary."""
        raise TypeError(f"{type(self).__name__} does not define score_one")

    @must_override
    def score_multi_all(self, *fields: Any, **named: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list with its own context."""
        count = len(self.required_summary_fields)
        output = []
        for group in self._rows(fields):
            context = group[count:]
            rows = zip(*group[:count], strict=True)
            output.append(
                [checked_scores(self.score_one(*row, *context), self.label) for row in rows]
            )
        return output

    # What follows from it.

    def score(self, *fields: Any) -> MetricsDict:
        """Score one summary."""
        return self.score_all(*([field] for field in fields))[0]

    def score_all(self, *fields: Any) -> list[MetricsDict]:
        """Score summaries, each with its own context."""
        count = len(self.required_summary_fields)
        groups = [[[value] for value in column] for column in fields[:count]]
        return [group[0] for group in self.score_multi_all(*groups, *fields[count:])]

    def score_multi(self, *fields: Any) -> list[MetricsDict]:
        """Score summaries that share one context."""
        return self.score_multi_all(*([field] for field in fields))[0]

    def score_as_columns(self, fields: Mapping[str, Any]) -> ColumnScores | None:
        """Score summaries, each with its own context, as columns; None if the metric scores rows only.

        `fields` are columns of texts (`Texts`) or of lists of texts (`ListsOfTexts`). Values, and the dicts made of them, must be those of `score_all`.
        """
        return None

    @property
    def averages(self) -> bool:
        """Whether a system's scores are the means of its summaries' scores."""
        return type(self).aggregate is Metric.aggregate and not self.corpus_statistics

    def evaluate(self, *fields: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        """Return the system's scores over all summaries, and the scores of each."""
        rows = self.score_all(*fields)
        return self.aggregate(rows), rows

    def aggregate(self, rows: Sequence[MetricsDict]) -> MetricsDict:
        """Return a system's scores from those of its summaries: the mean."""
        return mean(rows)

    @classmethod
    def score_aggregation(cls, signature: Mapping[str, str]) -> MeanAggregation:
        """Return how scores of a metric with this signature become system scores; a file of scores needs it."""
        return MeanAggregation()

    def input_facts(self, instance: EvalInstance) -> Mapping[str, str]:
        """Return facts that this instance adds to the run's signature, if the metric treats some instances differently."""
        return {}

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Return the metric that scores these instances: itself, unless it `needs_whole_input`.

        They are read as a stream, which may not fit into memory.
        """
        return self

    def score_with_jackknife(self, *fields: Any) -> list[list[WithJackknife]]:
        """Score like `score_multi_all`; return each score with its jackknifed value (None if undefined).

        Metrics that score one reference at a time override this to reuse those scores.
        """
        plain = self.score_multi_all(*fields)
        if self.jackknifer is None:
            return [[(row, None) for row in group] for group in plain]
        count = len(self.required_summary_fields)
        at = count + list(self.required_context_fields).index(self.jackknifer.field)
        groups, owners = [], []
        for number, group in enumerate(self._rows(fields)):
            for reduced in self.jackknifer.leave_one_out(group[at]):
                groups.append([*group[:at], reduced, *group[at + 1 :]])
                owners.append(number)
        scored = self.score_multi_all(*map(list, zip(*groups, strict=True))) if groups else []
        left_out: list[list[list[MetricsDict]]] = [[] for _ in plain]
        for owner, scores in zip(owners, scored, strict=True):
            left_out[owner].append(scores)
        return [
            [(row, mean([s[i] for s in sets]) if sets else None) for i, row in enumerate(group)]
            for group, sets in zip(plain, left_out, strict=True)
        ]

    def _rows(self, fields: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the columns as rows, after checking their number and lengths."""
        names = self.field_names
        if len(fields) != len(names):
            raise ParameterError(f"{self.label} takes {', '.join(names)}: {len(fields)} given")
        if names[0] == "summary":
            for group in fields[0]:
                check_texts(group, self.label)
        lengths = {name: len(column) for name, column in zip(names, fields, strict=True)}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{length} {name}" for name, length in lengths.items())
            raise MismatchError(f"{self.label}: lists of unequal length ({counts})")
        for name in ("references", "documents"):
            if name in names:
                for context in fields[names.index(name)]:
                    check_context(name, context, self.label)
        return list(zip(*fields, strict=True))

    def describe(self) -> str:
        """Return a line to print at the end of a run, such as its cost; "" by default."""
        return ""

    def usage_note(self) -> str:
        """Return what the scores of a table took, such as tokens and cost; "" by default."""
        return ""

    def start_dry_run(self) -> bool:
        """Count what a run would request from now on, for `describe`; False for a metric that requests nothing."""
        return False

    def release(self) -> None:
        """Release memory once results are written; the metric can still be used."""

    # What it is.

    @property
    def field_names(self) -> list[str]:
        """The fields it scores: of the summary, then of what the summary is compared with."""
        return [*self.required_summary_fields, *self.required_context_fields]

    @property
    def requires_jackknifing(self) -> bool:
        """Whether a `_jk` value makes sense for it."""
        return self.jackknifer is not None

    def to_config(self) -> dict[str, Any]:
        """Return the configuration from which `from_config` makes an equal metric."""
        where = {"as": self.output_key} if self.output_key else {}
        return {"type": self.label, **where, **self._changed()}

    @classmethod
    def direction_of(cls, measure: str) -> Direction:
        """Return whether higher or lower values of a measure (dotted name) are better."""
        return _of(cls.direction, measure, "higher")

    @classmethod
    def range_of(cls, measure: str) -> Range:
        """Return the lowest and highest value a measure (dotted name) can have."""
        return _of(cls.value_range, measure, UNBOUNDED)

    def own_range(self, measure: str) -> Range:
        """Return the range of a measure with this metric's parameters."""
        return self.range_of(measure)

    def substitution(self, *, systems: bool = True) -> str:
        """Return in what its numbers differ from those of the original program by default; "" if in nothing.

        A run prints it once. `systems`: whether the run computes scores of systems, or of rows only.
        """
        return ""

    @classmethod
    def sacrerouge_parameters(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters with which it behaves as in SacreROUGE; `values` are the user's own."""
        return cls.like_sacrerouge

    @classmethod
    def needed_packages(cls) -> Mapping[str, str]:
        """Return the packages that `setup-metric` checks, with the extras that install them."""
        return cls.packages

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Fetch or check what is neither a package nor a `Resource`, such as model checkpoints."""
        if model is not None:
            raise ParameterError(f"metric {cls.name!r} has no model to choose")

    # Names.

    @classmethod
    def register(cls, name: str, *, replace: bool = False) -> Callable[[C], C]:
        """Class decorator: make a metric known under a name, to commands and configurations too."""
        return METRICS.register(name, replace=replace)

    @classmethod
    def by_name(cls, name: str) -> type[Metric]:
        """Return the metric class of that name, or at the address `module:Class`."""
        return METRICS.load(name)

    @classmethod
    def list_available(cls) -> list[str]:
        """Return all metric names."""
        return METRICS.names()

    @classmethod
    def from_config(cls, config: str | Mapping[str, Any], *, allow_import: bool = False) -> Metric:
        """Return a metric from its name, or from `{"type": name, parameter: value, ...}`.

        With `"as": key`, its values are put under that key in the rows of a run. With `"like": "sacrerouge"`,
        parameters that are not given are SacreROUGE's. Addresses
        `module:name` are imported only with `allow_import`: for configurations that you trust.
        """
        values = dict(config) if isinstance(config, Mapping) else {"type": config}
        values = measure_as_metric(values)
        output_key = values.pop("as", None)
        if not (output_key is None or (isinstance(output_key, str) and output_key)):
            raise ParameterError(f"'as' must be a name for the metric's values, not {output_key!r}")
        like = values.pop("like", None)
        if like is not None and "type" in values:
            name = values.pop("type")
            known = METRICS.load(name) if allow_import else METRICS.get(name)
            values = {"type": name, **like_original(known, like, values)}
        metric = METRICS.make(values, allow_import=allow_import)
        metric.output_key = output_key
        return metric


METRICS: Registry[Metric] = Registry(
    "metric",
    "rubrica.metrics",
    Metric,
    ADDRESSES,
    aliases=aliases.METRICS,
    hints=aliases.METRIC_HINTS,
)


def measure_as_metric(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of `rouge` where the type is one of its measures, such as `rougeL`."""
    name = config.get("type")
    if not isinstance(name, str) or ":" in name or name in METRICS:
        return config
    from rubrica.metrics.rouge.measure_names import rouge_config

    return rouge_config(config) or config


def load(name: str, **parameters: Any) -> Metric:
    """Return the metric of that name, or of the address `module:Class`, with these parameters.

    Args:
        name: Name of a metric, such as `rouge`, or `module:Class`.
        parameters: Parameters of its constructor.

    Returns:
        The metric.

    Raises:
        UnknownNameError: There is no such metric; near names are suggested.

    Example:
        >>> import rubrica
        >>> rubrica.load("rouge", max_ngram=1).score("the cat", ["the cat"])["rouge-1"]["f1"]
        100.0
    """
    return Metric.from_config({"type": name, **parameters}, allow_import=True)


def _of(declared: _T | Mapping[str, _T], measure: str, default: _T) -> _T:
    """Return the value declared for all measures, or for this measure, a key above it, or `*`."""
    if not isinstance(declared, Mapping):
        return declared
    parts = plain_path(measure.split("."))
    for length in range(len(parts), 0, -1):
        key = ".".join(parts[:length])
        if key in declared:
            return declared[key]
    return declared.get("*", default)

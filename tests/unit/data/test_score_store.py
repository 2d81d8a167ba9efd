"""The store of scores: what was scored is not scored again, and nothing in it can be wrong unseen."""

from __future__ import annotations

import math
import shutil
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.metrics import MetricsDict
from rubrica.data.store import Kind, ScoreStore, StoredScore
from rubrica.data.store import store as store_module
from rubrica.data.store.shard import Shard, key_array, merge_shards, same_score, write_shard
from rubrica.data.store.store import text_key
from rubrica.data.store.upkeep import contents, export, garbage, merge, remove, verify
from rubrica.errors import DataError, DataWarning
from rubrica.metrics import Metric, ReferenceBasedMetric
from rubrica.scoring import evaluate, score
from rubrica.scoring.evaluation import Evaluation

KIND = Kind("length|core:native|v:0.1.0")


class Counting(ReferenceBasedMetric):
    """Length of the summary; tells which texts it was asked for."""

    parallel = "threads"
    asked: list[str] = []

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        self.asked.append(summary)
        return {"length": self.scale * len(summary) / len(references)}


@pytest.fixture
def counting() -> type[Counting]:
    Counting.asked = []
    return Counting


def rows(count: int, kind: str = "peer") -> list[EvalInstance]:
    return [
        EvalInstance(
            f"d{n}",
            f"system-{kind}",
            kind,
            Fields(summary=f"summary {n} of it", references=[f"reference {n}", f"other {n} here"]),
        )
        for n in range(count)
    ]


def values_of(numbers: Iterable[float]) -> dict[bytes, StoredScore]:
    return {
        text_key(str(n).encode()): StoredScore(MetricsDict({"length": float(n)})) for n in numbers
    }


def test_what_is_in_the_store_is_not_scored_again(tmp_path: Path, counting: type[Counting]) -> None:
    first = evaluate(rows(40), [counting()], store=ScoreStore(tmp_path / "s"))
    assert len(counting.asked) == 40
    again = evaluate(rows(50), [counting()], store=ScoreStore(tmp_path / "s"))
    assert len(counting.asked) == 50
    assert again == evaluate(rows(50), [counting()])
    assert first == evaluate(rows(40), [counting()])


def test_other_parameters_and_other_texts_are_other_scores(
    tmp_path: Path, counting: type[Counting]
) -> None:
    evaluate(rows(10), [counting()], store=ScoreStore(tmp_path))
    scaled = evaluate(rows(10), [counting(2.0)], store=ScoreStore(tmp_path))
    assert len(counting.asked) == 20
    assert scaled == evaluate(rows(10), [counting(2.0)])
    changed = rows(10)
    changed[3].fields["references"].append("one more")
    counting.asked.clear()
    evaluate(changed, [counting()], store=ScoreStore(tmp_path))
    assert counting.asked == ["summary 3 of it"]


def test_a_metric_added_to_a_run_is_the_only_one_computed(
    tmp_path: Path, counting: type[Counting]
) -> None:
    evaluate(rows(10), [counting()], store=ScoreStore(tmp_path))
    counting.asked.clear()
    store = ScoreStore(tmp_path)
    both = [counting(), Metric.from_config("chrf")]
    assert evaluate(rows(10), both, store=store) == evaluate(rows(10), both)
    assert len(counting.asked) == 10, "only by the run without a store"
    assert (store.found, store.added) == (10, 10)


@pytest.mark.parametrize("name", ["bleu", "chrf", "rouge"])
def test_scores_intervals_and_signatures_from_the_store_are_the_same(
    tmp_path: Path, name: str, news: Path
) -> None:
    from rubrica.datasets.readers.base import DatasetReader

    instances = list(
        DatasetReader.from_config("reference-based").read(str(news / "summaries.jsonl"))
    )[:45]

    def run(store: ScoreStore | None) -> tuple[Evaluation, Any, Any]:
        metric = Metric.from_config(name)
        one, each = evaluate(instances, [metric], store=store)
        return one, each, score(instances, [metric], store=store)

    plain = run(None)
    filling = ScoreStore(tmp_path)
    assert run(filling) == plain
    asking = ScoreStore(tmp_path)
    assert run(asking) == plain
    assert asking.added == 0
    assert filling.added > 0


def test_peers_jackknifed_and_plain_do_not_mix(tmp_path: Path, counting: type[Counting]) -> None:
    mixed = [*rows(5), *rows(5, "reference")]
    choices: list[dict[str, Any]] = [{}, {"disable_peer_jackknifing": True}]
    for options in choices:
        plain = score(mixed, [counting()], **options)
        assert score(mixed, [counting()], store=ScoreStore(tmp_path), **options) == plain
        assert score(mixed, [counting()], store=ScoreStore(tmp_path), **options) == plain


numbers = st.one_of(st.floats(), st.integers(), st.none(), st.booleans())
nested = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        numbers,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=6,
    ),
    min_size=1,
    max_size=4,
)


@given(
    values=st.lists(nested, min_size=1, max_size=5), statistics=st.lists(st.floats(), max_size=4)
)
def test_a_shard_gives_back_exactly_what_went_in(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], statistics: list[float]
) -> None:
    put = {
        text_key(str(n).encode()): StoredScore(MetricsDict(one), statistics if n % 2 else None)
        for n, one in enumerate(values)
    }
    shard = Shard(write_shard(tmp_path_factory.mktemp("shard"), KIND, put))
    back = dict(shard.items())
    assert shard.kind == KIND
    assert back.keys() == put.keys()
    for key, one in put.items():
        assert repr(back[key].values) == repr(one.values)
        assert same_score(back[key], one)
        assert (back[key].statistics is None) == (one.statistics is None)


def test_keys_with_equal_first_halves_are_told_apart(tmp_path: Path) -> None:
    keys = [b"A" * 8 + bytes([n]) * 8 for n in range(5)]
    put = {key: StoredScore(MetricsDict(n=n)) for n, key in enumerate(keys) if n != 3}
    shard = Shard(write_shard(tmp_path, KIND, put))
    found = shard.find(key_array([*keys, b"B" * 16, b"\0" * 16])).tolist()
    assert found == [0, 1, 2, -1, 3, -1, -1]


def test_the_same_scores_make_the_same_file(tmp_path: Path) -> None:
    one = write_shard(tmp_path / "a", KIND, values_of(range(5)))
    other = write_shard(tmp_path / "b", KIND, values_of(reversed(range(5))))
    assert one.name == other.name
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "foreign"])
def test_a_damaged_shard_is_seen_and_its_rows_scored_again(
    tmp_path: Path, counting: type[Counting], damage: str
) -> None:
    plain = evaluate(rows(10), [counting()], store=ScoreStore(tmp_path))
    [path] = tmp_path.glob("*/*.arrow")
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    path.write_bytes({"cut": bytes(data[:-9]), "empty": b"", "foreign": b"hello"}.get(damage, data))
    assert [one.path for one in verify(ScoreStore(tmp_path))] == [path]
    counting.asked.clear()
    with pytest.warns(DataWarning, match="scored again"):
        assert evaluate(rows(10), [counting()], store=ScoreStore(tmp_path)) == plain
    assert len(counting.asked) == 10
    # The new shard has the old one's name: the damage is made good.
    assert list(verify(ScoreStore(tmp_path))) == []


def test_a_shard_with_a_fitting_name_but_no_scores_is_refused(tmp_path: Path) -> None:
    from rubrica.data.store.shard import checksum

    path = tmp_path / f"{checksum(b'not arrow')}.arrow"
    path.write_bytes(b"not arrow")
    with pytest.raises(DataError, match="not a shard"):
        Shard(path)


def test_stores_of_two_machines_merge(tmp_path: Path, counting: type[Counting]) -> None:
    evaluate(rows(10), [counting()], store=ScoreStore(tmp_path / "a"))
    evaluate(rows(30), [counting()], store=ScoreStore(tmp_path / "b"))
    store = ScoreStore(tmp_path / "a")
    assert merge(store, [ScoreStore(tmp_path / "b")]) == (30, [])
    assert [(one.rows, one.shards) for one in contents(store)[0]] == [(30, 1)]
    assert len(list((tmp_path / "b").glob("*/*.arrow"))) == 1, "the other store is left alone"
    counting.asked.clear()
    evaluate(rows(30), [counting()], store=ScoreStore(tmp_path / "a"))
    assert counting.asked == []
    before = sorted(tmp_path.glob("a/*/*"))
    assert merge(store) == (30, [])
    assert sorted(tmp_path.glob("a/*/*")) == before


def test_a_merged_shard_has_every_score_once_and_is_what_one_run_would_write(
    tmp_path: Path,
) -> None:
    several = {
        **values_of([1, 2]),
        text_key(b"nested"): StoredScore(MetricsDict({"a": {"b": 1, "c": None}}), [1.0, 2.0]),
        text_key(b"whole"): StoredScore(MetricsDict({"a": {"b": 2.5, "c": math.nan}}), [3.0]),
    }
    pieces = [dict(list(several.items())[at : at + 2]) for at in range(3)]
    shards = [Shard(write_shard(tmp_path / str(n), KIND, one)) for n, one in enumerate(pieces)]
    path, count = merge_shards(tmp_path / "merged", shards)
    assert count == len(several)
    merged = dict(Shard(path).items())
    assert merged.keys() == several.keys()
    assert all(same_score(merged[key], several[key]) for key in several)
    assert merge_shards(tmp_path / "merged", shards[::-1])[0] == path


def test_copying_shards_is_merging_too(tmp_path: Path, counting: type[Counting]) -> None:
    evaluate(rows(10), [counting()], store=ScoreStore(tmp_path / "a"))
    evaluate(rows(30)[10:], [counting()], store=ScoreStore(tmp_path / "b"))
    shutil.copytree(tmp_path / "b", tmp_path / "a", dirs_exist_ok=True)
    counting.asked.clear()
    evaluate(rows(30), [counting()], store=ScoreStore(tmp_path / "a"))
    assert counting.asked == []


def test_merging_leaves_what_another_process_adds_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / KIND.folder
    store = ScoreStore(tmp_path)
    for n in range(3):
        write_shard(folder, KIND, values_of([n]))
    from rubrica.data.store import upkeep

    merge_shards = upkeep.merge_shards

    def slow(*words: Any) -> Any:
        write_shard(folder, KIND, values_of([99]))
        return merge_shards(*words)

    monkeypatch.setattr(upkeep, "merge_shards", slow)
    merge(store)
    assert len(list(export(ScoreStore(tmp_path)))) == 4


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(first: int) -> None:
        store = ScoreStore(tmp_path)
        for n in range(first, first + 50):
            [(key, one)] = values_of([n]).items()
            store.put(KIND, key, one)
            if n % 10 == 9:
                store.flush()
        store.flush()

    writers = [threading.Thread(target=write, args=(25 * n,)) for n in range(8)]
    for one in writers:
        one.start()
    merge(ScoreStore(tmp_path))
    for one in writers:
        one.join()
    merge(ScoreStore(tmp_path))
    assert list(verify(ScoreStore(tmp_path))) == []
    found = ScoreStore(tmp_path).lookup(KIND, list(values_of(range(225))))
    assert [one and one.values["length"] for one in found] == [float(n) for n in range(225)]


def test_scores_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    ScoreStore(tmp_path)
    [(key, one)] = values_of([1]).items()
    write_shard(tmp_path / KIND.folder, KIND, {key: one})
    write_shard(tmp_path / KIND.folder, KIND, {key: StoredScore(MetricsDict(length=2.0))})
    [problem] = verify(ScoreStore(tmp_path))
    assert "another score" in problem.reason


def test_gc_removes_damage_leftovers_and_what_is_named(
    tmp_path: Path, counting: type[Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    store = ScoreStore(tmp_path)
    evaluate(rows(5), [counting()], store=store)
    [path] = tmp_path.glob("*/*.arrow")
    assert list(garbage(store)) == []
    left = path.with_name(".half.arrow.x1")
    left.write_bytes(b"half a shard")
    assert list(garbage(store)) == [], "another run may be writing it"
    os.utime(left, (0, 0))
    assert [one.path for one in garbage(store)] == [left]
    assert remove(garbage(store)) == 12
    old = Kind("length|core:native|v:0.0.1")
    write_shard(tmp_path / old.folder, old, values_of([1]))
    assert [one.reason for one in garbage(store, other_versions=True)] == [
        "scores of version 0.0.1"
    ]
    assert {one.path for one in garbage(store, metrics=["Counting"])} == {path}
    remove(garbage(store, metrics=["Counting"]))
    assert not path.parent.exists()


def test_a_directory_of_something_else_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(DataError, match="not a store"):
        ScoreStore(tmp_path)
    with pytest.raises(DataError, match="not a store"):
        ScoreStore(tmp_path / "none", must_exist=True)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="a store of scores is a directory"):
        ScoreStore(tmp_path / "file")
    store = tmp_path / "later"
    store.mkdir()
    (store / "rubrica-store.json").write_text('{"format": 2}')
    with pytest.raises(DataError, match="newer"):
        ScoreStore(store)


def test_a_name_never_leads_out_of_the_store(tmp_path: Path) -> None:
    for name in ("../../x", "/etc/passwd", "..", ".", "a\0b", "é" * 300):
        folder = Kind(f"{name}|v:1").folder
        assert (tmp_path / folder).resolve().parent == tmp_path.resolve()
        assert not folder.startswith(".")
        write_shard(tmp_path / folder, Kind(f"{name}|v:1"), values_of([1]))


def test_what_was_scored_before_a_failure_is_kept(tmp_path: Path, counting: type[Counting]) -> None:
    def broken() -> Iterable[EvalInstance]:
        yield from rows(100)
        raise DataError("the file ends here")

    with pytest.raises(DataError, match="ends here"):
        evaluate(broken(), [counting()], workers=1, batch_size=10, store=ScoreStore(tmp_path))
    counting.asked.clear()
    evaluate(rows(100), [counting()], store=ScoreStore(tmp_path))
    assert counting.asked == []


@pytest.mark.slow
def test_a_long_run_writes_as_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(store_module.time, "monotonic", lambda: clock[0])
    store = ScoreStore(tmp_path)
    written: list[Path] = []
    for second in range(4000):
        clock[0] = second
        [(key, one)] = values_of([second]).items()
        store.put(KIND, key, one)
        store.flush(all_kinds=False)
        if len(found := list(tmp_path.glob("*/*.arrow"))) > len(written):
            written = found
    assert 50 < len(written) < 100


def test_undefined_scores_come_back_undefined(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.put(KIND, b"k" * 16, StoredScore(MetricsDict(a=math.nan, b=None, c=math.inf)))
    store.flush()
    [found] = ScoreStore(tmp_path).lookup(KIND, [b"k" * 16])
    assert found is not None
    assert math.isnan(found.values["a"])
    assert (found.values["b"], found.values["c"]) == (None, math.inf)


class Rank(ReferenceBasedMetric):
    """The share of shorter summaries in the run."""

    lengths: Sequence[int] = ()
    parallel = "threads"
    needs_whole_input = True

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        made = Rank()
        made.needs_whole_input = False
        made.lengths = [len(one.fields["summary"]) for one in instances]
        return made

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        shorter = sum(one < len(summary) for one in self.lengths)
        return {"rank": shorter / len(self.lengths)}


def test_scores_that_depend_on_the_whole_input_serve_only_that_input(tmp_path: Path) -> None:
    for count in (12, 15, 12):
        stored = evaluate(rows(count), [Rank()], store=ScoreStore(tmp_path))
        assert stored == evaluate(rows(count), [Rank()])
    assert [one.rows for one in contents(ScoreStore(tmp_path))[0]] in ([12, 15], [15, 12])

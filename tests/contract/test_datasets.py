"""What holds for every registered data set, now and later: it is read whole, loads, and its ids join."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.jsonl import read_jsonl
from rubrica.data.scores.rows import read_metrics
from rubrica.datasets import ADDRESSES, setup_dataset
from rubrica.datasets.base import DATASETS
from rubrica.datasets.output import MANIFEST
from rubrica.datasets.raw.archives import archive_stem
from rubrica.datasets.readers.base import READERS
from rubrica.errors import RubricaError
from support.dataset_samples import SAMPLES, write_sample
from support.dataset_samples.build import Tree, put

NAMES = sorted(ADDRESSES)
GOLDEN = Path(__file__).parents[1] / "golden" / "datasets"
PAGES = Path(__file__).parents[2] / "docs" / "datasets"
pytestmark = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder that a data set's sample is turned into, made once."""
    folders: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in folders:
            assert name in SAMPLES, (
                f"data set {name!r} needs raw data in tests/support/dataset_samples"
            )
            root = tmp_path_factory.mktemp(name)
            raw = write_sample(name, root / "raw")
            folders[name] = setup_dataset(name, raw, root / "out", offline=True).folder
        return folders[name]

    return folder


def rows(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in read_jsonl(path)]


def parts(folder: Path, kind: str) -> list[Path]:
    """The files of a kind, whatever stands before it: `metrics` is not `system-metrics`."""
    return sorted(
        p for p in folder.glob("*.jsonl") if re.fullmatch(rf"(.*\.)?{kind}\.jsonl", p.name)
    )


def beside(path: Path, kind: str) -> Path:
    return path.with_name(
        f"{path.name.removesuffix('.jsonl').rpartition('.')[0]}.{kind}.jsonl".lstrip(".")
    )


def test_the_output_is_as_reviewed(name: str, made: Any) -> None:
    found = {p.name: rows(p) for p in sorted(made(name).glob("*.jsonl"))}
    assert found == json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


def test_the_manifest_tells_counts_digests_and_licence(name: str, made: Any) -> None:
    folder = made(name)
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    assert manifest["dataset"] == name
    assert manifest["licence"] == DATASETS.get(name).licence
    assert set(manifest["files"]) == {p.name for p in folder.glob("*.jsonl")}
    for file, told in manifest["files"].items():
        assert told["rows"] == len(rows(folder / file)) > 0
        assert told["bytes"] == (folder / file).stat().st_size
    assert manifest["sources"], "the raw files that were read"
    assert all(len(one["sha256"]) == 64 for one in manifest["sources"])


def test_summaries_load_through_the_readers(name: str, made: Any) -> None:
    for path in parts(made(name), "summaries"):
        found = list(READERS.make("summary-only").read(str(path)))
        assert len({(one.instance_id, one.summarizer_id) for one in found}) == len(found)
        here = rows(path)
        if all("references" in row for row in here):
            list(READERS.make("reference-based").read(str(path)))
        documents = beside(path, "documents")
        if documents.exists():
            known = {row["instance_id"] for row in rows(documents)}
            if {row["instance_id"] for row in here} <= known:
                read = READERS.make("split-document-based").read(str(documents), str(path))
                assert len(list(read)) == len(found)


def test_no_reference_is_scored_against_itself_or_nothing(name: str, made: Any) -> None:
    for path in parts(made(name), "summaries"):
        for row in rows(path):
            own = [
                r for r in row.get("references", []) if r["summarizer_id"] == row["summarizer_id"]
            ]
            assert not own
            if row["summarizer_type"] == "reference" and "sole-references" not in path.name:
                assert row["references"]


def test_scores_load_and_each_is_of_a_summary(name: str, made: Any) -> None:
    for path in [*parts(made(name), "metrics"), *parts(made(name), "published-metrics")]:
        summaries = {
            (r["instance_id"], r["summarizer_id"]): r for r in rows(beside(path, "summaries"))
        }
        seen = set()
        for row in read_metrics(path):
            assert row.key not in seen
            seen.add(row.key)
            assert row.metrics
            assert summaries[row.key]["summarizer_type"] == row.summarizer_type
            row.metrics.flatten_keys()


def test_references_and_documents_load_and_join(name: str, made: Any) -> None:
    for path in parts(made(name), "references"):
        ids = [row["instance_id"] for row in rows(path)]
        assert len(set(ids)) == len(ids)
        summaries = beside(path, "summaries")
        if summaries.exists():
            reader = READERS.make({"type": "split-reference-based", "references": [str(path)]})
            peers = [row for row in rows(summaries) if row["instance_id"] in ids]
            target = path.with_name("joined.tmp")
            target.write_text("".join(json.dumps(row) + "\n" for row in peers), "utf-8")
            assert len(list(reader.read(str(target)))) == len(peers)
            target.unlink()
    for path in parts(made(name), "documents"):
        ids = [row["instance_id"] for row in rows(path)]
        assert len(set(ids)) == len(ids)
        assert all(one["text"] for row in rows(path) for one in row["documents"])


def test_pyramids_load_and_their_annotations_join(name: str, made: Any) -> None:
    for path in parts(made(name), "pyramid-annotations"):
        pyramids = beside(path, "pyramids")
        instances = list(READERS.make("pyramid-based").read(str(pyramids), str(path)))
        assert len(instances) >= len(rows(path))
    for path in parts(made(name), "pyramids"):
        list(READERS.get("pyramid-based")().read_pyramids(str(path)))  # type: ignore[attr-defined]


def test_making_it_again_changes_nothing(name: str, made: Any, tmp_path: Path) -> None:
    folder = made(name)
    before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}
    raw = folder.parent / "raw"
    assert not setup_dataset(name, raw, folder, offline=True).changed
    assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()} == before
    # And elsewhere it gives the same bytes.
    again = setup_dataset(name, raw, tmp_path, offline=True).folder
    assert {p.name: p.read_bytes() for p in again.iterdir()} == {
        n: b for n, (b, _) in before.items()
    }


def unpacked(tree: Tree) -> Tree:
    """Every archive as a folder with its name."""
    return {
        archive_stem(name) if isinstance(content, dict) else name: (
            unpacked(content) if isinstance(content, dict) else content
        )
        for name, content in tree.items()
    }


def test_unpacked_archives_give_the_same(name: str, made: Any, tmp_path: Path) -> None:
    put(tmp_path / "raw", unpacked(SAMPLES[name]()))
    again = setup_dataset(name, tmp_path / "raw", tmp_path / "out", offline=True).folder
    assert {p.name: p.read_bytes() for p in again.glob("*.jsonl")} == {
        p.name: p.read_bytes() for p in made(name).glob("*.jsonl")
    }


def test_without_raw_data_it_says_what_it_needs_and_writes_nothing(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "unrelated.bin").write_bytes(b"\0")
    with pytest.raises(RubricaError) as told:
        setup_dataset(name, tmp_path / "raw", tmp_path / "out", offline=True)
    assert name in str(told.value)
    assert not list((tmp_path / "out").glob("*"))


def test_people_are_told_what_it_is(name: str) -> None:
    cls = DATASETS.get(name)
    assert cls.licence
    assert cls.homepage.startswith("http")
    assert cls.size
    assert cls.citation
    assert cls.needs or cls.resources
    assert (cls.__doc__ or "").strip().splitlines()[0].endswith(".")
    for resource in cls.resources:
        assert re.fullmatch(r"[0-9a-f]{64}", resource.sha256)
        assert resource.url.startswith("https://")
        assert resource.size > 0


def test_it_has_a_page(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"# `{name}`\n")
    for told in (
        "## How to get it",
        "## Raw layout",
        "## What is written",
        "## Known defects",
        "## Use",
        "## Citation",
    ):
        assert told in page, f"{name}.md has no {told}"
    assert f"rubrica setup-dataset {name}" in page
    cls = DATASETS.get(name)
    unwrapped = " ".join(page.split())
    for need in cls.needs:
        assert f" - {need} " in unwrapped, f"{name}.md does not say: {need}"
    for fact in (cls.licence, cls.homepage, cls.size, cls.citation):
        assert fact in unwrapped, f"{name}.md does not say: {fact}"
    assert f"[`{name}`]({name}.md)" in (PAGES / "README.md").read_text("utf-8")

"""`rubrica study`: the sample study from raw outputs to re-evaluated metrics, and what goes wrong."""

from __future__ import annotations

import csv
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.verbs import GROUPS
from support.served import new_store, rate_item

STUDY = Path(__file__).resolve().parents[3] / "examples" / "study"
RAW = STUDY / "raw"
SHAPES = {
    "ext/lead3": ("txt", "lines", [], "txt", "lines", []),
    "ext/centroid": ("txt", "sentence-lines", [], "txt", "sentence-lines", []),
    "abs/abstractor": ("txt", "q", [], "txt", "q", []),
    "abs/compressor": ("jsonl", "jsonl", [], "jsonl", "jsonl", ["--key", "reference"]),
    "abs/rambler": ("tsv", "tsv", ["--unglue"], "txt", "sent", []),
    "abs/headliner": (
        "txt",
        "x-sep",
        ["--join-word-pieces"],
        "txt",
        "x-sep",
        ["--join-word-pieces"],
    ),
}


@pytest.fixture
def done(rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a stage that must succeed, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Any:
        answer = rubrica("study", *words)
        assert answer.code == 0, answer.err
        return answer

    return run


def aligned(done: Any) -> None:
    """Raw outputs into ext/ and abs/, all in the order of lead3."""
    for system, (ending, shape, more, ref_ending, ref_shape, ref_more) in SHAPES.items():
        name = system[4:]
        ref = f"{name}.jsonl" if ref_ending == "jsonl" else f"{name}.ref.{ref_ending}"
        done("preprocess", RAW / f"{name}.{ending}", "--shape", shape, *more, "-o", f"t/{name}.txt")
        done("preprocess", RAW / ref, "--shape", ref_shape, *ref_more, "-o", f"t/{name}.ref.txt")
        done(
            "align",
            "-out",
            f"t/{name}.ref.txt",
            "-ref",
            "t/lead3.ref.txt",
            "-matching_path",
            f"{name}.json",
        )
        for part in ("out", "ref"):
            source = f"t/{name}.txt" if part == "out" else f"t/{name}.ref.txt"
            target = f"aligned/{system}/{part}.txt"
            done("realign", "-ip", source, "-op", target, "-matching_path", f"{name}.json")
    Path("ids.txt").write_text("".join(f"d{n:02}\n" for n in range(1, 13)))


def test_the_sample_study_from_beginning_to_end(done: Any, rubrica: Any) -> None:
    aligned(done)
    assert done("audit", "aligned").out == ""
    record = json.loads(Path("t/rambler.txt.record.json").read_text())
    assert record["steps"] == ["unglue", "split:rules"]
    assert record["changed"] == {"unglue": 12}
    done(
        "score",
        "-dp",
        "aligned",
        "-m",
        "rouge",
        "-op",
        "rouge.jsonl",
        "--ids",
        "ids.txt",
        "-n_jobs",
        1,
    )
    done(
        "score",
        "-dp",
        "aligned",
        "-m",
        "chrf",
        "-op",
        "chrf.parquet",
        "--ids",
        "ids.txt",
        "--no-texts",
    )
    done("merge", "rouge.jsonl", "chrf.parquet", "-o", "scores.jsonl")
    done("select", "scores.jsonl", "--measures", "rouge-1.recall", "rouge-l.recall", "--mean-bins", 2,
         "--spread-bins", 1, "--seed", 268, "-o", "selection.json", "--ids-output", "picked.txt")  # fmt: skip
    assert sorted(json.loads(Path("selection.json").read_text())["selected"]) == [
        "d01",
        "d02",
        "d03",
        "d04",
    ]
    done(
        "subsample",
        "aligned",
        "--selection",
        "selection.json",
        "--ids",
        "ids.txt",
        "-o",
        "chosen",
        "--sorted",
    )
    assert Path("chosen/ids.txt").read_text() == "d01\nd02\nd03\nd04\n"
    done("scus", "make", "chosen/ext/lead3/ref.txt", "--ids", "chosen/ids.txt", "-o", "write.csv")
    with open("write.csv", newline="") as stream:
        assert {row["eventId"] for row in csv.DictReader(stream)} == {"d01", "d02", "d03", "d04"}
    done("scus", "collect", STUDY / "scu-results.csv", "-o", "written.csv")
    done("scus", "filter", "written.csv", "-o", "scus.csv", "--dropped", "dropped.csv")
    with open("dropped.csv", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 5
    done("tasks", "make", "-dp", "chosen", "--ids", "chosen/ids.txt", "--scus", "scus.csv",
         "--attention", 2, "--detokenize", "-o", "tasks.csv")  # fmt: skip
    flags = [
        ("d01", "ext/lead3_out", True),
        ("d01", "ext/centroid_out", False),
        ("d02", "abs/abstractor_out", True),
    ]
    Path("notes.jsonl").write_text(
        "".join(
            json.dumps({"instance_id": name, "summarizer_id": system, "flagged": flagged}) + "\n"
            for name, system, flagged in flags
        )
    )
    done("tasks", "make", "-dp", "chosen", "--ids", "chosen/ids.txt", "--scus", "scus.csv",
         "--from-flags", "notes.jsonl", "-o", "flagged.csv")  # fmt: skip
    keys = [json.loads(line) for line in Path("flagged.csv.key.jsonl").read_text().splitlines()]
    assert {(key["event"], key["summarizer_id"]) for key in keys} == {
        ("d01", "ext/lead3_out"),
        ("d02", "abs/abstractor_out"),
    }
    Path("rules.toml").write_text("agreement = 0.5\nattention = 0.9\n")
    cleaned = done("clean", STUDY / "answers.csv", "--key", "tasks.csv.key.jsonl", "--rules", "rules.toml",
                   "-o", "clean.csv", "--report", "clean.json")  # fmt: skip
    assert "12 removed" in cleaned.err
    report = json.loads(Path("clean.json").read_text())
    assert {one["worker"] for one in report["removed"]} == {"worker-4"}
    assert report["agreement_after"][0]["alpha"] > report["agreement_before"][0]["alpha"] + 0.2
    done("human", "clean.csv", "--key", "tasks.csv.key.jsonl", "-o", "human.jsonl")
    rows = [json.loads(line) for line in Path("human.jsonl").read_text().splitlines()]
    assert len(rows) == 24
    assert all(row["uncertainty"]["litepyramid_recall"]["raters"] == 3 for row in rows)
    # The scored text's hash came through the tasks: merging with scores of other texts would fail.
    done("merge", "scores.jsonl", "human.jsonl", "-o", "all.jsonl")
    made = rubrica("meta-evaluate", "--scores", "all.jsonl", "--human", "litepyramid_recall",
                   "--measures", "rouge-1.recall", "rouge-2.recall", "chrf", "--summarizer-type", "peer",
                   "--coefficients", "kendall", "--rounds", 99, "--output", "meta.json")  # fmt: skip
    assert made.code == 0, made.err
    assert "kept 24: 6 systems x 4 inputs" in made.err
    told = done(
        "experiments", "all.jsonl", "--measures", "rouge-1.recall", "rouge-2.recall", "-o", "e.json"
    )
    assert "6 systems, 4 documents" in told.out
    assert json.loads(Path("e.json").read_text())["rules"] == "all"
    published = done(
        "experiments", "all.jsonl", "--measures", "rouge-1.recall", "--rules", "realsumm"
    )
    assert "published rules" in published.out


def test_the_audit_finds_glued_sentences_and_fails(done: Any, rubrica: Any) -> None:
    aligned(done)
    done("preprocess", RAW / "rambler.tsv", "--shape", "tsv", "-o", "t/rambler.txt")
    done(
        "realign",
        "-ip",
        "t/rambler.txt",
        "-op",
        "aligned/abs/rambler/out.txt",
        "-matching_path",
        "rambler.json",
    )
    answer = rubrica("study", "audit", "aligned", "-o", "audit.json")
    assert answer.code == 1
    assert "glued" in answer.out
    assert json.loads(Path("audit.json").read_text())["counts"]["error"] == 1
    assert rubrica("study", "audit", "aligned", "--fail-on", "never").code == 0


def test_scores_go_out_as_a_pickle_and_come_back(done: Any, rubrica: Any) -> None:
    aligned(done)
    done("score", "-dp", "aligned/abs", "-m", "rouge", "-op", "abs.jsonl", "--ids", "ids.txt")
    done("export", "abs.jsonl", "-o", "abs.pkl", "--split", "abs", "--ids", "ids.txt")
    with open("abs.pkl", "rb") as stream:
        assert pickle.load(stream)[0]["system_summaries"].keys() >= {"rambler_out.txt"}
    done(
        "import",
        "abs.pkl",
        "--split",
        "abs",
        "--ids",
        "ids.txt",
        "-o",
        "back.jsonl",
        "--measures",
        "rouge_1_recall",
    )
    done("merge", "abs.jsonl", "back.jsonl", "-o", "both.jsonl")
    assert (
        done("audit", "aligned", "--scores", "abs.jsonl", "back.jsonl", "--ids", "ids.txt").out
        == ""
    )


def test_an_interrupted_run_is_taken_up(done: Any) -> None:
    aligned(done)
    words = ["score", "-dp", "aligned", "-m", "rouge", "-op", "r.jsonl", "--ids", "ids.txt"]
    done(*words)
    whole = Path("r.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    Path("r.jsonl").unlink()
    from rubrica.cli.app import main
    from rubrica.data.scores.writer import RowWriter

    for run in ("another run", _run_note()):
        # As a killed run leaves it: rows so far, and half of the next one.
        writer = RowWriter("r.jsonl", run=run, overwrite=True)
        writer.write_lines(b"".join(lines[:40]))
        writer.close()
        with open("r.jsonl.partial", "ab") as stream:
            stream.write(lines[40][:50])
        assert main([*map(str, ["study", *words])]) == 1, "finished rows are not discarded"
        if run == "another run":
            assert main([*map(str, ["study", *words, "--resume"])]) == 1
    told = done(*words, "--resume")
    assert "40 rows of an earlier run kept" in told.err
    assert Path("r.jsonl").read_bytes() == whole


def _run_note() -> str:
    from rubrica.metrics.base.metric import Metric
    from rubrica.study.layout import find_systems
    from rubrica.study.realsumm import SHORT_NAMES
    from rubrica.study.score import describe_run

    choices = {
        "tags": "strict",
        "texts": True,
        "ids": "ids.txt",
        "references": (1, "||sep||", None),
    }
    return describe_run(
        find_systems("aligned"), [Metric.from_config(SHORT_NAMES["rouge"])], **choices
    )


def test_a_study_that_cannot_be_set_up_leaves_no_file(done: Any, rubrica: Any) -> None:
    Path("t.csv").write_text(
        "eventId,summaryId,qIdList,summary_text,statement_1\nd,s,\"['1']\",a text,a fact\n"
    )
    words = ["serve", "new.db", "--tasks", "t.csv", "--port", 0, "--annotators"]
    answer = rubrica("study", *words, 2, "--per-task", 3)
    assert (answer.code, "3 annotators per task, of 2" in answer.err) == (1, True)
    assert rubrica("study", *words, "ann", "ann").code == 1
    assert list(Path.cwd().glob("new.db*")) == []


def test_random_probes_are_there_with_realsumms_flags(done: Any) -> None:
    for name in ("lead3", "centroid"):
        shape = SHAPES[f"ext/{name}"][4]
        done("preprocess", RAW / f"{name}.ref.txt", "--shape", shape, "-o", f"{name}.txt")
    words = [
        "align",
        "-out",
        "centroid.txt",
        "-ref",
        "lead3.txt",
        "-length",
        30,
        "-max_attempts",
        10,
        "-n_jobs",
        1,
    ]
    done(*words, "-matching_path", "random.json", "--method", "random", "--seed", 3)
    done(*words, "-matching_path", "index.json", "--report", "report.json")
    assert json.loads(Path("random.json").read_text()) == json.loads(Path("index.json").read_text())
    assert json.loads(Path("report.json").read_text())["exact"] == 12


def test_tac_json_becomes_a_folder_of_peers(done: Any) -> None:
    topics = {
        "D1": {
            "references": [{"text": ["One ref."]}, {"text": ["Two refs."]}],
            "annotations": [
                {"summ_id": 1, "text": ["A peer."]},
                {"summ_id": 2, "text": ["B peer."]},
            ],
        },
        "D2": {
            "references": [{"text": ["Ref A."]}, {"text": ["Ref B."]}],
            "annotations": [{"summ_id": 1, "text": ["Again."]}],
        },
    }
    Path("tac.json").write_text(json.dumps(topics))
    done("preprocess", "tac.json", "--shape", "tac", "-o", "tac")
    assert Path("tac/2/out.txt").read_text().splitlines()[1] == "### DUPLICATE ###"
    assert json.loads(Path("tac/doc_num2topic.json").read_text()) == {"0": "D1", "1": "D2"}
    told = done(
        "score", "-dp", "tac", "-m", "rouge", "-op", "s.jsonl", "-num_ref", 2, "-ref_sep", "||sep||"
    )
    assert "1 stand-in lines" in told.err


def test_likert_and_acu_become_tables(done: Any) -> None:
    Path("l.csv").write_text("instance_id,summarizer_id,rater,fluency\n1,a,x,4\n1,a,y,5\n")
    done(
        "judgments",
        "l.csv",
        "--kind",
        "likert",
        "--dimensions",
        "fluency",
        "--scale",
        1,
        5,
        "-o",
        "l.jsonl",
    )
    assert json.loads(Path("l.jsonl").read_text())["metrics"] == {"fluency": 4.5}
    Path("r.jsonl").write_text(
        '{"example_id": "e", "annotations": {"s": {"acu_labels": [1, 0, 0, 1]}}}'
    )
    done("judgments", "r.jsonl", "--kind", "acu", "-o", "a.jsonl")
    assert json.loads(Path("a.jsonl").read_text())["metrics"] == {"acu": 0.5}


@pytest.mark.parametrize("name", GROUPS["study"].commands)
def test_every_stage_has_help(name: str, rubrica: Any) -> None:
    answer = rubrica("study", *name.split(), "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"usage: rubrica study {name}")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["aline"], 2, "did you mean align"),
        (["scus"], 2, "rubrica study scus make|collect|filter"),
        (["align"], 2, "required"),
        (["audit"], 2, "pass a folder"),
        (["audit", "nowhere"], 1, "nowhere: is not a folder"),
        (["serve", "new.db"], 2, "a new study needs --tasks, --write or --form"),
        (["serve", "new.db", "--tasks", "x.csv", "--write", "y.csv"], 2, "one kind of tasks"),
        (["collect", "new.db"], 2, "new.db does not exist"),
        (["export", "x.jsonl", "-o", "x.json"], 2, "must end in .pkl"),
        (["judgments", "x.csv", "--kind", "likert", "-o", "x"], 2, "--dimensions"),
        (["preprocess", "x", "--shape", "lines", "-o", "y"], 1, "x: cannot be opened"),
        (["scus", "filter", "x", "-o", "y", "--others"], 2, "--others needs --use"),
    ],
)  # fmt: skip
def test_mistakes_are_told(
    words: list[str],
    code: int,
    told: str,
    rubrica: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = rubrica("study", *words)
    assert answer.code == code
    assert told in answer.err


def test_a_stand_in_model_is_warned_of_and_not_exported_under_realsumms_name(
    done: Any, rubrica: Any
) -> None:
    aligned(done)
    scored = done("score", "-dp", "aligned", "-m", "rwe", "rouge,max_ngram=1", "-op", "t.jsonl")
    assert "warning: rouge-we uses glove-6b-50d, not REALSumm's model" in scored.err
    measures = json.loads(Path("t.jsonl").read_text().splitlines()[0])["metrics"]
    assert set(measures) == {"rouge-we-1", "rouge-1", "rouge-l"}
    refused = rubrica("study", "export", "t.jsonl", "-o", "t.pkl")
    assert refused.code == 1
    assert "'rouge_1_we' in REALSumm's dicts means the dependency-based vectors" in refused.err
    assert not Path("t.pkl").exists()
    named = done("score", "-dp", "aligned/abs", "-m", "rwe,as=small", "-op", "n.jsonl")
    assert "warning" in named.err
    done("export", "n.jsonl", "-o", "n.pkl")
    with open("n.pkl", "rb") as stream:
        [scores] = {
            tuple(s["scores"])
            for d in pickle.load(stream).values()
            for s in d["system_summaries"].values()
        }
    assert "small_rouge-we-1_f1" in scores


def test_two_systems_of_one_name_are_told_apart_by_folder(done: Any, rubrica: Any) -> None:
    with open(STUDY / "answers.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for split in ("abs", "ext"):
        Path(split).mkdir()
        with open(f"{split}/a.csv", "w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            for row in rows:
                name = row["Input.summaryId"].rpartition("/")[2]
                text = f"{split}: {row['Input.summary_text']}"
                writer.writerow(row | {"Input.summaryId": name, "Input.summary_text": text})
    files = ("abs/a.csv", "ext/a.csv")
    for verb in ("human", "clean"):
        refused = rubrica("study", verb, *files, "-o", "out.jsonl")
        assert refused.code == 1
        assert "ext/a.csv:2: another text for" in refused.err
        assert "than in abs/a.csv:" in refused.err
    done("human", *files, "-o", "h.jsonl", "--split-by-folder")
    systems = [
        json.loads(line)["summarizer_id"] for line in Path("h.jsonl").read_text().splitlines()
    ]
    assert len(systems) == 48
    assert {name[:4] for name in systems} == {"abs/", "ext/"}


def test_settings_of_a_study_are_shown_changed_and_backed_up(done: Any, rubrica: Any) -> None:
    store = new_store(
        Path("s.db"), [rate_item(f"d{n}", "s", "a fact") for n in range(4)], per_task=1
    )
    store.close()
    Path("new.md").write_text("Read.\n\nThen mark.\n")
    changed = done("settings", "s.db", "--title", "Round 2", "--instructions", "new.md",
                   "--pass-share", 0.8, "--add-annotators", "late", "--remove-annotators", "annotator-2")  # fmt: skip
    assert "title: A study -> Round 2" in changed.err
    assert "instructions: (default) -> Read. Then mark." in changed.err
    assert "pass_share: unchanged" in changed.err
    assert "removed annotator-2; 2 unsubmitted tasks went to others" in changed.err
    assert "added late with" in changed.err
    shown = done("settings", "s.db").out
    assert "Round 2" in shown
    assert "annotator-1, late" in shown
    for option in (["--title", "x"], ["--annotators", "5"], ["--instructions", "new.md"]):
        refused = rubrica("study", "serve", "s.db", *option, "--port", 0)
        assert refused.code == 2
        assert "change them with rubrica study settings s.db" in refused.err
    done("backup", "s.db", "-o", "copy.db")
    assert "Round 2" in done("settings", "copy.db").out
    assert rubrica("study", "backup", "s.db", "-o", "copy.db").code == 2
    assert rubrica("study", "settings", "nowhere.db").code == 2


def test_a_partial_file_is_realigned_to_as_many_lines_as_there_are_anchors(done: Any) -> None:
    anchors = [f"<t> sentence number {n} about topic{n} </t>" for n in range(6)]
    Path("ref.txt").write_text("".join(f"{line}\n" for line in anchors))
    Path("part.txt").write_text(f"{anchors[1]}\n{anchors[0]}\n")
    done("align", "-out", "part.txt", "-ref", "ref.txt", "-matching_path", "m.json")
    assert json.loads(Path("m.json").read_text()) == {"0": 1, "1": 0}
    done("realign", "-ip", "part.txt", "-op", "o.txt", "-matching_path", "m.json")
    assert Path("o.txt").read_text().splitlines() == [*anchors[:2], *["### NO MATCH FOUND ###"] * 4]
    Path("m.json.record.json").unlink()
    told = done("realign", "-ip", "part.txt", "-op", "o.txt", "-matching_path", "m.json").err
    assert "warning: m.json.record.json does not exist" in told
    assert len(Path("o.txt").read_text().splitlines()) == 2


def test_nothing_is_served_beyond_this_machine_without_encryption(
    rubrica: Any, tmp_path: Path
) -> None:
    refused = rubrica("study", "serve", tmp_path / "s.db", "--host", "0.0.0.0", "--port", 0)
    assert refused.code == 2
    assert "Pass --tls CERTIFICATE KEY, or --behind-proxy" in refused.err
    missing = ("--tls", tmp_path / "a.pem", tmp_path / "b.pem")
    refused = rubrica(
        "study", "serve", tmp_path / "s.db", "--host", "0.0.0.0", "--port", 0, *missing
    )
    assert (refused.code, "a.pem does not exist" in refused.err) == (2, True)

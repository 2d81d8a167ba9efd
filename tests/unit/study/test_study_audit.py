"""The audit finds what broke published data, and is silent on sound data."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.study.audit import audit
from rubrica.study.checks.findings import Audit
from rubrica.study.checks.scores import Scored
from rubrica.study.layout import find_systems, read_ids
from rubrica.study.preprocess import text_digest
from rubrica.study.rows import StudyRow
from rubrica.text.tags import tagged

TEXTS = [
    ["the council voted on the library .", "it will open in spring ."],
    ["mussels remember earthquakes .", "their shells have lines ."],
    ["a clerk won the marathon .", "she ran alone for miles ."],
    ["two firms will merge .", "plants will close ."],
]


def study(root: Path, outs: dict[str, list[str]], refs: dict[str, list[str]] | None = None) -> Path:
    for name, lines in outs.items():
        folder = root / name
        folder.mkdir(parents=True)
        (folder / "out.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        ref = (refs or {}).get(name, [tagged([f"indeed {text[0]}"]) for text in TEXTS])
        (folder / "ref.txt").write_text("".join(f"{line}\n" for line in ref), "utf-8")
    return root


def lines(word: str = "") -> list[str]:
    return [tagged([f"{word}{one}" for one in text]) for text in TEXTS]


def kinds(made: Audit) -> set[tuple[str, str]]:
    return {(one.gravity, one.kind) for one in made.findings}


def test_sound_data_have_no_findings(tmp_path: Path) -> None:
    made = audit(study(tmp_path, {"ext/one": lines(), "abs/two": lines("so ")}))
    assert made.findings == ()
    assert made.looked_at["systems"] == ["ext/one_out", "abs/two_out"]


def test_bart_and_pointer_generator_are_found(tmp_path: Path) -> None:
    outs = {
        "abs/bart": [f"<t> {line.strip()} </t>" for line in lines("we ")],
        "abs/ptr": [
            tagged([".".join(text).replace(". .", " .").replace(" ..", " .")]) for text in TEXTS
        ],
        "abs/bottom": [f"<t> {'   '.join(text)} </t>" for text in TEXTS],
        "ext/bare": ["   ".join(f"all {one}" for one in text) for text in TEXTS],
    }
    made = audit(study(tmp_path, outs))
    found = {(one.kind, one.where): one for one in made.findings}
    assert found["tags: doubled", "abs/bart/out.txt"].cases() == "4 of 4"
    assert found["glued", "abs/ptr/out.txt"].gravity == "error"
    assert found["one sentence", "abs/bottom/out.txt"].gravity == "error"
    assert found["tags: none", "ext/bare/out.txt"].gravity == "warning"
    assert made.worst() == "error"


def test_a_system_in_both_splits_is_found(tmp_path: Path) -> None:
    made = audit(study(tmp_path, {"ext/bart": lines(), "abs/bart": lines()}))
    assert ("error", "copied system") in kinds(made)
    assert ("warning", "name") in kinds(made)
    (one,) = [one for one in made.findings if one.kind == "copied system"]
    assert one.text() == (
        "the same summaries as abs/bart_out: one system under two names: 4 of 4 (line 1, 2, 3, 4)"
    )


def test_lines_that_are_missing_empty_or_repeated_are_found(tmp_path: Path) -> None:
    bad = [*lines()[:1], "", "### NO MATCH FOUND ###", lines()[0], lines()[0]]
    made = audit(study(tmp_path, {"abs/one": bad, "abs/two": lines("so ")}))
    assert {
        ("error", "line count"),
        ("warning", "empty"),
        ("warning", "no match"),
        ("error", "repeated"),
    } <= kinds(made)


def test_encodings_are_checked(tmp_path: Path) -> None:
    root = study(tmp_path, {"abs/one": lines(), "abs/two": lines("so ")})
    content = [line.encode() for line in lines()]
    content[0] += b"\xff"
    content[1] = " <t> cafÃ© </t> ".encode()
    content[2] += "\ufffd".encode()
    content[3] += b" \r x"
    (root / "abs/one/out.txt").write_bytes(b"\n".join(content))
    told = {one.message for one in audit(root).findings}
    assert "not UTF-8" in told
    assert "UTF-8 that was encoded twice" in told
    assert any("lost" in one for one in told)
    assert any("line end of another kind" in one for one in told)


def test_references_of_other_documents_are_found_and_spellings_are_not(tmp_path: Path) -> None:
    plain = [tagged(text) for text in TEXTS]
    spelled = [
        line.upper().replace("<T>", "<t>").replace("</T>", "</t>").replace(" .", ".")
        for line in plain
    ]
    moved = [plain[1], plain[0], *plain[2:]]
    refs = {"abs/one": plain, "abs/two": spelled, "abs/three": moved, "abs/four": plain}
    outs = {name: lines(f"{name[4:]} ") for name in refs}
    made = audit(study(tmp_path, outs, refs))
    assert ("error", "misplaced") in kinds(made)
    (one,) = (finding for finding in made.findings if finding.kind != "misplaced")
    assert (one.kind, one.where, one.lines) == ("other reference", "abs/three/ref.txt", (1, 2))


def row(system: str, at: int, text: list[str], **metrics: float) -> StudyRow:
    return StudyRow(
        instance_id=str(at), summarizer_id=system, summarizer_type="peer", metrics=MetricsDict(metrics),
        summary_digest=text_digest(" ".join(text)),
    )  # fmt: skip


def test_scores_of_other_texts_are_found(tmp_path: Path) -> None:
    root = study(tmp_path, {"abs/one": lines(), "abs/two": lines("so ")})
    right = [row("abs/one_out", n, text, r=0.5) for n, text in enumerate(TEXTS)]
    assert audit(root, [Scored("t", right)]).findings == ()
    wrong = [row("abs/one_out", n, [f"so {s}" for s in text]) for n, text in enumerate(TEXTS)]
    (one,) = audit(root, [Scored("t", wrong)]).findings
    assert one.gravity == "error"
    assert "4 are those of abs/two_out" in one.message


def test_tables_that_differ_are_found() -> None:
    one = Scored("a", [row("s", n, text, r=0.5) for n, text in enumerate(TEXTS)])
    two = Scored("b", [row("s", n, text, r=0.6 if n else 0.5) for n, text in enumerate(TEXTS)])
    three = Scored("c", [row("s", n, [*text, "x"], r=0.5) for n, text in enumerate(TEXTS)])
    assert [f.text() for f in audit(None, [one, two]).findings] == [
        "other values of r than in b, for the same texts: 3 of 4"
    ]
    assert [f.kind for f in audit(None, [one, three]).findings] == ["other texts"]


def test_folders_that_are_no_study_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no system here"):
        find_systems(tmp_path)
    (tmp_path / "abs" / "m").mkdir(parents=True)
    (tmp_path / "abs" / "m" / "out.txt").write_text("x\n")
    with pytest.raises(DataError, match=r"has no ref\.txt"):
        find_systems(tmp_path)


def test_ids_must_be_as_many_as_lines_and_different(tmp_path: Path) -> None:
    (tmp_path / "ids").write_text("a\na\n")
    with pytest.raises(DataError, match="duplicate id 'a'"):
        read_ids(str(tmp_path / "ids"), 2)
    with pytest.raises(DataError, match="2 ids for 3 lines"):
        read_ids(str(tmp_path / "ids"), 3)


@pytest.mark.parametrize("shift", [1, -1])
def test_outputs_shifted_against_their_references_are_noticed(shift: int, tmp_path: Path) -> None:
    outs = lines()
    made = audit(study(tmp_path, {"a": [*outs[shift:], *outs[:shift]]}))
    (finding,) = made.findings
    assert (finding.gravity, finding.kind, finding.count) == ("error", "misplaced", 4)
    assert f"the one 1 {'below' if shift > 0 else 'above'}" in finding.message
    assert "the lines are shifted" in finding.message


def test_an_exchanged_pair_is_a_warning_and_a_poor_summary_is_none(tmp_path: Path) -> None:
    texts = [f"subject{n} did thing{n} in place{n}" for n in range(40)]
    outs = [tagged([text]) for text in texts]
    outs[3], outs[4] = outs[4], outs[3]
    outs[7] = tagged(["nothing that anybody said"])
    outs[8] = outs[20]
    made = audit(study(tmp_path, {"a": outs}, {"a": [tagged([f"yes {t}"]) for t in texts]}))
    misplaced = [f for f in made.findings if f.kind == "misplaced"]
    assert [(f.gravity, f.lines) for f in misplaced] == [("warning", (4, 5))]

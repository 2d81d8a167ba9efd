"""TAC 2008 to 2011, in the layout of NIST's archives."""

from __future__ import annotations

from support.dataset_samples.build import Tree
from support.dataset_samples.duc import annotation, peerscu, pyramid, rouge_out, scu

STORY = '<DOC id="AFP_ENG_20041006.0040" type="story">\n<HEADLINE>\nA head\n</HEADLINE>\n<TEXT>\n<P>\nOne.\n</P>\n<P>\nTwo\nlines.\n</P>\n</TEXT>\n</DOC>\n'
OTHER = '<DOC id="AFP_ENG_20041006.0041" type="other">\n<TEXT>\nJust text.\n</TEXT>\n</DOC>\n'


def evaluation(root: str, topic: str, *, split: bool, labels_only: bool = False) -> Tree:
    """Peers, models, scores and pyramids of one topic; from 2009 on tables are split by set."""
    pyramids = {
        g: pyramid(
            f"{topic}-{g}",
            {"A": f"{g}cats sleep.", "B": f"{g}dogs sleep."},
            scu(7, "sleeping", f"{g}cats", f"{g}dogs"),
            regex=r"-+\n \S+\n-+",
        )
        for g in "AB"
    }
    uid = 41 if labels_only else 7
    # In 2009 and later there is one column more, before the jackknifed score.
    extra = "x " if split else ""
    model = {g: f"{topic}-{g} A 9 {extra}x 0.608 5 4\n" for g in "AB"}
    peer = {
        g: f"{topic}-{g} 1 0.25 4 1 {extra}x 0.24 3 2\n{topic}-{g} 2 0.0 0 0 {extra}x 0.0 1 1\n"
        for g in "AB"
    }
    rows = {g: f"1 ROUGE-2 Eval {topic}-{g}.M.100.A.1 R:0.1 P:0.2 F:0.15" for g in "AB"}
    tables: Tree = {}
    for name, ending, what in (
        ("ROUGE/rouge", "m.out", "ROUGE-2"),
        ("ROUGE/rougejk", "m.out", "ROUGE-2"),
        ("BE/simple", "m.hm.out", "ROUGE-BE-HM"),
        ("BE/simplejk", "m.hm.out", "ROUGE-BE-HM"),
    ):
        lines = {g: row.replace("ROUGE-2", what) for g, row in rows.items()}
        if split:
            tables |= {f"{root}/{name}_{g}.{ending}": rouge_out(lines[g]) for g in "AB"}
        else:
            tables[f"{root}/{name}.{ending}"] = rouge_out(*lines.values())
    manual = (
        {f"{root}/manual/manual.model.{g}": model[g] for g in "AB"}
        | {f"{root}/manual/manual.peer.{g}": peer[g] for g in "AB"}
        if split
        else {
            f"{root}/manual/manual.model": model["A"] + model["B"],
            f"{root}/manual/manual.peer": peer["A"] + peer["B"],
        }
    )
    texts: Tree = {}
    for g in "AB":
        for who, text in (("A", f"{g}cats sleep.\n"), ("B", f"{g}dogs sleep.\n")):
            texts[f"{root}/ROUGE/models/{topic}-{g}.M.100.A.{who}"] = text
        texts[f"{root}/ROUGE/peers/{topic}-{g}.M.100.A.1"] = (
            f"{g}cats sleep a lot. Two in one line.\nNext.\n"
        )
        texts[f"{root}/ROUGE/peers/{topic}-{g}.M.100.A.2"] = "\n"
        texts[f"{root}/manual/pyramids/{topic}-{g}.M.100.A.pyr"] = pyramids[g]
        found = peerscu(uid, "Sleeping", f"{g}cats", 0) + peerscu(
            99, "the annotator's own", "lot", 15
        )
        text = f"{g}cats sleep a lot."
        texts[f"{root}/manual/peers/{topic}-{g}.M.100.A.1"] = annotation(pyramids[g], text, found)
        texts[f"{root}/manual/peers/{topic}-{g}.M.100.A.2"] = annotation(pyramids[g], " ", "")
    return {**tables, **manual, **texts}


def documents(root: str, topic: str) -> Tree:
    return {
        f"{root}/{topic}A/{topic}A-{g}/AFP_ENG_20041006.004{n}": (STORY, OTHER)[n]
        for n, g in enumerate("AB")
    }


def topics(topic: str, extra: str = "") -> str:
    # Above the topics stand 36 lines with comments that XML parsers stumble on.
    heading = '<?xml version="1.0"?>\n' + 35 * "<!-- -- a comment -- -->\n"
    return (
        f'{heading}<TACtopics>\n<topic id = "{topic}A"{extra}>\n'
        "<title> Sleep </title>\n<narrative>\nWho sleeps?\n</narrative>\n</topic>\n</TACtopics>\n"
    )


def aesop(number: int) -> str:
    return (
        f"system topic m1 m2\ns1 t{number} 0.5 NaN\ns2 t{number} 0.25 0.75\nsA t{number} 1.0 1.0\n"
    )


def tac2008() -> Tree:
    return {
        "TAC2008_Summarization_Documents.tgz": {
            "TAC2008_Update_Summarization_Documents/UpdateSumm08_test_docs_files.tar.gz": documents(
                "UpdateSumm08_test_docs_files", "D0801"
            )
        },
        "UpdateSumm08_eval.tar.gz": evaluation("UpdateSumm08_eval", "D0801", split=False),
        "UpdateSumm08_test_topics.xml.txt": topics("D0801"),
    }


def tac2009() -> Tree:
    return {
        "TAC2009_Summarization_Documents.tgz": {
            "TAC2009_Summarization_Documents/UpdateSumm09_test_docs_files.tar.gz": documents(
                "UpdateSumm09_test_docs_files", "D0901"
            )
        },
        "UpdateSumm09_eval.tar.gz": evaluation("UpdateSumm09_eval", "D0901", split=True),
        "AESOP09_eval.tar.gz": {f"AESOP09_eval/data/aesop_allpeers_{g}": aesop(1) for g in "AB"},
        "UpdateSumm09_test_topics.xml.txt": topics("D0901"),
    }


def tac2010() -> Tree:
    return {
        "TAC2010_Summarization_Documents.tgz": {
            "TAC2010_Summarization_Documents/GuidedSumm10_test_docs_files.tar.gz": documents(
                "GuidedSumm10_test_docs_files", "D1001"
            )
        },
        "GuidedSumm2010_eval.tgz": evaluation("GuidedSumm2010_eval", "D1001", split=True),
        "AESOP2010_eval.tgz": {f"AESOP2010_eval/data/aesop_allpeers_{g}": aesop(1) for g in "AB"},
        "GuidedSumm10_test_topics.xml.txt": topics("D1001", ' category = "2"'),
    }


def tac2011() -> Tree:
    # One monthly file: its first document is of another type than the ones wanted.
    month = (
        '<DOC id="AFP_ENG_20041001.0001" type="other">\n<TEXT>Not wanted.</TEXT>\n</DOC>\n'
        + STORY
        + OTHER
    )
    text = topics("D1101", ' category = "3"').replace(
        "</narrative>\n",
        '</narrative>\n<docsetA id = "D1101A-A">\n<doc id = "AFP_ENG_20041006.0040.LDC2009T13" />\n</docsetA>\n'
        '<docsetB id = "D1101A-B">\n<doc id = "AFP_ENG_20041006.0041.LDC2009T13" />\n</docsetB>\n',
    )
    ab = pyramid(
        "D1101-AB", {"A": "Acats\ufffds sleep.", "B": "Adogs sleep."}, scu(3, "both", "Adogs")
    )
    # Offsets there count bytes, and the damaged letter has three.
    at = ab.index('start="')
    start = int(ab[at + 7 : ab.index('"', at + 7)])
    ab = ab.replace(f'start="{start}"', f'start="{start + 2}"').replace(
        f'end="{start + 5}"', f'end="{start + 7}"'
    )
    return {
        "gigaword_eng_5": {"data/afp_eng/afp_eng_200410.gz": month},
        "GuidedSumm2011_eval.tgz": {
            **evaluation("GuidedSumm2011_eval", "D1101", split=True, labels_only=True),
            "GuidedSumm2011_eval/manual/pyramids/D1101-AB.M.100.A.pyr": ab,
        },
        "AESOP2011_eval_V1.2.tgz": {
            f"AESOP2011_eval_V1.2/data/aesop_allpeers_{g}": aesop(1) for g in "AB"
        },
        "GuidedSumm11_test_topics.xml.txt": text,
    }


SAMPLES = {name: globals()[name] for name in (f"tac{year}" for year in range(2008, 2012))}

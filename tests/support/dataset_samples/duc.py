"""DUC 2005 to 2007, in the layout of NIST's archives, with pyramids."""

from __future__ import annotations

from support.dataset_samples.build import Tree

DASHES = "-" * 20
HEADING = "".join(f"heading line {n}\n" for n in range(1, 7))
# Tables of linguistic quality have one line more.
QUALITY_HEADING = HEADING + "heading line 7\n"


def news(text: str, headline: str = "") -> str:
    head = f"<HEADLINE>{headline}</HEADLINE>\n" if headline else ""
    return f"<DOC>\n<DOCNO> X </DOCNO>\n{head}<TEXT>\n<P>\n{text}\n</TEXT>\n</DOC>\n"


def pyramid(topic: str, summaries: dict[str, str], scus: str, regex: str = "") -> str:
    """A .pyr file; the offsets of parts count in the text made here."""
    text = "\n".join(
        f"{DASHES}\n {topic}.M.250.{selector}.{selector}\n{DASHES}\n{body}"
        for selector, body in summaries.items()
    )
    lines = "".join(f"<line>{line}</line>\n" for line in text.split("\n"))
    start = f"<startDocumentRegEx><![CDATA[{regex}]]></startDocumentRegEx>" if regex else ""
    for label in summaries.values():
        for word in label.split():
            scus = scus.replace(
                f"@{word}@", f'start="{text.index(word)}" end="{text.index(word) + len(word)}"'
            )
    return f'<?xml version="1.0"?>\n<pyramid>{start}<text>{lines}</text>{scus}</pyramid>'


def annotation(pyramid_xml: str, text: str, scus: str) -> str:
    body = pyramid_xml.partition("?>")[2]
    lines = "".join(f"<line>{line}</line>" for line in text.split("\n"))
    return (
        '<?xml version="1.0"?>\n<peerannotation>'
        f"{body}<annotation><text>{lines}</text>{scus}</annotation></peerannotation>"
    )


def scu(uid: int, label: str, *words: str) -> str:
    contributors = "".join(
        f'<contributor label="{word}"><part label="{word}" @{word}@/></contributor>'
        for word in words
    )
    return f'<scu uid="{uid}" label="{label} (4.0)">{contributors}</scu>'


def peerscu(uid: int, label: str, word: str, start: int) -> str:
    part = f'<part label="{word}" start="{start}" end="{start + len(word)}"/>'
    return f'<peerscu uid="{uid}" label="(2) {label} (4.0)"><contributor label="{word}">{part}</contributor></peerscu>'


def rouge_out(*rows: str) -> str:
    lines = [
        "---------------------------------------------",
        "1 ROUGE-2 Average_R: 0.1 (95%-conf.int. 0.1 - 0.2)",
    ]
    return "\n".join([*lines, *rows]) + "\n"


def duc2005() -> Tree:
    pyr = pyramid(
        "D311",
        {"A": "Spies steal secrets.", "B": "Firms lose secrets."},
        scu(1, "spying", "Spies") + scu(2, "loss", "steal", "lose"),
    )
    again = annotation(
        pyr, "Spies steal.", peerscu(1, "spying", "Spies", 0) + peerscu(2, "loss", "steal", 6)
    )
    topics = (
        "<topic>\n<num> d311i </num>\n<title> Espionage </title>\n<narr>\nWhat is known?\n</narr>\n"
        "<granularity> specific </granularity>\n</topic>\n"
    )
    return {
        "DUC2005_Summarization_Documents.tgz": {
            "DUC2005_Summarization_Documents/duc2005_docs.tar.gz": {
                "duc2005_docs/d311i/FT911-1": news("Spies."),
                "duc2005_docs/d311i/LA1": "<DOC><GRAPHIC><P>Photo.</P></GRAPHIC></DOC>",
            }
        },
        "testdata/duc2005_topics.sgml": topics,
        "results/NIST/results.tar": {
            "results/ROUGE/models/D311.M.250.I.A": "Spies steal secrets.\n",
            "results/ROUGE/models/D311.M.250.I.B": "Firms lose secrets.\n",
            "results/ROUGE/peers/D311.M.250.I.14": "Spies steal.\n",
            "results/ROUGE/peers/D311.M.250.I.31": "",
            "results/ROUGE/extras/D311.M.250.I.C": "Not used.\n",
            "results/ROUGE/rougejk.m.out": rouge_out(
                "14 ROUGE-2 Eval D311.M.250.I.14 R:0.10000 P:0.20000 F:0.13333",
                "14 ROUGE-2 Eval D311.M.250.I.14 R:0.20000 P:0.20000 F:0.20000",
                "A ROUGE-2 Eval D311.M.250.I.A R:0.30000 P:0.30000 F:0.30000",
            ),
            "results/responsiveness/responsiveness.table": HEADING
            + "D311 250 I 14 3\nD311 250 I 31 1\nD311 250 I A 5\n",
            "results/linguistic_quality/linguistic_quality.table": QUALITY_HEADING
            + "D311 250 I 14 1 5\nD311 250 I 14 2 4\n",
        },
        "results/Pyramid/DUC2005.tar.gz": {
            "processed_pans.txt": "311 14 0.5521 0.3869 10 7\n311 31 0.0 0.0 0 0\n",
            "pans/101.D311.M.250.I.14.pan": annotation(
                pyr, "Spies steal.", peerscu(1, "spying", "Spies", 0)
            ),
            "pans/202.D311.M.250.I.14.pan": again,
            "pans/101.D311.M.250.I.31.pan": annotation(pyr, "", ""),
        },
    }


def duc2006() -> Tree:
    pyr = pyramid(
        "D0631", {"A": "Planes fly.", "B": "Jets fly."}, scu(1, "flying", "Planes", "Jets")
    )
    return {
        "DUC2006_Summarization_Documents.tgz": {
            "DUC2006_Summarization_Documents/duc2006_docs.tar.gz": {
                "duc2006_docs/D0631A/APW20000725.0167": news("The crash.")
            }
        },
        "duc2006_topics.sgml": "<topic><num> D0631A </num><title> Concorde </title><narr> What\nhappened? </narr></topic>",
        "NISTeval.tar.gz": {
            # In other lines than among the peers of the second archive, which count.
            "NISTeval/ROUGE/models/D0631.M.250.A.A": "Planes\nfly.\n",
            "NISTeval/responsiveness/overall.table": HEADING + "D0631 250 A 1 3\nD0631 250 A A 5\n",
            "NISTeval/responsiveness/content.table": HEADING + "D0631 250 A 1 4\n",
            "NISTeval/linguistic_quality/linguistic_quality.table": QUALITY_HEADING
            + "D0631 250 A 1 1 5\n",
        },
        "NISTeval2.tar.gz": {
            "NISTeval2/ROUGE/peers/D0631.M.250.A.1": "Planes.\nFly.\n",
            "NISTeval2/ROUGE/peers/D0631.M.250.A.A": "Planes fly.\n",
            "NISTeval2/ROUGE/peers/D0631.M.250.A.B": "Jets fly.\n",
            "NISTeval2/ROUGE/rougejk.m.out": rouge_out(
                "1 ROUGE-SU4 Eval D0631.M.250.A.1 R:0.1 P:0.2 F:0.15"
            ),
            "NISTeval2/BE/simplejk.m.hm.out": rouge_out(
                "1 ROUGE-BE-HM Eval D0631.M.250.A.1 R:0.05 P:0.05 F:0.05"
            ),
        },
        "DUC2006pyramiddata.tar.gz": {
            # "01" is system 1.
            "scoring/2006_modified_scores.txt": "D0631 01 0.3103 7 0\n",
            "allpyramids/D0631.pyr": pyr,
            "allpans/114.D0631.M.250.A.1.pan": annotation(
                pyr, "Planes. Fly.", peerscu(1, "flying", "Planes", 0)
            ),
            "allpans/215.D0631.M.250.A.1.pan": annotation(pyr, "Planes. Fly.", ""),
        },
    }


def duc2007() -> Tree:
    main = pyramid(
        "D0701", {"A": "Cars move.", "B": "Trucks move."}, scu(1, "moving", "Cars", "Trucks")
    )
    update = {
        g: pyramid(
            f"D0703-{g}",
            {"A": f"{g}cars move.", "B": f"{g}trucks move."},
            scu(1, "moving", f"{g}cars"),
        )
        for g in "ABC"
    }
    topic = "<topic><num> {} </num><title> T </title><narr> N </narr></topic>"
    models = {
        f"updateEval/ROUGE/models/D0703-{g}.M.100.A.{p}": f"{g}{w} move.\n"
        for g in "ABC"
        for p, w in (("A", "cars"), ("B", "trucks"))
    }
    return {
        "DUC2007_Summarization_Documents.tgz": {
            "DUC2007_Summarization_Documents/duc2007_testdocs.tar.gz": {
                "duc2007_testdocs/main/D0701A/APW19980613.0242": news("Cars."),
                **{
                    f"duc2007_testdocs/update/D0703A/D0703A-{g}/NYT19990101.000{n}": news(
                        f"Set {g}.", "Head"
                    )
                    for n, g in enumerate("ABC")
                },
            }
        },
        "duc2007_topics.sgml": topic.format("D0701A"),
        "duc2007_UPDATEtopics.sgml": topic.format("D0703A"),
        "mainEval.tar.gz": {
            "mainEval/ROUGE/models/D0701.M.250.A.A": "Cars move.\n",
            "mainEval/ROUGE/models/D0701.M.250.A.B": "Trucks move.\n",
            "mainEval/ROUGE/peers/D0701.M.250.A.23": "Cars.\n",
            "mainEval/ROUGE/rougejk.m.out": rouge_out(
                "23 ROUGE-2 Eval D0701.M.250.A.23 R:0.1 P:0.1 F:0.1"
            ),
            "mainEval/BE/simplejk.m.hm.out": rouge_out(
                "23 ROUGE-BE-HM Eval D0701.M.250.A.23 R:0.2 P:0.2 F:0.2"
            ),
            "mainEval/manual/content.table": HEADING + "D0701 250 A 23 3\n",
            "mainEval/manual/linguistic_quality.table": QUALITY_HEADING + "D0701 250 A 23 1 5\n",
        },
        "mainPyramidEval.tar.gz": {
            "mainPyramidEval/scoring/2007_modified_scores.txt": "D0701 23 0.3636 10 0 3 5 5 4 5 4\n",
            "mainPyramidEval/allpyramids/D0701-final.pyr": main,
            "mainPyramidEval/allpans/D0701.M.250.A.23.pan": annotation(
                main, "Cars.", peerscu(1, "moving", "Cars", 0)
            ),
        },
        "updateEval.tar.gz": {
            **models,
            # Set C has no peer: nobody annotated one there.
            **{f"updateEval/ROUGE/peers/D0703-{g}.M.100.A.39": f"{g}cars.\n" for g in "AB"},
            "updateEval/ROUGE/rougejk.m.out": rouge_out(
                "39 ROUGE-2 Eval D0703-A.M.100.A.39 R:0.1 P:0.1 F:0.1"
            ),
            "updateEval/BE/simplejk.m.hm.out": rouge_out(
                "39 ROUGE-BE-HM Eval D0703-A.M.100.A.39 R:0.2 P:0.2 F:0.2"
            ),
            "updateEval/Responsiveness/content.table": HEADING
            + "D0703-A 100 A 39 2\nD0703-B 100 A 39 4\n",
            "updateEval/Pyramid/scoring/2007_modified_scores.txt": "D0703-A 39 0.2857 3 0\n",
            **{f"updateEval/Pyramid/allpyramids/D0703-{g}-final.pyr": update[g] for g in "ABC"},
            "updateEval/Pyramid/allpans/D0703-A.M.100.A.39.pan": annotation(
                update["A"], "Acars.", peerscu(1, "moving", "Acars", 0)
            ),
        },
    }


SAMPLES = {name: globals()[name] for name in (f"duc{year}" for year in range(2005, 2008))}

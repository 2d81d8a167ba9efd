"""DUC 2001 to 2007, in the layout of NIST's archives."""

from __future__ import annotations

from dataset_samples.build import Tree

DASHES = "-" * 20
HEADING = "".join(f"heading line {n}\n" for n in range(1, 7))


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


def perdocs(*summaries: tuple[str, str]) -> str:
    return "".join(
        f'<SUM\nDOCSET="d01"\nTYPE="PERDOC"\nSIZE="100"\nDOCREF="{name}"\nSELECTOR="A"\nSUMMARIZER="A">\n\n{text}\n</SUM>\n'
        for name, text in summaries
    )


def multi(text: str) -> str:
    return f'<SUM\nDOCSET="d01"\nTYPE="MULTI"\nSIZE="50"\nSUMMARIZER="A">\n{text}\n</SUM>\n'


def duc2001() -> Tree:
    sjmn = '<DOC>\n<LEADPARA> Lead here.; Then\nmore.;\n</LEADPARA>\n<TEXT>He said "yes"; . . . done.</TEXT>\n</DOC>'
    wsj = "<DOC><LP> First. </LP><TEXT> Second\n   third. </TEXT></DOC>"
    # One tag lacks its end, as in d35ff.
    unended = perdocs(("AP880217-0175", "Right one.")).replace('SUMMARIZER="A">', 'SUMMARIZER="A"')
    lengths = {
        "50": multi("Fifty."),
        "100": multi("Hundred."),
        "200": multi("Two hundred."),
        "400": multi("Four."),
    }
    root = "DUC2001_Summarization_Documents/data"
    return {
        "from-nist": {
            "DUC2001_Summarization_Documents.tgz": {
                f"{root}/training/d01a/docs/SJMN91-06154062": sjmn,
                f"{root}/training/d01a/docs/WSJ870611-0085": wsj,
                # Two ids that are misspelt.
                f"{root}/training/d01a/d01ab/perdocs": perdocs(
                    ("SMN91-06154062", "One."), ("AP870611-0085", "Two.")
                ),
                **{f"{root}/training/d01a/d01ab/{n}": t for n, t in lengths.items()},
                # A document of two clusters, summarized twice.
                f"{root}/training/d02c/docs/WSJ870611-0085": wsj,
                f"{root}/training/d02c/d02cb/perdocs": perdocs(("WSJ870611-0085", "Two again.")),
                f"{root}/test/docs/d04a/AP880217-0175": "<DOC><TEXT>A hurricane.</TEXT></DOC>",
                f"{root}/test/docs/d04a/FBIS-41815~": "<DOC><TEXT>A copy.</TEXT></DOC>",
                f"{root}/test/original.summaries/d04aa/perdocs": unended,
                **{f"{root}/test/original.summaries/d04aa/{n}": t for n, t in lengths.items()},
                f"{root}/test/duplicate.summaries/d04ab/perdocs": perdocs(
                    ("AP880217-0175", "Left one.")
                ),
                f"{root}/test/duplicate.summaries/d04ab/50": multi("Other fifty."),
            }
        }
    }


def see(*sentences: str) -> str:
    links = "".join(
        f'<a name="{n}">[{n}]</a> <a href="#{n}" id={n}>{s}</a>\n'
        for n, s in enumerate(sentences, 1)
    )
    return f"<html>\n<head><title>x</title></head>\n<body>\n{links}</body>\n</html>\n"


def duc2002() -> Tree:
    doc = (
        '<DOC>\n<HEAD><s docid="AP880911-0016" num="1">Head.</s></HEAD>\n<TEXT>\n'
        '<s docid="AP880911-0016" num="2" wdcount="2">One here.</s>\n<s docid="AP880911-0016" num="3">Two.</s>\n</TEXT></DOC>'
    )
    other = '<DOC><TEXT><s docid="AP880729-0155" num="1">Only.</s></TEXT></DOC>'
    columns = " ".join(
        [*"0123432104-2", "0.8", "7", "5", "2", "9", "0.523", "0.5", "0.1", "0.4", "0.3", "0.2"]
    )
    row_m = f"D061 M - 010 J x x x 16 x {columns}"
    rows_100 = "".join(f"D061 M - 100 J x x x {peer} x {columns}\n" for peer in (16, 19))
    row_p = f"D061 P AP880911-0016 100 J x x x 16 x {columns}"
    model = '<SUM DOCSET="d061" TYPE="PERDOC" DOCREF="AP880911-0016">\nThe abstract.\n</SUM>'
    # A closing tag that is an opening one, an id with a line end inside, and one that is misspelt.
    extract = (
        '<SUM DOCSET="d061"><s docid="AP880911-\r\n0016" num="2"> One here. <s>\n'
        '<s docid="AP890729-0155" num="1"> Only.</s></SUM>'
    )
    return {
        "DUC2002_Summarization_Documents.tgz": {
            "DUC2002_Summarization_Documents/duc2002testdocswithsentences.tar.gz": {
                "./docs.with.sentence.breaks/d061j/AP880911-0016.S": doc,
                "./docs.with.sentence.breaks/d061j/AP880729-0155.S": other,
                # A document of two clusters.
                "./docs.with.sentence.breaks/d062k/AP880729-0155.S": other,
            }
        },
        "duc2002extractsandabstracts.tar.gz": {
            "./extracts_abstracts/d061ja/perdocs": model,
            "./extracts_abstracts/d061ja/100": '<SUM DOCSET="d061">A hundred words.</SUM>',
            "./extracts_abstracts/d061ja/10": '<SUM DOCSET="d061">Ten\nwords.</SUM>',
            "./extracts_abstracts/d061ja/200e": extract,
            # The same extract again, and another by a third person.
            "./extracts_abstracts/d061jb/200e": extract,
            "./extracts_abstracts/d061jc/200e": '<SUM><s docid="AP880911-0016" num="1">H</s></SUM>',
        },
        "results": {
            "abstracts/phase1/SEEpeers/submittedpeers.tar.gz": {
                "x/D061.M.010.J.16.html": see("Peer one.", "Peer two."),
                "x/D061.M.100.J.16.html": see("Peer of a hundred."),
                "x/D061.M.100.J.19.html": see("Other peer."),
                "x/D061.P.100.J.16.AP880911-0016.html": see("Of a document."),
            },
            "abstracts/phase1/SEEpeers/manualpeers.tar.gz": {
                "x/D061.M.010.J.A.html": see("Ten words."),
                "x/D061.M.010.J.B.html": see("By B."),
            },
            "abstracts/phase1/short.results.table": HEADING
            + row_m
            + "\n"
            + row_p
            + "\n"
            + rows_100,
            "extracts/extracts.results.table": HEADING
            + "D061 M 200 J 19 x x x x x x 0.5 0.25\nD061 M 200 J 19 x x x x x x 0.75 0.5\n",
        },
    }


def duc2003() -> Tree:
    topics = (
        "30003. Pinochet Trial\n\nSeminal Event\n\nWHAT: an arrest\nWHO: the police\nWHERE: London\nWHEN: 1998\n\n"
        "Topic Explication: On topic.\n"
    )
    question = (
        "<top>\n\n<num> Number: 305\n<title> Most Dangerous Vehicles\n\n<desc> Description:\nWhich are unsafe?\n\n"
        "<desc2> Description2:\nWhich cars?\n\n<narr> Narrative:\nA relevant one\nsays it.\n\n</top>\n"
    )
    values = " ".join(
        [*"012343210413", "1.0", "6", "3", "3", "8", "0.316", "0.3", "0.1", "0.2", "0.1", "0.05"]
    )
    tables = "original.results.corrected.improved.withPenaltyForExcess"
    root = "DUC2003_Summarization_Documents/duc2003_testdata"
    return {
        "DUC2003_Summarization_Documents.tgz": {
            f"{root}/task1/task1.docs.tar.gz": {
                "./docs/d100/APW19981005.0718": "<DOC><GRAPHIC>Only a graphic.</GRAPHIC></DOC>",
                # Again in another cluster.
                "./docs/d101/APW19981005.0718": "<DOC><GRAPHIC>Only a graphic.</GRAPHIC></DOC>",
            },
            f"{root}/task2/task2.docs.tar.gz": {
                "./docs/d30003t/APW19981016.0240": news("Arrested.")
            },
            f"{root}/task2/topics": topics,
            f"{root}/task3/task3.docs.tar.gz": {"./docs/d111b/FT1": news("Viewed.")},
            f"{root}/task3/viewpoints.given.to.systems.tar.gz": {
                "./viewpoints/d111bd/vp": '<VIEWPOINT\nDOCSET="d111"\nCREATOR="D">\nA view\nof it.\n</VIEWPOINT>\n'
            },
            f"{root}/task4/task4.docs.tar.gz": {
                "./docs/d305a/FT4": news("Novel caf\u00e9.").encode("latin-1")
            },
            f"{root}/task4/duc.novelty_topics.txt": question,
            f"{root}/task4/task4.sentences.tar.gz": {
                "./sentences/305.rel": '<s docid="FT4" num="1" novel>One.</s>\n<s docid="FT4" num="2">Two.</s>'
            },
            "DUC2003_Summarization_Documents/trec2002_novelty_docs/305": (
                '<DOC><s docid="FT4" num="1">One.</s><s docid="FT4" num="2">Two.</s></DOC>'
            ),
        },
        "results": {
            "detagged.duc2003.abstracts.tar.gz": {
                "x/peer6.1/D100.P.10.A.10.APW19981005.0718.html": "A headline\n",
                "x/peer6.2/D30003.M.100.T.10.html": see("Html one.", "Html two."),
                "x/peer2.2/D30003.M.100.T.A.html": see("Reference A."),
                "x/peer6.4/D305.M.100.A.10.html": "Plain one.\nPlain two.\n",
            },
            "manualsummaries/duc2003.manual.abstracts.tar.gz": {
                "x/D100.P.10.A.H.APW19981005.0718": "Human headline\n",
                "x/D30003.M.100.T.A": "Reference\nA.\n",
                "x/D30003.M.100.T.B": "Reference B.\n",
                "x/D305.M.100.A.E": "Reference E.\n",
            },
            f"{tables}/short.results.table1": f"D100 P APW19981005.0718 10 A x x x 10 x x {values}\n",
            f"{tables}/short.results.table2": f"D30003 M - 100 T x x x 10 x x {values}\n",
            f"{tables}/short.results.table3": f"D111 M - 100 B x x x 17 x x {values}\n",
            f"{tables}/short.results.table4": f"D305 M - 100 A x x x 10 x x {values}\n",
            "uncorrected/short.results.table1": "wrong\n",
            "results.table.R.paired.noheader": "D305 A 10 x 4 y 2\n",
            "results.table.U.paired.noheader": "D100 APW199810050718 x 10 x 2 y 1\n",
        },
    }


def duc2004() -> Tree:
    counts = "0.8 7 5 2 9 0.16 0.1 0.05"
    quality = "1 2 3 4 5 0 6"
    peers = {
        task: (
            {f"x/D30001.P.10.T.{who}.APW19981016.0240": f"By {who}\n" for who in ("A", "102")}
            if task == "1"
            else {f"x/D31001.P.10.T.{who}.AFA1.0.1": f"By {who}\n" for who in ("A", "102")}
            if task == "3"
            else {f"x/{topic}.M.100.T.{who}": f"One by {who}.\nTwo.\n" for who in ("A", "102")}
        )
        for task, topic in (("1", ""), ("2", "D30001"), ("3", ""), ("4", "D30001"), ("5", "D132"))
    }
    archives = {}
    for task, files in peers.items():
        models = {name: text for name, text in files.items() if ".A" in name}
        if task == "2":
            # The same reference again, under another letter.
            models["x/D30001.M.100.T.B"] = "One by A.\nTwo.\n"
            models["x/D30001.M.100.T.C"] = "Third.\n"
        archives[f"duc2004_results/ROUGE/duc2004.task{task}.ROUGE.models.tar.gz"] = models
        archives[f"duc2004_results/ROUGE/duc2004.task{task}.ROUGE.peers.tar.gz"] = {
            name: text for name, text in files.items() if ".102" in name
        }
        if task == "2":
            # A reference among the peers, in other lines.
            peers_of_two = archives["duc2004_results/ROUGE/duc2004.task2.ROUGE.peers.tar.gz"]
            peers_of_two["x/D30001.M.100.T.A"] = "One by A. Two.\n"
    root = "DUC2004_Summarization_Documents/duc2004_testdata"
    return {
        "DUC2004_Summarization_Documents.tgz": {
            f"{root}/tasks1and2/duc2004_tasks1and2_docs/docs/d30001t/APW19981016.0240": news(
                "Text.", "Head"
            ),
            f"{root}/task5/duc2004_task5_docs/docs/d132d/XIN19980101.0001": news("Who is it."),
            f"{root}/task5/duc2004.task5.topicsets": HEADING + "\nd132d\tWho is Robert Rubin?\n",
        },
        "duc2004_results.tgz": {
            **archives,
            "duc2004_results/SEE/short.results.table2": HEADING
            + f"D30001 M x x T x x 102 {quality} {counts}\n",
            "duc2004_results/SEE/short.results.table5": HEADING
            + f"D132 M x x D x x 102 {quality} {counts}\n",
            "duc2004_results/Responsiveness/results.table.R": HEADING + "D132 100 D 102 1\n",
        },
    }


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
            "results/linguistic_quality/linguistic_quality.table": HEADING
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
            "NISTeval/linguistic_quality/linguistic_quality.table": HEADING + "D0631 250 A 1 1 5\n",
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
            "mainEval/manual/linguistic_quality.table": HEADING + "D0701 250 A 23 1 5\n",
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


SAMPLES = {name: globals()[name] for name in (f"duc{year}" for year in range(2001, 2008))}

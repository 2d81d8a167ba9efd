"""DUC 2001 to 2004, in the layout of NIST's archives: SGML, SEE pages, tables of coverage."""

from __future__ import annotations

from support.dataset_samples.build import Tree
from support.dataset_samples.duc import HEADING, news


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


SAMPLES = {name: globals()[name] for name in (f"duc{year}" for year in range(2001, 2005))}

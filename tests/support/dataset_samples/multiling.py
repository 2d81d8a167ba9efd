"""MultiLing 2011 to 2019."""

from __future__ import annotations

from support.dataset_samples.build import Tree, table

HASH = "0123456789abcdef0123456789abcdef"


def multiling2011() -> Tree:
    root = "PublishedEvaluation"
    return {
        "353.zip": {
            "PublishedCorpusFileSet": {
                "MultiLingPilot2011-SourceTextsV1.0.zip": {
                    "SourceTexts/M0001.english": "First line.\n\nSecond paragraph.\n",
                    "SourceTexts/M0002.english": " \n",
                    "SourceTexts/M0001.greek": "Πρώτη γραμμή.\n",
                },
                "MultiLingPilot2011-ModelSummaries.zip": {
                    "English/M000.A.english.250": "Model by A.\nMore.\n",
                    "English/M000.B.english.250": "Model by B.\n",
                    "Greek/M000.A.greek.250": "Περίληψη.\n",
                },
                "MultiLingPilot2011-PeerSummaries.zip": {
                    "PeerSummaries/ID1/English/M000.english": "Peer one.\nPeer two.\n",
                    "PeerSummaries/ID1/Greek/M000.greek": "Σύστημα.\n",
                    "PeerSummaries/readme.txt": "nothing",
                },
                "MultiLingPilot2011-EvaluationResults.zip": {
                    f"{root}/AutomaticEvaluation/AutoSummENG/Detailed/englishDetailed.csv": '"Topic" "System" "x" "MeMoG"\n"M000" "ID1" 0.1 0.32643265\n',
                    # ROUGE's input 4 is M000.
                    f"{root}/AutomaticEvaluation/ROUGE/Detailed/englishDetailed.txt": "1 ROUGE-1 Average_R: 0.5 (95%-conf.int. 0.4 0.6)\n1 ROUGE-1 Eval 4.ID1 R:1.00000 P:0.50525 F:0.50492\n",
                    f"{root}/HumanEvaluation/englishGrades.csv": (
                        '"Topic" "System" "x" "y" "Grade" "z" "LengthAware"\n"M000" "ID1" 8 9 2 7 2.88\n"M000" "ID1" 8 9 3 7 3.83\n'
                    ),
                },
            }
        }
    }


def multiling2013() -> Tree:
    return {
        "multilingpilot2013.tar.bz2": {
            f"multilingpilot2013/body/text/en/{HASH}_body.txt": "Article line.\nNext.\n",
            f"multilingpilot2013/summary/en/{HASH}_summary.txt": "The lead.\n",
        },
        "mds": {
            "SourceTextsV2b/M1047.english": "A text.\n",
            "SourceTextsV2b/M1048.english": "\n",
            "models/english/M104.A.250": "By A.\n",
            "models/english/M104.B.250": "By B.\n",
            "peers/ID1/english/M104.english.250": "By one.\n",
            "grades/english.csv": table(
                # Two columns of one name.
                ["topic", "peer", "language", "x", "x", "grade"],
                ["M104", "ID1", "english", "", "", "3"],
                ["M104", "ID1", "english", "", "", "2"],
                ["M104", "A", "english", "", "", "5"],
                delimiter="\t",
            ),
        },
    }


def multiling2015() -> Tree:
    base = "Evaluation_MultiLing2015_MSS/mss-submits/original"
    return {
        "multilingMss2015Eval.tar.gz": {
            f"multilingMss2015Eval/body/text/de/{HASH}_body.txt": "Ein Artikel.\n",
            f"multilingMss2015Eval/body/text/simple/{HASH}_body.txt": "Not a language.\n",
            f"multilingMss2015Eval/summary/de/{HASH}_summary.txt": "Der Anfang.\n",
        },
        "Evaluation_MultiLing2015_MSS.tar": {
            f"{base}/human/de/1/{HASH}.txt": "Der Anfang.\n",
            f"{base}/teamA/de/run1/{HASH}.txt": "Vom System.\n",
            f"{base}/teamB/de/run1/{HASH}.txt": "\n",
        },
        "train": {
            "english/documents/M0011.english": "Training text.\n",
            "english/summaries/M001.A.english.250": "Training summary.\n",
        },
        "test": {
            "english/M0041.english": "Test text.\n",
            "english/M0042.english": "",
            "english/M0011.english": "Training text.\n",
        },
    }


def multiling2017() -> Tree:
    base = "Evaluation/MultiLing17_Submissions"
    return {
        "2017_test_data.tar.gz": {
            f"2017_test_data/body/text/en/{HASH}_body.txt": "An article.\n",
            f"2017_test_data/body/text/simple/{HASH}_body.txt": "Dummy.\n",
        },
        "Evaluation.tar.gz": {
            f"Evaluation/2017_summaries/en/{HASH}_summary.txt": "The lead.\n",
            f"Evaluation/2017_summaries/simple/{HASH}_summary.txt": "Dummy.\n",
            f"{base}/teamA/run1/en/{HASH}_summary.txt": "By a team.\n",
            f"{base}/baselines2017/lead/en/{HASH}_summary.txt": "By a baseline.\n",
            f"{base}/teamA/run1/simple/{HASH}_summary.txt": "No language.\n",
            f"{base}/baselines2017/copy/en/{HASH}_body.txt": "An article.\n",
            f"{base}/baselines2017/2017_summaries/en/{HASH}_summary.txt": "The lead.\n",
        },
    }


def multiling2019() -> Tree:
    return {
        "v2.zip": {
            "v2/train/data.csv": table(
                ["summary", "score", "models", "sources"],
                [
                    "M001/english/s1.txt",
                    "3.5",
                    "M001/english/a.txt,M001/english/b.txt",
                    "M001/english/d.txt",
                ],
                ["M001/english/s2.txt", "", "M001/english/a.txt", "M001/english/d.txt"],
                ["M001/english/s3.txt", "1", "M001/english/b.txt", "M001/english/d.txt"],
            ),
            "v2/train/M001/english/s1.txt": "Judged.\n",
            "v2/train/M001/english/s2.txt": "Not judged.\n",
            "v2/train/M001/english/s3.txt": "Judged too.\n",
            "v2/train/M001/english/a.txt": "Model A.\n",
            "v2/train/M001/english/b.txt": "Model B.\n",
            "v2/train/M001/english/d.txt": "Document.\n",
        }
    }


SAMPLES = {
    name: globals()[name] for name in (f"multiling{y}" for y in (2011, 2013, 2015, 2017, 2019))
}

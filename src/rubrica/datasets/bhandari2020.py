"""REALSumm (Bhandari et al. 2020): 25 systems on 100 CNN/DM documents, SCUs judged by the crowd."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from typing import Any

from rubrica.data.plain_pickle import read_plain_pickle
from rubrica.data.pyramid import SCU, Contributor, Pyramid, PyramidAnnotation, SCUAnnotation
from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw import Raw
from rubrica.datasets.raw_file import RawFile
from rubrica.datasets.realsumm_texts import cut_after_stops, cut_at_gaps, tagged
from rubrica.datasets.tables import resource_table
from rubrica.errors import MismatchError

REFERENCE = "ground-truth"
# References that were cut by a splitter of sentences when they were scored.
CUT_AFTER_STOPS = (("ext", "banditsumm"), ("ext", "bart"))
# As in the released pickles, beside the human score.
SCORES = {
    **{
        f"rouge_{n}_{there}": (f"rouge-{n}", here)
        for n in "12l"
        for there, here in (("recall", "recall"), ("precision", "precision"), ("f_score", "f1"))
    },
    "bert_recall_score": ("bertscore", "recall"),
    "bert_precision_score": ("bertscore", "precision"),
    "bert_f_score": ("bertscore", "f1"),
    "mover_score": ("moverscore", ""),
    "js-2": ("js-2", ""),
}


@Dataset.register("bhandari2020")
class Bhandari2020(Dataset):
    """REALSumm: 25 systems on 100 CNN/DM documents, recall of SCUs by crowd votes (LitePyramid)."""

    licence = "CC BY 4.0 (the CNN/Daily Mail texts belong to their publishers)"
    homepage = "https://github.com/neulab/REALSumm"
    size = "12.8 MB"
    resources = resource_table("bhandari2020")
    citation = (
        "Bhandari, Gour, Ashfaq, Liu, Neubig. 2020. Re-evaluating Evaluation in Text "
        "Summarization. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """`abs.*`, `ext.*` and `mix.*` (both); BART is `bart_out_abs` and `bart_out_ext`."""
        places = _places(raw.one("selected_documents.md"))
        scus = _scus(raw.one("SCUs_list.csv"), places)
        votes = _votes(raw, places, scus)
        parts = {"abs": Judgments(), "ext": Judgments()}
        sources = [tagged(line) for line in raw.one("abs/ptr_generator/src.txt").text_lines()]
        for part in parts.values():
            for at, sentences in enumerate(sources[: len(places)]):
                part.add_documents(str(at), [{"text": sentences}])
        for kind, part in parts.items():
            for system, texts in _systems(raw, kind):
                name = f"{system}_{kind}" if system == "bart_out" else system
                references = _references(raw, kind, system, len(places))
                for at, (text, scores) in texts.items():
                    own = [(REFERENCE, references[at])]
                    part.add_summary(str(at), name, text, references=own)
                    human = {"litepyramid": scores.pop("litepyramid")}
                    part.add_scores(str(at), name, human)
                    part.add_published(str(at), name, scores)
                    _add_votes(part, str(at), name, text, scus[at], votes[name, at], references[at])
        mix = Judgments()
        for part in parts.values():
            mix.documents.update(part.documents)
            mix.pyramids.update(part.pyramids)
            mix.annotations.update(part.annotations)
            for topic, found in part.summaries.items():
                mix.summaries.setdefault(topic, {}).update(found)
            for topic, values in part.scores.items():
                mix.scores.setdefault(topic, {}).update(values)
            for topic, values in part.published.items():
                mix.published.setdefault(topic, {}).update(values)
        for kind, part in (*parts.items(), ("mix", mix)):
            part.write(out, f"{kind}.")
            out.write(f"{kind}.votes.jsonl", _vote_rows(part, scus, votes))


def _places(file: RawFile) -> dict[str, int]:
    """CNN/DM test line (`cnndm1017`) to place in the released files."""
    found = re.search(r"\[([\d,\s]+)\]", file.text())
    if not found:
        raise file.error("no list of the selected documents")
    return {f"cnndm{line.strip()}": at for at, line in enumerate(found[1].split(","))}


def _scus(file: RawFile, places: dict[str, int]) -> dict[int, list[tuple[int, str]]]:
    """Place of a document to the ids and texts of its SCUs; the padding (`BLANK`) is left out."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for record in file.records():
        if record.string("questionText").strip() != "BLANK":
            event = record.string("eventId")
            if event not in places:
                raise record.error(f"document {event!r} is not among the selected ones")
            unit = (int(record.number("questionId")), record.string("questionText").strip())
            found[places[event]].append(unit)
    return found


def _votes(
    raw: Raw, places: dict[str, int], scus: dict[int, list[tuple[int, str]]]
) -> dict[tuple[str, int], dict[int, list[int]]]:
    """(system, document) to SCU id to the votes of all raters, 1 for present."""
    found: dict[tuple[str, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for file in raw.all("SCU_rating_results_*_systems/*.csv"):
        kind = "abs" if "_abs_" in file.folder else "ext"
        for record in file.records():
            system = record.string("Input.summaryId").strip()
            name = f"{system}_{kind}" if system == "bart_out" else system
            at = places.get(record.string("Input.eventId"))
            if at is None:
                raise record.error("a document that is not among the selected ones")
            try:
                ids = [int(one) for one in ast.literal_eval(record.string("Input.qIdList"))]
            except (ValueError, SyntaxError, TypeError) as error:
                raise record.error(f"'Input.qIdList' is no list of numbers: {error}") from error
            known = {scu_id for scu_id, _ in scus[at]}
            for number, scu_id in enumerate(ids, 1):
                if scu_id in known:
                    answer = record.string(f"Answer.S{number}Answer").strip()
                    if answer not in ("p", "n"):
                        raise record.error(f"an answer {answer!r}, not p or n")
                    found[name, at][scu_id].append(int(answer == "p"))
    return found


def _systems(raw: Raw, kind: str) -> list[tuple[str, dict[int, tuple[list[str], dict[str, Any]]]]]:
    """Each system's texts and scores by document.

    The released abs.pkl has the texts and scores of BART-ext under BART's name; the right ones are
    in an earlier version of the file, which also has NeuSumm, an extractive system.
    """
    released = _pickle(raw.one(f"scores_dicts/{kind}.pkl", f"{kind}.pkl"))
    names = sorted({name for one in released.values() for name in one["system_summaries"]})
    right = released
    if kind == "abs":
        right = _pickle(raw.one("abs.2b56592.pkl", "abs_2b56592.pkl"))
    systems = []
    for name in names:
        texts = {}
        for one in right.values():
            found = one["system_summaries"].get(name)
            if found is None:
                raise MismatchError(f"system {name!r} lacks document {one['doc_id']} in {kind}.pkl")
            try:
                texts[int(one["doc_id"])] = (
                    tagged(found["system_summary"]),
                    _scores(found["scores"]),
                )
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                told = f"system {name!r}, document {one['doc_id']}: not as released ({error!r})"
                raise MismatchError(f"{kind}.pkl: {told}") from error
        systems.append((name.removesuffix(".txt"), texts))
    return systems


def _scores(released: dict[str, float]) -> dict[str, Any]:
    """The released scores under our names."""
    scores: dict[str, Any] = {"litepyramid": {"recall": released["litepyramid_recall"]}}
    for there, (measure, part) in SCORES.items():
        if part:
            scores.setdefault(measure, {})[part] = released[there]
        else:
            scores[measure] = released[there]
    return scores


def _pickle(file: RawFile) -> dict[Any, Any]:
    found = read_plain_pickle(file.bytes(), file.place)
    if not isinstance(found, dict) or not all(
        isinstance(one, dict) and "doc_id" in one and isinstance(one.get("system_summaries"), dict)
        for one in found.values()
    ):
        raise file.error("not a table of documents with their systems' summaries")
    return found


def _references(raw: Raw, kind: str, system: str, count: int) -> list[list[str]]:
    """A system's own references, in its own spelling, cut into sentences."""
    # Folders are named without the variant: `unilm_out_v1` is in `unilm`; NeuSumm, an extractive
    # system, stands among the abstractive ones.
    folder = system.partition("_out")[0]
    files = raw.some(f"{kind}/{folder}/ref.txt") or raw.some(f"*/{folder}/ref.txt")
    lines = list(files[0].text_lines())[:count] if files else []
    if len(lines) != count:
        raise raw.missing(f"{folder}/ref.txt with {count} lines")
    if (kind, folder) in CUT_AFTER_STOPS:
        return [cut_after_stops(line) for line in lines]
    # Bottom-Up has one pair of tags around all sentences.
    gaps = folder == "bottom_up"
    return [tagged(line) if "<t>" in line and not gaps else cut_at_gaps(line) for line in lines]


def _add_votes(
    part: Judgments,
    topic: str,
    system: str,
    text: list[str],
    scus: list[tuple[int, str]],
    votes: dict[int, list[int]],
    reference: list[str],
) -> None:
    """The SCUs as a pyramid of one reference, those that most raters found as an annotation.

    A tie is "not present". So `pyramid-score` on these files is the recall of the paper.
    """
    if not scus:
        raise MismatchError(f"no content units of document {topic} in SCUs_list.csv")
    if topic not in part.pyramids:
        units = tuple(SCU(i, label, (Contributor(0, label, ()),)) for i, label in scus)
        part.add_pyramid(Pyramid(topic, (" ".join(reference),), (REFERENCE,), units))
    present = tuple(
        SCUAnnotation(i, label) for i, label in scus if 2 * sum(votes[i]) > len(votes[i])
    )
    part.add_annotation(PyramidAnnotation(topic, system, "peer", " ".join(text), present))
    recall = part.scores[topic][system]["litepyramid"]["recall"]
    if abs(len(present) / len(scus) - recall) > 1e-9:
        raise MismatchError(
            f"the votes on document {topic} by {system} give {len(present)}/{len(scus)}, "
            f"the released score is {recall}"
        )


def _vote_rows(
    part: Judgments,
    scus: dict[int, list[tuple[int, str]]],
    votes: dict[tuple[str, int], dict[int, list[int]]],
) -> list[dict[str, Any]]:
    return [
        {
            "instance_id": topic,
            "summarizer_id": system,
            "summarizer_type": "peer",
            "votes": [
                {
                    "scu_id": scu_id,
                    "statement": label,
                    "answers": votes[system, int(topic)][scu_id],
                }
                for scu_id, label in scus[int(topic)]
            ],
        }
        for topic, system in sorted(part.annotations, key=lambda key: (int(key[0]), key[1]))
    ]

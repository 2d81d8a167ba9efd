"""REALSumm (Bhandari et al. 2020): 25 systems on 100 CNN/DM documents, SCUs judged by the crowd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rubrica.data.formats.safe_pickle import read_pickle
from rubrica.data.pyramid import SCU, Contributor, Pyramid, PyramidAnnotation, SCUAnnotation
from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw
from rubrica.datasets.realsumm.outputs import SELECTED, has_all_outputs, write_all_outputs
from rubrica.datasets.realsumm.texts import between_tags, cut_after_stops, cut_at_gaps
from rubrica.datasets.realsumm.votes import Units, Votes, places_of, units_of, votes_of
from rubrica.errors import MismatchError

REFERENCE = "ground-truth"
# References that were scored after sentence splitting.
CUT_AFTER_STOPS = (("ext", "banditsumm"), ("ext", "bart"))
# As in the released pickles, beside the human score.
SCORES = {
    **{
        f"rouge_{n}_{key}": (f"rouge-{n}", part)
        for n in "12l"
        for key, part in (("recall", "recall"), ("precision", "precision"), ("f_score", "f1"))
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

    def __init__(self, all_outputs: bool | None = None) -> None:
        """Choose what is written.

        Args:
            all_outputs: Also the summaries of all 11,490 test documents, from the authors' aligned
                files; default: if they are below --from.
        """
        self.all_outputs = all_outputs

    def write(self, raw: Raw, out: Output) -> None:
        """Write `abs.*`, `ext.*` and `mix.*` (both); BART is `bart_out_abs` and `bart_out_ext`."""
        places = places_of(raw.one(f"{SELECTED}/selected_documents.md", "selected_documents.md"))
        units = units_of(raw.one("SCUs_list.csv"), places)
        votes = votes_of(raw, places, units)
        parts = {"abs": Judgments(), "ext": Judgments()}
        for at, sentences in enumerate(_sources(raw, len(places))):
            for part in parts.values():
                part.add_documents(str(at), [{"text": sentences}])
        for kind, part in parts.items():
            _add_systems(raw, kind, part, units, votes)
        mix = _together(*parts.values())
        for kind, part in (*parts.items(), ("mix", mix)):
            part.write(out, f"{kind}.")
            out.write(f"{kind}.votes.jsonl", _vote_rows(part, units, votes))
        if self.all_outputs or (self.all_outputs is None and has_all_outputs(raw)):
            write_all_outputs(raw, out, places, parts, reference=REFERENCE)


def _sources(raw: Raw, count: int) -> list[list[str]]:
    name = "abs/ptr_generator/src.txt"
    return [between_tags(line) for line in _lines(raw.one(f"{SELECTED}/{name}", name), count)]


def _lines(file: RawFile, count: int) -> list[str]:
    lines = list(file.text_lines())
    if len(lines) != count:
        raise file.error(f"{len(lines):,} lines, expected one for each of {count} documents")
    return lines


def _add_systems(raw: Raw, kind: str, part: Judgments, units: Units, votes: Votes) -> None:
    released, right = _pickles(raw, kind)
    for system in _names(released):
        name = system.removesuffix(".txt")
        references = _references(raw, kind, name, len(part.documents))
        summarizer = _summarizer(name, kind)
        for entry in right.documents:
            with right.file.noting():
                document, text, scores = _summary(right.file, entry, system)
                at, where = str(document), f"document {document} by {summarizer}"
                if at not in part.documents:
                    raise right.file.error(f"{where}: there are {len(part.documents)} documents")
                present = votes.majority(summarizer, document, units[document])
                # The released score must equal the share of the votes.
                recall = scores["litepyramid"]["recall"]
                if abs(len(present) / len(units[document]) - recall) > 1e-9:
                    raise MismatchError(
                        f"{where}: the votes give {len(present)}/{len(units[document])}, the "
                        f"released score is {recall}",
                        file=votes.files[summarizer],
                    )
                part.add_summary(
                    at, summarizer, text, references=[(REFERENCE, references[document])]
                )
                part.add_scores(at, summarizer, {"litepyramid": scores.pop("litepyramid")})
                part.add_published(at, summarizer, scores)
                _add_pyramid(part, at, units[document], references[document])
                marked = tuple(SCUAnnotation(i, label) for i, label in present)
                annotation = PyramidAnnotation(at, summarizer, "peer", " ".join(text), marked)
                part.add_annotation(annotation)
    # Rows as met are those of the released file.
    for entry in released.documents:
        for name in entry["system_summaries"]:
            part.move_last(str(entry["doc_id"]), _summarizer(name.removesuffix(".txt"), kind))


def _summarizer(name: str, kind: str) -> str:
    """Return the name of a system; BART is there twice."""
    return f"{name}_{kind}" if name == "bart_out" else name


def _add_pyramid(
    part: Judgments, topic: str, units: list[tuple[int, str]], reference: list[str]
) -> None:
    """Add the SCUs as a pyramid of one reference, so that `pyramid-score` is the paper's recall."""
    if topic not in part.pyramids:
        scus = tuple(SCU(i, label, (Contributor(0, label, ()),)) for i, label in units)
        part.add_pyramid(Pyramid(topic, (" ".join(reference),), (REFERENCE,), scus))


@dataclass(frozen=True, slots=True)
class _Released:
    """A pickle of scores: a dict for each document."""

    file: RawFile
    documents: list[dict[str, Any]]


def _released(file: RawFile) -> _Released:
    table = read_pickle(file.bytes(), file.place)
    if not isinstance(table, dict) or not all(
        isinstance(entry, dict)
        and "doc_id" in entry
        and isinstance(entry.get("system_summaries"), dict)
        for entry in table.values()
    ):
        raise file.error("not a table of documents with their systems' summaries")
    return _Released(file, list(table.values()))


def _pickles(raw: Raw, kind: str) -> tuple[_Released, _Released]:
    """Return the released file, which has the list of systems, and the one with the right texts.

    The released abs.pkl has the texts and scores of BART-ext under BART's name; the right ones are
    in an earlier version of the file, which also has NeuSumm, an extractive system.
    """
    released = _released(raw.one(f"scores_dicts/{kind}.pkl", f"{kind}.pkl"))
    if kind == "ext":
        return released, released
    return released, _released(raw.one("abs.2b56592.pkl", "abs_2b56592.pkl"))


def _names(released: _Released) -> list[str]:
    return sorted(
        {str(name) for document in released.documents for name in document["system_summaries"]}
    )


def _summary(
    file: RawFile, document: dict[str, Any], system: str
) -> tuple[int, list[str], dict[str, Any]]:
    """Return the number of the document, and a system's text and scores."""
    where = f"document {document['doc_id']} by {system!r}"
    summary = document["system_summaries"].get(system)
    if summary is None:
        raise file.error(f"{where}: no summary")
    try:
        scores = _scores(summary["scores"])
        return int(document["doc_id"]), between_tags(summary["system_summary"]), scores
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise file.error(f"{where}: not as released ({error!r})") from error


def _scores(released: dict[str, float]) -> dict[str, Any]:
    """Return the released scores under Rubrica's names."""
    scores: dict[str, Any] = {"litepyramid": {"recall": float(released["litepyramid_recall"])}}
    for key, (measure, part) in SCORES.items():
        if part:
            scores.setdefault(measure, {})[part] = float(released[key])
        else:
            scores[measure] = float(released[key])
    return scores


def _references(raw: Raw, kind: str, system: str, count: int) -> list[list[str]]:
    """Return a system's own references, in its own spelling, split into sentences."""
    # Folders are named without the variant: `unilm_out_v1` is in `unilm`. NeuSumm, an extractive
    # system, is among the abstractive ones.
    folder = system.partition("_out")[0]
    name = f"{folder}/ref.txt"
    places = (f"{SELECTED}/{kind}/{name}", f"{SELECTED}/*/{name}", f"{kind}/{name}", f"*/{name}")
    lines = _lines(raw.one(*places), count)
    if (kind, folder) in CUT_AFTER_STOPS:
        return [cut_after_stops(line) for line in lines]
    # Bottom-Up has one pair of tags around all sentences.
    gaps = folder == "bottom_up"
    return [
        between_tags(line) if "<t>" in line and not gaps else cut_at_gaps(line) for line in lines
    ]


def _together(*parts: Judgments) -> Judgments:
    mix = Judgments()
    for part in parts:
        mix.documents.update(part.documents)
        mix.pyramids.update(part.pyramids)
        mix.annotations.update(part.annotations)
        for topic, summaries in part.summaries.items():
            mix.summaries.setdefault(topic, {}).update(summaries)
        for topic, values in part.scores.items():
            mix.scores.setdefault(topic, {}).update(values)
        for topic, values in part.published.items():
            mix.published.setdefault(topic, {}).update(values)
    return mix


def _vote_rows(part: Judgments, units: Units, votes: Votes) -> list[dict[str, Any]]:
    return [
        {
            "instance_id": topic,
            "summarizer_id": system,
            "summarizer_type": "peer",
            "votes": [
                {
                    "scu_id": unit,
                    "statement": label,
                    "answers": votes.answers[system, int(topic)][unit],
                }
                for unit, label in units[int(topic)]
            ],
        }
        for topic, system in sorted(part.annotations, key=lambda key: (int(key[0]), key[1]))
    ]

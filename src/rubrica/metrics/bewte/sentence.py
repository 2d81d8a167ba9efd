"""A parsed sentence with what the rules for basic elements need: tags, children, names."""

from __future__ import annotations

from rubrica.text.conllu import Sentence

# Penn tags for universal tags, if a parse has no Penn tags.
_PENN = {
    "NOUN": "NN",
    "PROPN": "NNP",
    "VERB": "VB",
    "AUX": "VB",
    "ADJ": "JJ",
    "ADV": "RB",
    "NUM": "CD",
    "PRON": "PRP",
    "ADP": "IN",
    "SCONJ": "IN",
    "SYM": "$",
}
_PENN_STARTS: tuple[str, ...] = (
    "NN",
    "VB",
    "JJ",
    "RB",
    "PRP",
    "WP",
    "WDT",
    "WRB",
    "CD",
    "IN",
    "DT",
)
_PENN_STARTS += ("MD", "TO", "RP", "EX", "CC", "UH", "PDT", "POS", "FW", "SYM", "LS", "HYPH", "NFP")
_SUBJECTS = ("nsubj", "csubj", "expl")


class ParsedSentence:
    """Tokens by place, their children, and the names they belong to."""

    def __init__(self, tokens: Sentence) -> None:
        self.tokens = tokens
        self._children: list[list[int]] = [[] for _ in tokens]
        for place, token in enumerate(tokens):
            if token.head >= 0:
                self._children[token.head].append(place)
        self._tags = [self._tag(place) for place in range(len(tokens))]
        self._names = _names(tokens)

    def relation(self, place: int) -> str:
        """Return the label, with the subtypes that the rules distinguish and no others."""
        whole = self.tokens[place].relation
        subtypes = ("nmod:poss", "acl:relcl", "compound:prt", "obl:agent", "obl:tmod", "nmod:tmod")
        return whole if whole in subtypes else whole.partition(":")[0]

    def children(self, place: int, relation: str) -> list[int]:
        """Return the children with that label."""
        return [child for child in self._children[place] if self.relation(child) == relation]

    def child(self, place: int, relation: str) -> int | None:
        """Return the first child with that label."""
        return next(iter(self.children(place, relation)), None)

    def is_subject(self, place: int) -> bool:
        """Return whether it is the subject of its head, passive or clausal ones and expletives too."""
        return self.relation(place) in _SUBJECTS

    def subject(self, place: int) -> int | None:
        """Return the subject of a predicate."""
        return next((child for child in self._children[place] if self.is_subject(child)), None)

    def tag(self, place: int) -> str:
        """Return the Penn tag: the parse's own, or one that follows from the universal tag and features."""
        return self._tags[place]

    def is_verb(self, place: int) -> bool:
        """Return whether it is tagged as a verb."""
        return self._tags[place].startswith("VB")

    def is_auxiliary(self, place: int) -> bool:
        """Return whether it is an auxiliary, a copula, or a form of `be`."""
        token = self.tokens[place]
        return self.relation(place) in ("aux", "cop") or token.lemma.lower() == "be"

    def is_past_participle(self, place: int) -> bool:
        """Return whether it is a past participle."""
        return self._tags[place] == "VBN"

    def is_passive(self, place: int) -> bool:
        """Return whether a form of `be` (or `get`) makes a participle passive."""
        return any(
            self.tokens[child].relation == "aux:pass" for child in self._children[place]
        ) or (self.has_auxiliary(place, "be"))

    def has_auxiliary(self, place: int, lemma: str) -> bool:
        """Return whether it has that auxiliary."""
        return any(
            self.tokens[child].lemma.lower() == lemma for child in self.children(place, "aux")
        )

    def question_adverb(self, place: int) -> int | None:
        """Return the adverb `when`, `where`, `how`... of a clause."""
        return next(
            (child for child in self.children(place, "advmod") if self.tag(child) == "WRB"), None
        )

    def antecedent(self, place: int) -> int | None:
        """Return the antecedent of the relative clause around a word."""
        steps = 0
        while place >= 0 and steps <= len(self.tokens):
            if self.relation(place) == "acl:relcl":
                return self.tokens[place].head
            place, steps = self.tokens[place].head, steps + 1
        return None

    def word_class(self, place: int) -> str:
        """Return the word class: verb, adjective, adverb, or everything else."""
        tag = self._tags[place]
        return {"VB": "v", "JJ": "a", "RB": "r"}.get(tag[:2], "n")

    def name(self, place: int) -> tuple[str, str]:
        """Return the text of the whole name a word is in, with its kind; the word itself and "" in none."""
        first, last, kind = self._names.get(place, (place, place + 1, ""))
        return " ".join(token.form for token in self.tokens[first:last]), kind

    def _tag(self, place: int) -> str:
        token = self.tokens[place]
        if token.xpos == "$" or token.xpos.startswith(_PENN_STARTS):
            return token.xpos
        tag = _PENN.get(token.upos, token.upos)
        features = token.features
        if tag == "VB" and features.get("VerbForm") in ("Part", "Ger"):
            present = features["VerbForm"] == "Ger" or features.get("Tense") == "Pres"
            return "VBG" if present else "VBN"
        if features.get("PronType") in ("Rel", "Int") and tag in ("PRP", "RB"):
            return {"PRP": "WP$" if features.get("Poss") else "WP", "RB": "WRB"}[tag]
        return "PRP$" if tag == "PRP" and features.get("Poss") else tag


def _names(tokens: Sentence) -> dict[int, tuple[int, int, str]]:
    """Return for each token in a name its first token, end and kind, from BIO or BIOES tags."""
    spans: list[tuple[int, int, str]] = []
    for place, token in enumerate(tokens):
        prefix, _, kind = token.entity.partition("-")
        if not kind:
            continue
        follows = bool(spans) and spans[-1][1] == place and spans[-1][2] == kind
        if prefix in ("I", "E") and follows:
            spans[-1] = (spans[-1][0], place + 1, kind)
        else:
            spans.append((place, place + 1, kind))
    return {place: span for span in spans for place in range(span[0], span[1])}

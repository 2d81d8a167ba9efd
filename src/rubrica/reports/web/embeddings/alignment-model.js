// An alignment of tokens as the drawings need it: how close two tokens are, what a link costs, words for its kind.
// A pair has `alignment` (as TokenAlignment in Python), `kind`, the `links` of that kind, and `languages`.

// What a link of a kind is, in words, and its mark in the matrix.
const KNOWN_KINDS = {
  moved: { mark: "●", verb: "moves to", back: "comes from" },
  precision: { mark: "P", verb: "is matched with", back: "is the match of" },
  recall: { mark: "R", verb: "is the match of", back: "is matched with" },
  match: { mark: "●", verb: "matches", back: "matches" },
};
export function kindWords(kind) {
  return KNOWN_KINDS[kind] ?? { mark: "●", verb: "goes with", back: "goes with" };
}

export function closenessOf({ alignment }, link) {
  return alignment.closeness[link.summary][link.reference];
}

// What a link keeps from the score: weight times distance, or times what the cosine lacks.
export function lackOf(pair, link) {
  const value = closenessOf(pair, link);
  return link.amount * (pair.alignment.measure === "distance" ? value : Math.max(0, 1 - value));
}

// How strong a colour is: 1 for the closest two tokens of a pair, 0 for the farthest.
export function shadeOf({ alignment }) {
  // Two tokens of which one is not known have no closeness.
  const all = alignment.closeness.flat().filter((value) => value !== null);
  const low = all.reduce((a, b) => Math.min(a, b), Infinity),
    high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const span = high - low || 1;
  return (value) => {
    if (value === null) return 0;
    return alignment.measure === "distance" ? (high - value) / span : (value - low) / span;
  };
}

// What the page of token similarities has and shows: its data, the choices, and what they lead to.

import { pageData } from "./dom.js";
import { addressState } from "./state.js";

export const data = pageData();
export const INPUTS = [...new Set(data.rows.map((row) => row.instance))];
export const KINDS = [
  ...new Set(data.rows.flatMap((row) => row.alignments.flatMap((one) => one.links.map((link) => link.kind)))),
];
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

export const defaults = {
  input: data.rows[0].instance,
  system: data.rows[0].system,
  reference: "1",
  compare: "",
  kind: KINDS[0] ?? "",
  order: "untangled",
};
export const { state, change, reread } = addressState(defaults);

export function rowNow() {
  return (
    data.rows.find((row) => row.instance === state.input && row.system === state.system) ??
    data.rows.find((row) => row.instance === state.input) ??
    data.rows[0]
  );
}

export function othersOf(row) {
  return data.rows.filter((one) => one.instance === row.instance && one !== row);
}

export function comparedRow(row) {
  return othersOf(row).find((one) => one.system === state.compare) ?? null;
}

export function referenceOf(row) {
  return Math.min(row.alignments.length - 1, Math.max(0, Number(state.reference) - 1 || 0));
}

export function kindNow() {
  return KINDS.includes(state.kind) ? state.kind : defaults.kind;
}

// A pair as the drawings need it: tokens, links of the kind chosen, languages.
export function pairOf(row) {
  const at = referenceOf(row);
  const alignment = row.alignments[at];
  const { summary, references } = row.languages;
  return {
    row,
    alignment,
    referenceAt: at,
    links: alignment.links.filter((link) => link.kind === kindNow()),
    languages: { summary, reference: references[at] || summary },
  };
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

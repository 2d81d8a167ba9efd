// What the page of token similarities has and shows: its data, the choices, and what they lead to.

import { pageData } from "../dom.js";
import { addressState } from "../state.js";

export const data = pageData();
export const INPUTS = [...new Set(data.rows.map((row) => row.instance))];
export const KINDS = [
  ...new Set(data.rows.flatMap((row) => row.alignments.flatMap((one) => one.links.map((link) => link.kind)))),
];

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
    kind: kindNow(),
    links: alignment.links.filter((link) => link.kind === kindNow()),
    languages: { summary, reference: references[at] || summary },
  };
}

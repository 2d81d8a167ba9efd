// What the page of ROUGE matches has and shows: its data, the choices, and what they lead to.

import { pageData } from "../dom.js";
import { addressState } from "../state.js";

export const data = pageData();
export const PARTS = ["recall", "precision", "f1"];
export const PART_NAMES = { recall: "recall", precision: "precision", f1: "F1" };
export const defaults = {
  input: data.rows[0].instance,
  system: data.rows[0].system,
  reference: "1",
  measure: data.variants[0].measures[0],
  profile: data.variants[0].name,
  compare: "",
  part: "f1",
  forms: "",
  find: "",
  // The order of the list, as sortableTable writes it.
  list: "",
};
export const { state, change, reread } = addressState(defaults);

// What is chosen, whatever the address says.

export function variantNow() {
  const at = data.variants.findIndex((variant) => variant.name === state.profile);
  return Math.max(0, at);
}

export function rowNow() {
  return (
    data.rows.find((row) => row.instance === state.input && row.system === state.system) ??
    data.rows.find((row) => row.instance === state.input) ??
    data.rows[0]
  );
}

export function measureOf(variantAt) {
  return Math.max(0, data.variants[variantAt].measures.indexOf(state.measure));
}

export function referenceOf(row) {
  return Math.min(row.references.length - 1, Math.max(0, Number(state.reference) - 1 || 0));
}

export function comparedRow(row) {
  return (
    data.rows.find((one) => one.instance === row.instance && one.system === state.compare && one !== row) ??
    null
  );
}

export function scoreOf(row, variantAt, measureAt) {
  return row.scores[variantAt][measureAt][PARTS.indexOf(state.part)] ?? row.scores[variantAt][measureAt][2];
}

// Digits follow the profile's scale: 0 to 100, or 0 to 1.
export const DIGITS = data.variants.map((variant) => (variant.scale > 1 ? 2 : 4));

// One summary as the texts show it.
export function viewOf(row) {
  const variantAt = variantNow();
  return {
    report: data,
    row,
    variantAt,
    measureAt: measureOf(variantAt),
    referenceAt: referenceOf(row),
    digits: DIGITS[variantAt],
    forms: Boolean(state.forms),
  };
}

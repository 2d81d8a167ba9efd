// What the page of a meta-evaluation has and shows: its data, the choices, and what they lead to.

import { pageData } from "../dom.js";
import { digitsFor, number } from "../format.js";
import { addressState } from "../state.js";

export const data = pageData();
export const MEASURES = [...data.metrics, ...data.humans].map((name, at) => ({
  name,
  at,
  human: at >= data.metrics.length,
  lower: data.lower_is_better.includes(name),
  digits: digitsFor(data.means[at].map((one) => one.value)),
}));
export const LEVELS = distinct(data.rankings.map((one) => one.level));
export const COEFFICIENTS = distinct(data.rankings.map((one) => one.coefficient));
export const COEFFICIENT_NAMES = {
  pearson: "Pearson’s r",
  spearman: "Spearman’s ρ",
  kendall: "Kendall’s τ-b",
  "tau-a": "Kendall’s τ-a",
  "tau-c": "Kendall’s τ-c",
};

function distinct(values) {
  return [...new Set(values)];
}

export const defaults = {
  human: data.humans[0],
  level: LEVELS.includes("system") ? "system" : LEVELS[0],
  coefficient: COEFFICIENTS.includes("kendall") ? "kendall" : COEFFICIENTS[0],
  metric: "",
  input: "",
  system: "",
  measure: "rouge-2",
  reference: "1",
  // The metric whose curves are highlighted, or "all"; of many, one is from the start.
  curve: "",
  // The section that the table of contents led to.
  at: "",
};
export const { state, change, reread } = addressState(defaults);

function among(value, values, otherwise) {
  return values.includes(value) ? value : otherwise;
}

export function humanNow() {
  return among(state.human, data.humans, data.humans[0]);
}

export function rankingNow() {
  const level = among(state.level, LEVELS, defaults.level);
  const coefficient = among(state.coefficient, COEFFICIENTS, defaults.coefficient);
  return data.rankings.find(
    (one) => one.human === humanNow() && one.level === level && one.coefficient === coefficient,
  );
}

export function metricNow() {
  return among(state.metric, data.metrics, rankingNow().standings[0].metric);
}

const MOST_CURVES = 8;

export function curveNow() {
  return among(state.curve, ["all", ...data.metrics], data.metrics.length > MOST_CURVES ? metricNow() : "all");
}

export function measureNamed(name) {
  return MEASURES.find((one) => one.name === name);
}

// A metric with an arrow where lower is better.
export function marked(name) {
  return data.lower_is_better.includes(name) ? `${name} ↓` : name;
}

// What the arrow means; nothing without one.
export function arrowNote() {
  return data.lower_is_better.length
    ? "↓ lower is better. Correlations are plain coefficients; order, tests and clusters reverse the sign of these measures."
    : "";
}

export function spanText({ lower, upper }, digits = 3) {
  return lower === null || upper === null ? "–" : `${number(lower, digits)} … ${number(upper, digits)}`;
}

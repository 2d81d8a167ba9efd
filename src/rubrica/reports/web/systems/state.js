// What the page of systems has and shows: its data, the choices, and what they lead to.

import { el, pageData } from "../dom.js";
import { number } from "../format.js";
import { addressState } from "../state.js";

export const data = pageData();
export const SYSTEMS = data.systems.map((name, at) => ({ name, at, reference: data.references[at] }));
export const MEASURES = data.measures.map((measure, at) => ({
  ...measure,
  at,
  label: measure.name + (measure.lower_is_better ? " ↓" : "") + (measure.sentence_mean ? " †" : ""),
}));
export const headline = MEASURES.filter((measure) => measure.headline);

export const defaults = {
  measure: headline[0].name,
  // The baseline of `compare`: the system that was named, or the first.
  baseline: SYSTEMS[0].name,
  columns: headline.map((one) => one.name).join("|"),
  find: "",
  // Orders of tables, as sortableTable writes them; empty where the reader chose none.
  board: "",
  detail: "",
  inputs: "",
  texts: "",
  // The section that the table of contents led to.
  at: "",
};
export const { state, change, reread } = addressState(defaults);

// The system with the best score, or all that share it; none where no score is defined.
export function leadersOf(measure) {
  const known = SYSTEMS.filter((system) => interval(system, measure).value !== null);
  const sign = measure.lower_is_better ? -1 : 1;
  const best = known.reduce((most, system) => Math.max(most, sign * interval(system, measure).value), -Infinity);
  return known.filter((system) => sign * interval(system, measure).value === best);
}

// Where the order of a table is stored: in the address.
export function orderInAddress(name) {
  return { text: state[name], save: (text) => change({ [name]: text }) };
}

export function interval(system, measure) {
  return data.intervals[system.at][measure.at];
}

export function valuesOf(system, measure) {
  return data.values[system.at].map((row) => row[measure.at]);
}

export function measureNow() {
  return MEASURES.find((measure) => measure.name === state.measure) ?? headline[0];
}

export function baselineNow() {
  return SYSTEMS.find((system) => system.name === state.baseline) ?? SYSTEMS[0];
}

export function inWords(measure, { value, lower, upper }) {
  const told = `${measure.name} ${number(value, measure.digits)}`;
  return lower === null
    ? told
    : `${told}, ${data.resampling.confidence}\u00a0% interval ${number(lower, measure.digits)} to ${number(upper, measure.digits)}`;
}

export function systemName(system) {
  return [el("bdi", {}, system.name), system.reference && el("span", { class: "tag" }, "reference")];
}

// The test of two systems, seen from the first.
export function testOf(one, other, measure) {
  if (one.at === other.at) return null;
  // Pairs are listed as (0, 1), (0, 2), ... (1, 2), ...
  const [low, high] = one.at < other.at ? [one.at, other.at] : [other.at, one.at];
  const found = data.pairs[measure.at][(low * (2 * data.systems.length - low - 1)) / 2 + high - low - 1];
  const difference = found.difference === null ? null : (found.one === one.at ? 1 : -1) * found.difference;
  return { ...found, difference };
}

// The tests of all systems against one of them, by number; p adjusted over these comparisons alone.
export function testsAgainst(baseline, measure) {
  const tests = SYSTEMS.filter((system) => system.at !== baseline.at).map((system) => {
    const test = testOf(system, baseline, measure);
    const adjusted = test.one === baseline.at ? test.p_against_one : test.p_against_other;
    return [system.at, { ...test, p_adjusted: adjusted }];
  });
  return new Map(tests);
}

// What to say if so few rounds leave every adjusted p of so many tests above alpha, or nothing.
export function tooFewRounds(tests, what) {
  const factor = data.correction === "holm" ? tests : 1;
  if (!data.test_rounds || factor / (1 + data.test_rounds) <= data.alpha) return "";
  const enough = 1000 * Math.ceil((2 * factor) / data.alpha / 1000);
  return `${data.test_rounds.toLocaleString("en-US")} rounds are too few to tell ${what} apart: no adjusted p can reach ${data.alpha}. --rounds ${enough} would do.`;
}

// Better or worse: significantly after the correction, before it only, or not at all.
export function verdict(test, measure) {
  if (!test || test.p === null || test.difference === 0)
    return { mark: "·", kind: "none", told: "no difference shown" };
  const better = test.difference > 0 !== measure.lower_is_better;
  if (test.p_adjusted <= data.alpha)
    return {
      mark: better ? "▲" : "▼",
      kind: better ? "better" : "worse",
      told: `${better ? "better" : "worse"}, adjusted p ≤ ${data.alpha}`,
    };
  if (test.p <= data.alpha)
    return {
      mark: better ? "△" : "▽",
      kind: "maybe",
      told: `${better ? "better" : "worse"} by p ≤ ${data.alpha} before adjusting only`,
    };
  return { mark: "·", kind: "none", told: "no significant difference" };
}

// All scores of a sample, system by system, each with its place among the values of all rows.

import { el, svg } from "../dom.js";
import { foreign } from "../foreign.js";
import { digitsFor, number } from "../format.js";

const WIDE = 120,
  HIGH = 22;

export function scoresTable({ summaries, measures }, chosen) {
  if (!measures.length) return el("p", { class: "faded" }, "No file opened here has scores.");
  const systems = [chosen, ...summaries.filter((summary) => summary !== chosen)];
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "measure"),
    el("th", { scope: "col" }, "among all rows"),
    systems.map((summary) => el("th", { scope: "col", class: "number" }, foreign(summary.system))),
  );
  const anyLower = measures.some(({ lower }) => lower);
  const rows = measures
    .filter(({ name }) => systems.some(({ scores }) => scores[name] !== null))
    .map((measure) => scoreRow(measure, systems));
  return el(
    "div",
    {},
    el("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": "Scores" }, el("table", { class: "all-scores" }, el("thead", {}, head), el("tbody", {}, rows))),
    el("p", { class: "small faded" }, `Per cent: the share of all rows that are worse. The best system of the sample is bold.${anyLower ? " ↓: lower is better." : ""}`),
  );
}

function scoreRow({ name, lower, histogram }, systems) {
  const values = systems.map(({ scores }) => scores[name]);
  const digits = digitsFor(values);
  const defined = values.filter((value) => value !== null);
  const best = lower ? Math.min(...defined) : Math.max(...defined);
  const cells = systems.map((summary, at) => {
    const value = values[at],
      text = number(value, digits);
    return el(
      "td",
      { class: "number" },
      value !== null && value === best && defined.length > 1 ? el("strong", {}, text) : text,
      value !== null && el("span", { class: "rank" }, rankText(summary.ranks[name])),
    );
  });
  return el("tr", {}, el("th", { scope: "row" }, name, lower && " ↓"), el("td", {}, strip(name, histogram, values, systems[0], digits)), cells);
}

function rankText(rank) {
  return `${Math.round(100 * rank)}\u00a0%`;
}

// The histogram of all values, with a line at the chosen system's and a dot at those of the others.
function strip(name, histogram, values, chosen, digits) {
  if (!histogram) return null;
  const { low, high, counts } = histogram;
  const most = Math.max(...counts),
    width = WIDE / counts.length;
  const x = (value) => (high > low ? ((value - low) / (high - low)) * WIDE : WIDE / 2);
  const label =
    values[0] === null
      ? `${name}: no value of ${chosen.system}`
      : `${name} of ${chosen.system}: ${number(values[0], digits)}, better than ${rankText(chosen.ranks[name])} of all rows`;
  return svg(
    "svg",
    { class: "strip", viewBox: `-3 0 ${WIDE + 6} ${HIGH}`, width: WIDE + 6, height: HIGH, role: "img", "aria-label": label },
    counts.map((count, at) => {
      const tall = (count / most) * (HIGH - 6);
      return svg("rect", { class: "bin", x: at * width, y: HIGH - 5 - tall, width: width - 0.5, height: tall });
    }),
    values.slice(1).map((value) => value !== null && svg("circle", { class: "other", cx: x(value), cy: HIGH - 2.5, r: 2 })),
    values[0] !== null && svg("line", { class: "here", x1: x(values[0]), x2: x(values[0]), y1: 0, y2: HIGH }),
  );
}

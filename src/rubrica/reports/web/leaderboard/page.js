// The leaderboard: one comparison of metrics at a time, filtered by language and by what a metric needs and costs.

import { el, field, option, pageData, say } from "../dom.js";
import { chartData, csv } from "../download.js";
import { foreign } from "../foreign.js";
import { count, number } from "../format.js";
import { extent, intervalPlot } from "../plots.js";
import { lead, section, shell } from "../shell.js";
import { addressState, onStateChange } from "../state.js";
import { sortableTable } from "../table.js";

const board = pageData();
const ANY = "any";
const NEEDS = { references: "reference summaries", documents: "source documents" };
const comparisonOf = (entry) => `${entry.benchmark}: ${entry.human}, ${entry.level} level`;
const distinctBy = (entries, valueOf) => [...new Set(entries.map(valueOf))];
const comparisons = distinctBy(board.entries, comparisonOf);
const filters = {
  language: { label: "language", values: distinctBy(board.entries, (entry) => entry.language) },
  needs: { label: "needs", values: distinctBy(board.entries, (entry) => entry.needs), nameOf: (value) => NEEDS[value] },
  cost: { label: "cost", values: distinctBy(board.entries, (entry) => entry.cost) },
};
const NO_FILTER = { language: ANY, needs: ANY, cost: ANY };
const choice = addressState({ comparison: comparisons[0], ...NO_FILTER });

// The comparisons in a language.
function comparisonsIn(language) {
  return distinctBy(
    board.entries.filter((entry) => language === ANY || entry.language === language),
    comparisonOf,
  );
}

// An address may name what this page does not have.
function correctChoice() {
  const state = choice.state;
  for (const [name, { values }] of Object.entries(filters)) if (!values.includes(state[name])) state[name] = ANY;
  const possible = comparisonsIn(state.language);
  if (!possible.includes(state.comparison)) state.comparison = possible[0];
}

// The measures of the comparison that a need and a cost leave.
function measuresLeft({ needs, cost }) {
  return board.entries.filter(
    (entry) =>
      comparisonOf(entry) === choice.state.comparison &&
      (needs === ANY || entry.needs === needs) &&
      (cost === ANY || entry.cost === cost),
  );
}

function boardCsv() {
  const columns = ["benchmark", "human", "level", "measure", "value", "lower", "upper", "cluster", "needs", "cost", "signature"];
  return csv([columns, ...measuresLeft(choice.state).map((entry) => columns.map((name) => entry[name]))]);
}

function boardTable(entries) {
  const scale = extent(entries.flatMap((entry) => [entry.value, entry.lower, entry.upper]));
  const words = (entry) =>
    `${number(entry.value, 3)} (${number(entry.lower, 3)} to ${number(entry.upper, 3)})`;
  const columns = [
    { key: "measure", label: "measure", value: (entry) => entry.measure, cell: (entry) => foreign(entry.measure) },
    {
      key: "value",
      label: board.coefficient,
      number: true,
      value: (entry) => entry.value,
      cell: (entry) => number(entry.value, 3),
    },
    {
      key: "interval",
      label: "95 % interval",
      value: (entry) => entry.lower,
      cell: (entry) => intervalPlot(entry, scale, `${entry.measure}: ${words(entry)}`),
    },
    { key: "cluster", label: "cluster", number: true, descending: false, value: (entry) => entry.cluster },
    { key: "needs", label: "needs", value: (entry) => entry.needs },
    { key: "cost", label: "cost", value: (entry) => entry.cost },
  ];
  const details = (entry) => [
    el("p", { class: "signature" }, entry.signature),
    el("p", { class: "signature" }, board.signatures[`${entry.benchmark}, ${entry.human}, ${entry.level}`]),
  ];
  const caption = choice.state.comparison;
  return sortableTable({ caption, columns, rows: entries, sort: { key: null }, details }).node;
}

// Why nothing is left, and the way back.
function emptyBoard(total) {
  const { needs, cost } = choice.state;
  const wishes = [needs !== ANY && `needs ${NEEDS[needs]} only`, cost !== ANY && `costs “${cost}”`].filter(Boolean);
  const button = el("button", { type: "button", class: "quiet", onclick: () => choose(NO_FILTER) }, "Show all measures");
  return el(
    "p",
    { class: "empty" },
    `None of the ${count(total, "measure")} of this comparison ${wishes.join(" and ")}. `,
    button,
  );
}

const boardPlace = el("div");
const countPlace = el("p", { class: "faded count" });

function choose(some) {
  choice.change(some);
  drawBoard();
}

function selector(name, label) {
  const control = el("select", { onchange: (event) => choose({ [name]: event.target.value }) });
  control.dataset.name = name;
  return field(label, control);
}

const controls = el(
  "div",
  { class: "controls" },
  selector("language", filters.language.label),
  selector("comparison", "benchmark, human score, level"),
  selector("needs", filters.needs.label),
  selector("cost", filters.cost.label),
);

// Each choice says how many measures, or comparisons, it leaves.
function optionsOf(name) {
  const state = choice.state;
  if (name === "comparison") return comparisonsIn(state.language).map((value) => [value, value]);
  const left = (value) =>
    name === "language" ? comparisonsIn(value).length : measuresLeft({ ...state, [name]: value }).length;
  const { values, nameOf = (value) => value } = filters[name];
  return [ANY, ...values].map((value) => [value, `${value === ANY ? ANY : nameOf(value)} (${left(value)})`]);
}

function drawBoard() {
  correctChoice();
  for (const control of controls.querySelectorAll("select")) {
    const now = choice.state[control.dataset.name];
    control.replaceChildren(
      ...optionsOf(control.dataset.name).map(([value, label]) => option(value, label, value === now)),
    );
  }
  const total = measuresLeft(NO_FILTER).length;
  const entries = measuresLeft(choice.state);
  countPlace.textContent = `${entries.length} of ${count(total, "measure")}`;
  boardPlace.replaceChildren(entries.length > 0 ? boardTable(entries) : emptyBoard(total));
  say(countPlace.textContent);
}

onStateChange(() => {
  choice.reread();
  drawBoard();
});

shell(
  board,
  `${count(comparisons.length, "comparison")}, ${count(board.entries.length, "number")}`,
  lead(
    "How well metrics agree with people on released data. A new cluster begins with a measure that is significantly worse than one above; cluster 1 is the best.",
  ),
  section(
    "Comparison",
    "Numbers in brackets count what a choice leaves: comparisons in a language, measures with a need or cost. Clusters are those of all measures. Open a measure to see the signatures that reproduce its number.",
    controls,
    countPlace,
    boardPlace,
    chartData("These measures", "leaderboard.csv", boardCsv),
  ),
);
drawBoard();

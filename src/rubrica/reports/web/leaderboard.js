// The leaderboard: one comparison of metrics at a time, filtered by what a metric needs and costs.

import { el, field, option, pageData, say } from "./dom.js";
import { count, number } from "./format.js";
import { extent, intervalPlot } from "./plots.js";
import { lead, section, shell } from "./shell.js";
import { addressState, onStateChange } from "./state.js";
import { sortableTable } from "./table.js";

const board = pageData();
const comparisonOf = (entry) => `${entry.benchmark}: ${entry.human}, ${entry.level} level`;
const comparisons = [...new Set(board.entries.map(comparisonOf))];
const ANY = "any";
const choice = addressState({ comparison: comparisons[0], needs: ANY, cost: ANY });

function chosenEntries() {
  const { comparison, needs, cost } = choice.state;
  return board.entries.filter(
    (entry) =>
      comparisonOf(entry) === comparison &&
      (needs === ANY || entry.needs === needs) &&
      (cost === ANY || entry.cost === cost),
  );
}

function boardTable(entries) {
  const scale = extent(entries.flatMap((entry) => [entry.value, entry.lower, entry.upper]));
  const words = (entry) =>
    `${number(entry.value, 3)} (${number(entry.lower, 3)} to ${number(entry.upper, 3)})`;
  const columns = [
    { key: "measure", label: "Measure", value: (entry) => entry.measure },
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
    { key: "cluster", label: "Cluster", number: true, descending: false, value: (entry) => entry.cluster },
    { key: "needs", label: "Needs", value: (entry) => entry.needs },
    { key: "cost", label: "Cost", value: (entry) => entry.cost },
    { key: "language", label: "Language", value: (entry) => entry.language },
  ];
  const details = (entry) => [
    el("p", { class: "signature" }, entry.signature),
    el("p", { class: "signature" }, board.signatures[`${entry.benchmark}, ${entry.human}, ${entry.level}`]),
  ];
  const caption = choice.state.comparison;
  return sortableTable({ caption, columns, rows: entries, sort: { key: null }, details }).node;
}

const boardPlace = el("div");

function selector(name, label, values) {
  const control = el("select", {
    onchange: (event) => {
      choice.change({ [name]: event.target.value });
      drawBoard();
    },
  });
  control.append(...values.map((value) => option(value, value, value === choice.state[name])));
  control.dataset.name = name;
  return field(label, control);
}

const distinct = (name) => [ANY, ...new Set(board.entries.map((entry) => entry[name]))];
const controls = el(
  "div",
  { class: "controls" },
  selector("comparison", "Benchmark, human score, level", comparisons),
  selector("needs", "Needs", distinct("needs")),
  selector("cost", "Cost", distinct("cost")),
);

function drawBoard() {
  for (const control of controls.querySelectorAll("select")) control.value = choice.state[control.dataset.name];
  const entries = chosenEntries();
  boardPlace.replaceChildren(entries.length > 0 ? boardTable(entries) : el("p", {}, "No measure fits."));
  say(count(entries.length, "measure"));
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
  section("Comparison", "Open a measure to see the signatures that reproduce its number.", controls, boardPlace),
);
drawBoard();

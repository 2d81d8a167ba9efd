// The report of a meta-evaluation: metrics ranked, tested, plotted; systems, inputs, data and method.

import { drawSegments, el, field, option } from "../dom.js";
import { chartData, downloadButton } from "../download.js";
import { count } from "../format.js";
import { pointsCsv, scatter, scatterNote } from "./charts.js";
import { closeCurve, topCurve } from "./curves.js";
import { curveCsv, curvesCsv, meansCsv, rankingsCsv, scoresCsv, testsCsv } from "./downloads.js";
import { heatColumns, heatMap, heatNote } from "./heat.js";
import { resultSentence } from "./lead.js";
import { inputsTable, systemsTable } from "./inputs.js";
import { forest, rankingTable, testMatrix, testNote, title } from "./ranking.js";
import {
  COEFFICIENTS,
  COEFFICIENT_NAMES,
  LEVELS,
  arrowNote,
  change,
  curveNow,
  data,
  humanNow,
  marked,
  metricNow,
  rankingNow,
  reread,
  state,
} from "./state.js";
import { contents, goToSection, section, shell } from "../shell.js";
import { onStateChange } from "../state.js";

const humanSelect = el("select", { id: "human" }),
  coefficientSelect = el("select", { id: "coefficient" }),
  metricSelect = el("select", { id: "metric" }),
  curveSelect = el("select", { id: "curve" }),
  levels = el("div", { class: "segments" });
const [heat, ranking, tests, systems, inputs, signature, result] = Array.from({ length: 7 }, () => el("div"));
const shownNow = el("p", { class: "note now" }),
  heatSaid = el("p", { class: "note" }),
  said = el("p", { class: "note" }),
  testsNote = el("p", { class: "note" });

function drawControls() {
  const now = rankingNow();
  humanSelect.replaceChildren(...data.humans.map((name) => option(name, name, name === humanNow())));
  coefficientSelect.replaceChildren(
    ...COEFFICIENTS.map((name) => option(name, COEFFICIENT_NAMES[name], name === now.coefficient)),
  );
  metricSelect.replaceChildren(...data.metrics.map((name) => option(name, name, name === metricNow())));
  drawSegments(levels, "level", LEVELS, now.level);
}

function draw() {
  drawControls();
  drawHeat();
  result.replaceChildren(resultSentence());
  shownNow.textContent = title(rankingNow());
  ranking.replaceChildren(rankingTable());
  tests.replaceChildren(testMatrix());
  testsNote.textContent = testNote();
  systems.replaceChildren(systemsTable());
  signature.replaceChildren(el("p", { class: "signature" }, rankingNow().signature));
  forest.draw();
  drawMetric();
}

function drawCurves() {
  curveSelect.replaceChildren(
    option("all", "none", curveNow() === "all"),
    ...data.metrics.map((name) => option(name, marked(name), name === curveNow())),
  );
  topCurve.draw();
  closeCurve.draw();
}

// What had the focus keeps it: the name of the human score that was chosen.
function drawHeat() {
  const focused = heat.contains(document.activeElement);
  heat.replaceChildren(heatMap(draw));
  if (focused) heat.querySelector("[aria-pressed=true]")?.focus();
  heatSaid.textContent = heatNote();
}

function drawMetric() {
  said.textContent = scatterNote();
  inputs.replaceChildren(inputsTable());
  scatter.draw();
  drawCurves();
}

humanSelect.addEventListener("change", () => {
  change({ human: humanSelect.value });
  draw();
});
coefficientSelect.addEventListener("change", () => {
  change({ coefficient: coefficientSelect.value });
  draw();
});
levels.addEventListener("change", (event) => {
  change({ level: event.target.value });
  draw();
});
metricSelect.addEventListener("change", () => {
  change({ metric: metricSelect.value });
  drawMetric();
});
curveSelect.addEventListener("change", () => {
  change({ curve: curveSelect.value });
  drawCurves();
});
onStateChange(() => {
  reread();
  draw();
  goToSection(state.at);
});

function copyMethod(event) {
  const button = event.currentTarget;
  navigator.clipboard?.writeText(data.method.join("\n\n")).then(
    () => {
      button.textContent = "Copied";
    },
    () => {
      button.textContent = "Select the text to copy it";
    },
  );
}

// The page

const facts = [
  count(data.metrics.length, "metric"),
  count(data.humans.length, "human score"),
  count(data.systems.length, "system"),
  count(data.inputs.length, "input"),
  data.date && `scores of ${data.date}`,
]
  .filter(Boolean)
  .join(" · ");

const chooser = el(
  "section",
  { class: "chooser", "aria-label": "What is shown" },
  el(
    "div",
    { class: "controls" },
    field("human score", humanSelect),
    el("fieldset", {}, el("legend", {}, "level"), levels),
    field("coefficient", coefficientSelect),
  ),
);
const [overview, ...sections] = [
  section("Metrics and people", null, heat, heatSaid, chartData("Heat map", "heat-map.csv", () => rankingsCsv(heatColumns()))),
  section("Metrics", null, shownNow, el("div", { class: "panel" }, forest.node), ranking, arrowNote() && el("p", { class: "note" }, arrowNote()), chartData("This ranking", "ranking.csv", () => rankingsCsv([rankingNow()]))),
  section("Pairs of metrics", null, testsNote, tests, chartData("This matrix", "ranking-tests.csv", () => testsCsv([rankingNow()]))),
  section(
    "Metric against people",
    null,
    el("div", { class: "controls" }, field("metric", metricSelect)),
    said,
    el("div", { class: "panel" }, scatter.node),
    chartData("These points", "points.csv", pointsCsv),
  ),
  data.curves.length > 0 &&
    section(
      "Best and close systems",
      "A metric that orders all systems well may fail on those that matter. Metrics with the same curve share one. Without a highlight, a curve that others cover is wider.",
      data.metrics.length > 1 && el("div", { class: "controls" }, field("highlight", curveSelect)),
      el(
        "div",
        { class: "curves" },
        el("div", { class: "panel" }, el("h3", {}, "Among the best systems by people"), topCurve.node, chartData("These curves", "best-systems.csv", () => curveCsv("top"))),
        el("div", { class: "panel" }, el("h3", {}, "Over the pairs that the metric says are closest"), closeCurve.node, chartData("These curves", "close-systems.csv", () => curveCsv("close"))),
      ),
    ),
  section(
    "Systems",
    `Means over inputs with ${data.resampling.confidence}\u00a0% bootstrap intervals, human scores first.`,
    systems,
  ),
  section(
    "Inputs",
    data.texts
      ? "Where the metric chosen above and people agree least comes first. Open an input for its systems, then a system to read its text with the matches."
      : "Where the metric chosen above and people agree least comes first. Texts are shown when the report is made with --summaries.",
    inputs,
  ),
  section(
    "Data audit",
    "What was read, joined and left out.",
    data.audit.length
      ? el("ul", { class: "audit" }, data.audit.map((line) => el("li", {}, line)))
      : el("p", {}, "Nothing is known about how the scores were joined."),
  ),
  section(
    "Method",
    "For a paper’s appendix; every sentence follows from the options of this run.",
    el("div", { class: "method panel" }, data.method.map((paragraph) => el("p", {}, paragraph))),
    el(
      "div",
      { class: "controls downloads" },
      el("button", { type: "button", class: "quiet", onclick: copyMethod }, "Copy the text"),
    ),
    signature,
    el(
      "details",
      {},
      el("summary", {}, "All options"),
      el("pre", { class: "signature", tabindex: "0" }, JSON.stringify(data.config, null, 2)),
    ),
    el(
      "div",
      { class: "controls downloads" },
      downloadButton("Correlations (CSV)", "correlations.csv", "text/csv", rankingsCsv),
      downloadButton("Tests (CSV)", "tests.csv", "text/csv", testsCsv),
      data.curves.length > 0 && downloadButton("Curves (CSV)", "curves.csv", "text/csv", curvesCsv),
      downloadButton("Systems (CSV)", "systems.csv", "text/csv", meansCsv),
      downloadButton("Every summary (CSV)", "scores.csv", "text/csv", scoresCsv),
      downloadButton("All data (JSON)", "meta.json", "application/json", () => JSON.stringify(data)),
    ),
  ),
].filter(Boolean);

shell(data, facts, result, contents([overview, ...sections], change), chooser, overview, ...sections);
draw();
goToSection(state.at);
if (state.input)
  [...inputs.querySelectorAll("button.open")].find((button) => button.textContent === state.input)?.click();

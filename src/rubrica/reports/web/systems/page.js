// The report of systems: a leaderboard, one measure in detail, inputs, texts, and the method.

import { el, field, option, say } from "../dom.js";
import { count } from "../format.js";
import { chartData, downloadButton } from "../download.js";
import { onStateChange } from "../state.js";
import { contents, goToSection, section, shell } from "../shell.js";
import { measureCsv, pairsCsv, rowsCsv, scoresCsv } from "./downloads.js";
import { resultSentence } from "./lead.js";
import { leaderboard, measureTable, pairMatrix, shownMeasures } from "./scores.js";
import {
  MEASURES,
  SYSTEMS,
  baselineNow,
  change,
  data,
  measureNow,
  reread,
  state,
  tooFewRounds,
} from "./state.js";
import { listenForTips } from "../tips.js";
import { areKnown, duplicateList, equalScoresList, factsTable, inputTable } from "./texts.js";

// The page

const board = el("div"),
  detail = el("div"),
  matrix = el("div"),
  result = el("div"),
  inputs = el("div");
const search = el("input", { type: "search", placeholder: "all", value: state.find });
const measureSelect = el("select", { id: "measure" });
const baselineSelect = el("select", { id: "baseline" });
const boxes = MEASURES.map((measure) => el("input", { type: "checkbox", value: measure.name }));

function drawBoard() {
  board.replaceChildren(leaderboard().node);
}

function drawMeasure() {
  result.replaceChildren(resultSentence());
  detail.replaceChildren(measureTable());
  if (!ALONE) matrix.replaceChildren(pairMatrix());
  inputs.replaceChildren(inputTable());
}

function draw() {
  measureSelect.replaceChildren(
    ...MEASURES.map((measure) => option(measure.name, measure.label, measure.name === measureNow().name)),
  );
  baselineSelect.replaceChildren(
    ...SYSTEMS.map((system) => option(system.name, system.name, system.name === baselineNow().name)),
  );
  const wanted = new Set(state.columns.split("|"));
  boxes.forEach((box) => {
    box.checked = wanted.has(box.value);
  });
  search.value = state.find;
  drawBoard();
  drawMeasure();
}

search.addEventListener("input", () => {
  change({ find: search.value });
  drawBoard();
  say(`${board.querySelectorAll("tbody tr").length} systems shown`);
});
measureSelect.addEventListener("change", () => {
  // The board follows the measure.
  change({ measure: measureSelect.value, board: "" });
  drawMeasure();
  drawBoard();
});
baselineSelect.addEventListener("change", () => {
  change({ baseline: baselineSelect.value });
  drawMeasure();
});
boxes.forEach((box) =>
  box.addEventListener("change", () => {
    const columns = boxes
      .filter((one) => one.checked)
      .map((one) => one.value)
      .join("|");
    change({ columns });
    drawBoard();
  }),
);
onStateChange(() => {
  reread();
  draw();
  goToSection(state.at);
});

const { rounds, confidence, seed } = data.resampling;
const facts = [
  count(data.systems.length, "system"),
  count(data.inputs.length, "input"),
  count(data.measures.length, "measure"),
  data.date && `scores of ${data.date}`,
]
  .filter(Boolean)
  .join(" · ");
const UNIT = data.clusters === null ? "inputs" : `clusters of inputs (${data.clusters.toLocaleString("en-US")})`;
const ALONE = data.systems.length === 1,
  PAIRS = (data.systems.length * (data.systems.length - 1)) / 2;
const TESTS = ALONE ? "" : data.test
  ? `Two systems are compared by ${data.test}${data.test_rounds > 0 ? ` (${data.test_rounds.toLocaleString("en-US")} rounds, seed ${data.test_seed})` : ""} on the ${UNIT} both have; p is ${data.test_meaning}. ${data.correction === "none" ? "p-values are not corrected." : `Adjusted p-values are corrected (${data.correction.replace(/\b\w/g, (letter) => letter.toUpperCase())}) over the comparisons with the baseline; in the matrix over all pairs.`} Undefined scores are left out.`
  : "Nothing was tested.";
const corpus = MEASURES.some((measure) => measure.sentence_mean)
  ? " † The mean of sentence scores; the metric’s corpus score is another number: rubrica evaluate and compare show it."
  : "";

const MARKS = `The dashed line is the baseline’s score. ▲ ▼ better or worse with adjusted p ≤ ${data.alpha}; △ ▽ only before adjusting.`;

const sections = [
  section(
    "Leaderboard",
    `Scores of systems, with ${confidence}\u00a0% intervals.${ALONE ? "" : " * The best score."}${MEASURES.some((measure) => measure.lower_is_better) ? " ↓ Lower is better." : ""}${corpus}`,
    el(
      "div",
      { class: "controls" },
      field("find a system", search),
      MEASURES.length > 1 &&
        el(
          "details",
          { class: "pick" },
          el("summary", {}, "measures shown"),
          el(
            "div",
            { class: "picks" },
            MEASURES.map((measure, at) => el("label", { class: "check" }, boxes[at], measure.label)),
          ),
        ),
    ),
    board,
    chartData("Leaderboard", "leaderboard.csv", () => scoresCsv(shownMeasures())),
  ),
  section(
    "One measure",
    `Each tick is one input; many inputs are drawn as a histogram.${ALONE ? "" : ` ${MARKS}`}`,
    el("div", { class: "controls" }, field("measure", measureSelect), !ALONE && field("baseline", baselineSelect)),
    detail,
    chartData("This measure", "measure.csv", measureCsv),
  ),
  !ALONE && section("Pairs of systems", `Row minus column, in the measure chosen above. Marks as there; · not significant. ${tooFewRounds(PAIRS, `all ${PAIRS} pairs`)}`.trim(), matrix, chartData("These pairs", "measure-pairs.csv", () => pairsCsv([measureNow()]))),
  section(
    "Inputs",
    data.texts
      ? "Sorted from the hardest; open one to read its texts and all scores, the best summary first."
      : "Sorted from the hardest; open one for all its scores. Texts are shown when the report is made with --summaries.",
    inputs,
  ),
  data.facts &&
    section(
      "Lengths and copying",
      `Means over summaries. Repeated: 3-word sequences that occurred before in the same summary. ${areKnown("novel") ? "Novel: 2-word sequences that the document lacks. Longest copy: the longest word sequence taken from the document." : "With --documents the page shows novel and copied text, too."}`,
      factsTable(),
    ),
  data.texts
    ? section("Equal outputs", "Summaries with the same text, ignoring blanks and case.", duplicateList())
    : section(
        "Equal outputs",
        `Systems with the same value of ${MEASURES.length > 1 ? `all ${MEASURES.length} measures` : "the one measure"} on an input: their texts are likely the same. Made with --summaries, the report compares the texts.`,
        equalScoresList(),
      ),
  section(
    "Method",
    null,
    el(
      "p",
      { class: "method" },
      rounds > 0
        ? `Scores and intervals are those of rubrica evaluate${ALONE ? "" : ", tests those of rubrica compare"}. Intervals are bootstrap intervals (${confidence}\u00a0%, ${rounds.toLocaleString("en-US")} rounds, seed ${seed}) over ${UNIT}, with wider percentiles where these are few; ROUGE-1.5.5 has intervals of its own. ${TESTS}`
        : `Scores are those of rubrica evaluate. Nothing was resampled, so there are no intervals. ${TESTS}`,
    ),
    data.left_out > 0 && el("p", {}, `${count(data.left_out, "row")} of references left out.`),
    data.usage.map((line) => el("p", {}, line)),
    data.signatures.map((line) => el("p", { class: "signature" }, line)),
    el(
      "div",
      { class: "controls downloads" },
      downloadButton("Scores (CSV)", "scores.csv", "text/csv", () => scoresCsv()),
      downloadButton("Pairs (CSV)", "pairs.csv", "text/csv", () => pairsCsv()),
      downloadButton("Every summary (CSV)", "summaries.csv", "text/csv", rowsCsv),
      downloadButton("All data (JSON)", "report.json", "application/json", () => JSON.stringify(data)),
    ),
  ),
].filter(Boolean);

shell(data, facts, result, contents(sections, change), ...sections);
listenForTips();
draw();
goToSection(state.at);

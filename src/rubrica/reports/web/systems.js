// The report of systems: a leaderboard, one measure in detail, inputs, texts, and how it was made.

import { el, field, option, pageData, say } from "./dom.js";
import { count, digitsFor, number, percent, probability, signed } from "./format.js";
import { csv, downloadButton } from "./download.js";
import { axis, extent, intervalPlot, stripPlot } from "./plots.js";
import { onStateChange, readState, writeState } from "./state.js";
import { section, shell } from "./shell.js";
import { sortableTable } from "./table.js";

const data = pageData();
const SYSTEMS = data.systems.map((name, at) => ({ name, at, reference: data.references[at] }));
const MEASURES = data.measures.map((measure, at) => ({
  ...measure,
  at,
  digits: digitsFor(data.systems.map((_, s) => data.intervals[s][at].value)),
  label: measure.name + (measure.lower_is_better ? " ↓" : "") + (measure.corpus ? " †" : ""),
}));
const headline = MEASURES.filter((measure) => measure.headline);

const defaults = { measure: headline[0].name, baseline: leaderOf(headline[0]), columns: headline.map((one) => one.name).join(" "), find: "" };
let state = readState(defaults);

function leaderOf(measure) {
  const best = SYSTEMS.filter((system) => interval(system, measure).value !== null);
  const sign = measure.lower_is_better ? 1 : -1;
  best.sort((a, b) => sign * (interval(a, measure).value - interval(b, measure).value));
  return (best[0] ?? SYSTEMS[0]).name;
}

function interval(system, measure) {
  return data.intervals[system.at][measure.at];
}

function valuesOf(system, measure) {
  return data.values[system.at].map((row) => row[measure.at]);
}

function measureNow() {
  return MEASURES.find((measure) => measure.name === state.measure) ?? headline[0];
}

function baselineNow() {
  return SYSTEMS.find((system) => system.name === state.baseline) ?? SYSTEMS[0];
}

function inWords(measure, { value, lower, upper }) {
  const told = `${measure.name} ${number(value, measure.digits)}`;
  return lower === null ? told : `${told}, ${data.resampling.confidence} % interval ${number(lower, measure.digits)} to ${number(upper, measure.digits)}`;
}

function systemName(system) {
  return [el("bdi", {}, system.name), system.reference && el("span", { class: "tag" }, "reference")];
}

// The test of two systems, seen from the first.
function testOf(one, other, measure) {
  if (one.at === other.at) return null;
  const found = data.pairs[measure.at].find((pair) => (pair.one === one.at && pair.other === other.at) || (pair.one === other.at && pair.other === one.at));
  const difference = found.difference === null ? null : (found.one === one.at ? 1 : -1) * found.difference;
  return { ...found, difference };
}

// Better or worse, and how surely: after Holm's correction, before it only, or not at all.
function verdict(test, measure) {
  if (!test || test.p === null || test.difference === 0) return { mark: "·", kind: "none", told: "no difference shown" };
  const better = test.difference > 0 !== measure.lower_is_better;
  if (test.p_adjusted < 0.05) return { mark: better ? "▲" : "▼", kind: better ? "better" : "worse", told: `${better ? "better" : "worse"}, adjusted p < 0.05` };
  if (test.p < 0.05) return { mark: better ? "△" : "▽", kind: "maybe", told: `${better ? "better" : "worse"} by p < 0.05 before adjusting only` };
  return { mark: "·", kind: "none", told: "no significant difference" };
}

// Leaderboard

function leaderboard() {
  const wanted = new Set(state.columns.split(" "));
  const columns = MEASURES.filter((measure) => wanted.has(measure.name));
  const shown = columns.length ? columns : headline;
  const bests = new Map(shown.map((measure) => [measure.at, leaderOf(measure)]));
  const table = sortableTable({
    caption: "Systems and their mean scores",
    rows: SYSTEMS,
    sort: { key: measureNow().name, descending: !measureNow().lower_is_better },
    columns: [
      { key: "system", label: "system", value: (system) => system.name, cell: systemName },
      ...shown.map((measure) => {
        const all = SYSTEMS.flatMap((system) => { const { value, lower, upper } = interval(system, measure); return [value, lower, upper]; });
        const scale = extent(all);
        return {
          key: measure.name,
          label: measure.label,
          number: true,
          descending: !measure.lower_is_better,
          value: (system) => interval(system, measure).value,
          cell: (system) => {
            const found = interval(system, measure);
            const best = bests.get(measure.at) === system.name;
            return el("div", { class: best ? "score best" : "score" }, intervalPlot(found, scale, inWords(measure, found)), el("span", { class: "value" }, number(found.value, measure.digits)));
          },
        };
      }),
    ],
  });
  const test = state.find.trim().toLowerCase();
  table.filter((system) => system.name.toLowerCase().includes(test));
  return table;
}

// One measure

function measureTable() {
  const measure = measureNow(), baseline = baselineNow();
  const scale = extent(SYSTEMS.flatMap((system) => { const { lower, upper } = interval(system, measure); return [...valuesOf(system, measure), lower, upper]; }));
  const base = interval(baseline, measure).value;
  const table = sortableTable({
    caption: `Systems by ${measure.name}, compared with ${baseline.name}`,
    rows: SYSTEMS,
    sort: { key: "mean", descending: !measure.lower_is_better },
    columns: [
      { key: "system", label: "system", value: (system) => system.name, cell: systemName },
      {
        key: "spread", label: "inputs, mean and interval",
        value: (system) => { const { lower, upper } = interval(system, measure); return lower === null ? null : upper - lower; },
        cell: (system) => stripPlot(valuesOf(system, measure), interval(system, measure), scale, inWords(measure, interval(system, measure)), base),
      },
      { key: "mean", label: "mean", number: true, value: (system) => interval(system, measure).value, cell: (system) => number(interval(system, measure).value, measure.digits) },
      {
        key: "interval", label: `${data.resampling.confidence} % interval`, number: true,
        value: (system) => interval(system, measure).lower,
        cell: (system) => { const { lower, upper } = interval(system, measure); return lower === null ? "–" : `${number(lower, measure.digits)} … ${number(upper, measure.digits)}`; },
      },
      {
        key: "difference", label: "difference", number: true,
        value: (system) => testOf(system, baseline, measure)?.difference ?? null,
        cell: (system) => (system.at === baseline.at ? "baseline" : signed(testOf(system, baseline, measure).difference, measure.digits)),
      },
      {
        key: "p", label: "p", number: true, descending: false,
        value: (system) => testOf(system, baseline, measure)?.p ?? null,
        cell: (system) => probability(testOf(system, baseline, measure)?.p),
      },
      {
        key: "verdict", label: "adjusted p", number: true, descending: false,
        value: (system) => testOf(system, baseline, measure)?.p_adjusted ?? null,
        cell: (system) => { const test = testOf(system, baseline, measure); if (!test) return "–"; const { mark, kind, told } = verdict(test, measure); return [probability(test.p_adjusted), " ", el("span", { class: `verdict ${kind}`, role: "img", "aria-label": told, title: told }, mark)]; },
      },
    ],
  });
  const foot = el("div", { class: "axis-row", "aria-hidden": "true" }, axis(scale, measure.digits));
  table.node.querySelector("thead tr").children[1].append(foot);
  table.node.classList.add("strips");
  return table.node;
}

function pairMatrix() {
  const measure = measureNow();
  const sign = measure.lower_is_better ? 1 : -1;
  const ranked = [...SYSTEMS].sort((a, b) => sign * ((interval(a, measure).value ?? -Infinity * sign) - (interval(b, measure).value ?? -Infinity * sign)));
  return el(
    "div", { class: "scroller", tabindex: "0", role: "group", "aria-label": "Every two systems" },
    el(
      "table", { class: "matrix" },
      el("caption", { class: "unseen" }, `Difference in ${measure.name}: row minus column`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "row − column"), ranked.map((system) => el("th", { scope: "col", class: "number" }, el("bdi", {}, system.name))))),
      el("tbody", {}, ranked.map((row) => el("tr", {}, el("th", { scope: "row" }, systemName(row)), ranked.map((column) => {
        const test = testOf(row, column, measure);
        if (!test) return el("td", { class: "self" });
        const { mark, kind, told } = verdict(test, measure);
        return el("td", { class: "number", title: `p = ${probability(test.p)}, adjusted ${probability(test.p_adjusted)}, ${count(test.inputs, "shared input")}` }, signed(test.difference, measure.digits), " ", el("span", { class: `verdict ${kind}`, role: "img", "aria-label": told }, mark));
      })))),
    ),
  );
}

// Inputs

function inputRows() {
  const measure = measureNow();
  const sign = measure.lower_is_better ? -1 : 1;
  return data.inputs.map((name, at) => {
    const scored = SYSTEMS.map((system) => ({ system, value: data.values[system.at][at][measure.at] })).filter((one) => one.value !== null);
    scored.sort((a, b) => sign * (b.value - a.value));
    const mean = scored.length ? scored.reduce((sum, one) => sum + one.value, 0) / scored.length : null;
    return { name, at, mean, scored, spread: scored.length ? Math.abs(scored[0].value - scored.at(-1).value) : null };
  });
}

function inputTable() {
  const measure = measureNow();
  const who = (one) => (one ? [el("bdi", {}, one.system.name), " ", el("span", { class: "faded" }, number(one.value, measure.digits))] : "–");
  const table = sortableTable({
    caption: `Inputs by ${measure.name}`,
    rows: inputRows(),
    sort: { key: "mean", descending: measure.lower_is_better },
    limit: 25,
    details: data.texts && inputTexts,
    columns: [
      { key: "input", label: "input", value: (row) => row.name, cell: (row) => el("bdi", {}, row.name) },
      { key: "mean", label: "mean of systems", number: true, value: (row) => row.mean, cell: (row) => number(row.mean, measure.digits) },
      { key: "spread", label: "best − worst", number: true, value: (row) => row.spread, cell: (row) => number(row.spread, measure.digits) },
      { key: "best", label: "best", value: (row) => row.scored[0]?.system.name ?? null, cell: (row) => who(row.scored[0]) },
      { key: "worst", label: "worst", value: (row) => row.scored.at(-1)?.system.name ?? null, cell: (row) => who(row.scored.at(-1)) },
    ],
  });
  return table.node;
}

function inputTexts(row) {
  const measure = measureNow();
  return row.scored.map(({ system, value }) => el(
    "div", { class: "reading" },
    el("h3", {}, el("bdi", {}, system.name), " ", el("span", { class: "faded" }, number(value, measure.digits))),
    textBlock(data.texts[system.at][row.at]),
  ));
}

function textBlock(text) {
  if (text === null) return el("p", { class: "faded" }, "(text not given)");
  if (!text.trim()) return el("p", { class: "faded" }, "(empty summary)");
  return el("div", { class: "text", lang: "" }, text.split("\n").map((line) => el("p", { dir: "auto" }, line)));
}

// Texts

function factsTable() {
  const rows = SYSTEMS.map((system) => ({ system, facts: data.facts[system.at] })).filter((row) => row.facts);
  const has = (key) => rows.some((row) => row.facts[key] !== null);
  const fact = (key, label, shown) => ({ key, label, number: true, value: (row) => row.facts[key], cell: (row) => shown(row.facts[key]) });
  return sortableTable({
    caption: "Lengths and copying",
    rows,
    sort: { key: "words", descending: true },
    columns: [
      { key: "system", label: "system", value: (row) => row.system.name, cell: (row) => systemName(row.system) },
      fact("summaries", "summaries", (value) => String(value)),
      fact("empty", "empty", (value) => String(value)),
      fact("words", "words", (value) => number(value, 1)),
      has("sentences") && fact("sentences", "sentences", (value) => number(value, 1)),
      has("relative_length") && fact("relative_length", "÷ reference", (value) => number(value, 2)),
      fact("repeated", "repeated 3-grams", percent),
      has("novel") && fact("novel", "novel 2-grams", percent),
      has("copied") && fact("copied", "longest copy", (value) => `${number(value, 1)} words`),
    ].filter(Boolean),
  }).node;
}

function duplicateList() {
  return data.duplicates.length === 0
    ? el("p", {}, "No two summaries have the same text.")
    : el("ul", { class: "duplicates" }, data.duplicates.slice(0, 50).map((one) => el(
      "li", {},
      el("p", {}, el("strong", {}, count(one.summaries.length, "summary", "summaries")), ": ", one.summaries.slice(0, 12).map(([input, system], at) => [at > 0 && ", ", el("bdi", {}, `${input} / ${system}`)]), one.summaries.length > 12 && ` and ${one.summaries.length - 12} more`),
      textBlock(one.text),
    )));
}

// Downloads

function scoresCsv() {
  const head = ["system", "measure", "mean", "lower", "upper"];
  return csv([head, ...SYSTEMS.flatMap((system) => MEASURES.map((measure) => { const { value, lower, upper } = interval(system, measure); return [system.name, measure.name, value, lower, upper]; }))]);
}

function pairsCsv() {
  const head = ["measure", "system", "other", "inputs", "difference", "p", "p_adjusted"];
  return csv([head, ...MEASURES.flatMap((measure) => data.pairs[measure.at].map((pair) => [measure.name, data.systems[pair.one], data.systems[pair.other], pair.inputs, pair.difference, pair.p, pair.p_adjusted]))]);
}

function rowsCsv() {
  const head = ["system", "input", ...data.measures.map((measure) => measure.name)];
  return csv([head, ...SYSTEMS.flatMap((system) => data.inputs.map((input, at) => [system.name, input, ...data.values[system.at][at]]))]);
}

// The page

const board = el("div"), detail = el("div"), matrix = el("div"), inputs = el("div");
const search = el("input", { type: "search", placeholder: "all", value: state.find });
const measureSelect = el("select", { id: "measure" });
const baselineSelect = el("select", { id: "baseline" });
const boxes = MEASURES.map((measure) => el("input", { type: "checkbox", value: measure.name }));

function drawBoard() {
  board.replaceChildren(leaderboard().node);
}

function drawMeasure() {
  detail.replaceChildren(measureTable());
  matrix.replaceChildren(pairMatrix());
  inputs.replaceChildren(inputTable());
}

function draw() {
  measureSelect.replaceChildren(...MEASURES.map((measure) => option(measure.name, measure.label, measure.name === measureNow().name)));
  baselineSelect.replaceChildren(...SYSTEMS.map((system) => option(system.name, system.name, system.name === baselineNow().name)));
  const wanted = new Set(state.columns.split(" "));
  boxes.forEach((box) => { box.checked = wanted.has(box.value); });
  search.value = state.find;
  drawBoard();
  drawMeasure();
}

function change(some) {
  state = { ...state, ...some };
  writeState(state, defaults);
}

search.addEventListener("input", () => { change({ find: search.value }); drawBoard(); say(`${board.querySelectorAll("tbody tr").length} systems shown`); });
measureSelect.addEventListener("change", () => { change({ measure: measureSelect.value }); drawMeasure(); drawBoard(); });
baselineSelect.addEventListener("change", () => { change({ baseline: baselineSelect.value }); drawMeasure(); });
boxes.forEach((box) => box.addEventListener("change", () => {
  const columns = boxes.filter((one) => one.checked).map((one) => one.value).join(" ");
  change({ columns });
  drawBoard();
}));
onStateChange(() => { state = readState(defaults); draw(); });

const { rounds, confidence, seed } = data.resampling;
const facts = [count(data.systems.length, "system"), count(data.inputs.length, "input"), count(data.measures.length, "measure")].join(" · ");
const corpus = MEASURES.some((measure) => measure.corpus) ? " † The metric also has a score of the whole corpus, which is another number than this mean." : "";

shell(
  data, facts,
  section(
    "Leaderboard",
    `Means over summaries, with ${confidence} % intervals. * The best mean.${MEASURES.some((measure) => measure.lower_is_better) ? " ↓ Lower is better." : ""}${corpus}`,
    el("div", { class: "controls" },
      field("find a system", search),
      MEASURES.length > 1 && el("details", { class: "pick" }, el("summary", {}, "measures shown"), el("div", { class: "picks" }, MEASURES.map((measure, at) => el("label", { class: "check" }, boxes[at], measure.label))))),
    board,
  ),
  section(
    "One measure",
    "Each tick is one input. The dashed line is the baseline's mean. ▲ ▼ better or worse with adjusted p < 0.05; △ ▽ only before adjusting.",
    el("div", { class: "controls" }, field("measure", measureSelect), field("baseline", baselineSelect)),
    detail,
  ),
  section("Every two systems", "Row minus column, in the measure chosen above. The same marks.", matrix),
  section("Inputs", data.texts ? "Sorted from the hardest; open one to read its summaries, best first." : "Sorted from the hardest. Texts are shown when the report is made with --summaries.", inputs),
  data.facts && section("Lengths and copying", "Means over summaries. Repeated: 3-word sequences that occurred before in the same summary. Novel: 2-word sequences that the document lacks. Longest copy: the longest word sequence taken from the document.", factsTable()),
  data.texts && section("Equal outputs", "Summaries with the same text, blanks and case aside.", duplicateList()),
  section(
    "How it was made", null,
    el("p", { class: "method" }, rounds > 0
      ? `A system's score is the mean of its summaries' scores. Intervals are percentile bootstrap intervals (${confidence} %, ${rounds.toLocaleString("en-US")} rounds, seed ${seed}); every round draws as many inputs as there are, with replacement, and judges all systems on them. Two systems are compared by the paired bootstrap on the inputs both have: p = (1 + rounds in which the centred difference was at least as large as the observed one) ÷ (1 + rounds), two-sided. Adjusted p values are Holm's, over all pairs of a measure. Undefined scores are left out.`
      : "A system's score is the mean of its summaries' scores. Nothing was resampled, so there are no intervals and no tests."),
    data.left_out > 0 && el("p", {}, `${count(data.left_out, "row")} of references left out.`),
    data.signatures.map((line) => el("p", { class: "signature" }, line)),
    el("div", { class: "controls downloads" },
      downloadButton("Scores (CSV)", "scores.csv", "text/csv", scoresCsv),
      downloadButton("Pairs (CSV)", "pairs.csv", "text/csv", pairsCsv),
      downloadButton("Every summary (CSV)", "summaries.csv", "text/csv", rowsCsv),
      downloadButton("All data (JSON)", "report.json", "application/json", () => JSON.stringify(data))),
  ),
);
draw();

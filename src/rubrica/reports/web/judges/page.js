// The report of a judge: the verdict, then sections of tables, intervals and examples.

import { el, pageData } from "../dom.js";
import { chartData, csv } from "../download.js";
import { foreign, textBlock } from "../foreign.js";
import { number, probability } from "../format.js";
import { axis, extent, intervalPlot } from "../plots.js";
import { contents, goToSection, lead, section, shell } from "../shell.js";
import { addressState, onStateChange } from "../state.js";
import { sortableTable } from "../table.js";

const report = pageData();

// A column of whole numbers is shown without digits.
function cellText(value, digits) {
  if (value === null) return "–";
  if (value === true || value === false) return value ? "yes" : "no";
  if (typeof value !== "number") return foreign(value);
  return digits === 0 ? value.toLocaleString("en-US") : number(value, digits);
}

function tableOf(part) {
  const digitsOf = (at) =>
    part.rows.every((row) => typeof row[at] !== "number" || Number.isInteger(row[at])) ? 0 : part.digits;
  const columns = part.headers.map((label, at) => ({
    key: String(at),
    label,
    number: at > 0 && part.rows.every((row) => row[at] === null || typeof row[at] === "number"),
    value: (row) => (typeof row[at] === "boolean" ? String(row[at]) : row[at]),
    cell: (row) => (typeof row[at] === "number" && /\bp$/.test(label) ? probability(row[at]) : cellText(row[at], digitsOf(at))),
  }));
  const table = sortableTable({ caption: part.title, columns, rows: part.rows, sort: { key: null } });
  return [table.node, chartData("This table", `${fileName(part)}.csv`, () => csv([part.headers, ...part.rows]))];
}

function fileName(part) {
  return part.title.toLowerCase().replace(/\W+/g, "-");
}

function intervalsCsv(part) {
  return csv([["label", "value", "lower", "upper"], ...part.intervals.map((mark) => [mark.label, mark.value, mark.lower, mark.upper])]);
}

// Dots on one scale under each other, with a line where the reference value is.
function intervalList(part) {
  const values = part.intervals.flatMap((mark) => [mark.value, mark.lower, mark.upper]);
  const scale = extent([...values, part.reference]);
  const span = scale[1] - scale[0];
  const line =
    part.reference === null
      ? null
      : el("span", { class: "reference", "data-at": (part.reference - scale[0]) / span });
  const rows = part.intervals.map((mark) => {
    const bounds = mark.lower === null ? "" : ` (${number(mark.lower, 3)} to ${number(mark.upper, 3)})`;
    const words = `${number(mark.value, 3)}${bounds}`;
    return [
      el("span", { class: "mark-label" }, foreign(mark.label)),
      el("span", { class: "mark-plot" }, intervalPlot(mark, scale, `${mark.label}: ${words}`), line && line.cloneNode()),
      el("span", { class: "mark-value number" }, words),
    ];
  });
  const list = el("div", { class: "marks panel" }, rows, el("span"), el("span", {}, axis(scale)), el("span"));
  for (const one of list.querySelectorAll(".reference")) one.style.insetInlineStart = `${100 * one.dataset.at}%`;
  return [list, chartData("These intervals", `${fileName(part)}-intervals.csv`, () => intervalsCsv(part))];
}

// Long texts, such as documents, open on demand.
const LONG = 1500;

function exampleOf(example) {
  return el(
    "article",
    { class: "panel example" },
    el("h3", {}, foreign(example.title)),
    el("p", {}, foreign(example.reason)),
    example.texts.map(([heading, text]) =>
      el("details", { open: text.length < LONG }, el("summary", {}, foreign(heading)), textBlock(text)),
    ),
  );
}

function sectionOf(part) {
  return section(
    part.title,
    part.note,
    part.verdict && el("p", { class: "section-verdict" }, part.verdict),
    part.intervals.length > 0 && intervalList(part),
    part.rows.length > 0 && tableOf(part),
    part.examples.map(exampleOf),
  );
}

const sections = [
  ...report.sections.map(sectionOf),
  report.signatures.length > 0 &&
    section(
      "Method",
      "Copy these lines into a paper's appendix.",
      report.signatures.map((line) => el("p", { class: "signature" }, line)),
    ),
].filter(Boolean);
const { state, change, reread } = addressState({ at: "" });
onStateChange(() => {
  reread();
  goToSection(state.at);
});
shell(report, report.facts, lead(report.verdict), contents(sections, change), ...sections);
goToSection(state.at);

// Tokens of a summary against those of a reference: which are matched, and how close all pairs are.

import { closenessOf, lackOf } from "./alignment-model.js";
import { drawSegments, el, field, option, say } from "../dom.js";
import { chartData, csv, downloadButton } from "../download.js";
import { flow } from "./flow.js";
import { linksTable, matrix } from "./matrix.js";
import {
  INPUTS,
  KINDS,
  change,
  comparedRow,
  data,
  kindNow,
  othersOf,
  pairOf,
  referenceOf,
  reread,
  rowNow,
  state,
} from "./state.js";
import { foreign } from "../foreign.js";
import { count, number, percent } from "../format.js";
import { lead, section, shell } from "../shell.js";
import { onStateChange } from "../state.js";

const inputSelect = el("select", { id: "input" }),
  systemSelect = el("select", { id: "system" }),
  referenceSelect = el("select", { id: "reference" }),
  compareSelect = el("select", { id: "compare" }),
  orderSelect = el("select", { id: "order" }),
  kinds = el("div", { class: "segments" });
const [flows, matrices, tables, result] = Array.from({ length: 4 }, () => el("div"));

// A token may be a whole sentence.
function short(token) {
  const letters = [...token];
  return letters.length > 50 ? `${letters.slice(0, 48).join("")}…` : token;
}

// The result in a sentence or two.
function sentence(pair) {
  const { alignment, row, links } = pair;
  const scores = Object.entries(alignment.values).map(([name, value]) => `${name} ${number(value, 4)}`);
  const parts = [foreign(row.system), " against reference ", `${pair.referenceAt + 1} of ${row.alignments.length}: `, el("strong", {}, scores.join(", ")), ". "];
  if (!links.length) return [...parts, "One of the texts has no tokens to compare."];
  const costliest = links.reduce((most, link) => (lackOf(pair, link) > lackOf(pair, most) ? link : most));
  const all = links.reduce((sum, link) => sum + lackOf(pair, link), 0);
  const ours = foreign(short(alignment.summary[costliest.summary]), pair.languages.summary),
    theirs = foreign(short(alignment.reference[costliest.reference]), pair.languages.reference);
  const share = all > 0 ? lackOf(pair, costliest) / all : 0;
  if (alignment.measure === "distance") {
    const still = links.filter((link) => closenessOf(pair, link) < 1e-9).reduce((sum, link) => sum + link.amount, 0);
    if (still > 1e-9) parts.push(`${percent(still)} of the weight does not move: both texts have these tokens. `);
    parts.push(`The costliest of ${count(links.length, "link")}: “`, ours, "” to “", theirs, `”, distance ${number(closenessOf(pair, costliest), 2)}, ${percent(share)} of the total distance.`);
  } else {
    const exact = links.filter((link) => alignment.summary[link.summary] === alignment.reference[link.reference]).length;
    parts.push(`${KINDS.length > 1 ? `For ${kindNow()}, ` : ""}${exact} of ${count(links.length, "token")} are matched with the same token; the weakest match is “`, ours, "” with “", theirs, `”, cosine ${number(closenessOf(pair, costliest), 2)}.`);
  }
  return parts;
}

function infoLine() {
  const info = el("p", { class: "info", role: "status", "data-idle": "Point at a token, or focus one and use the arrow keys." });
  info.textContent = info.dataset.idle;
  return info;
}

// One pair, or two beside each other, each with its name.
function beside(pairs, make) {
  return el(
    "div",
    { class: pairs.length > 1 ? "two" : "one" },
    pairs.map((pair) => {
      const info = infoLine();
      const empty = !pair.alignment.summary.length || !pair.alignment.reference.length;
      return el(
        "div",
        { class: "pair" },
        pairs.length > 1 && el("h3", {}, foreign(pair.row.system)),
        empty ? el("p", { class: "faded" }, "One of the texts has no tokens to compare.") : make(pair, info),
        !empty && info,
      );
    }),
  );
}

function drawControls(row) {
  inputSelect.replaceChildren(...INPUTS.map((name) => option(name, name, name === row.instance)));
  systemSelect.replaceChildren(...[row, ...othersOf(row)].sort((a, b) => data.rows.indexOf(a) - data.rows.indexOf(b)).map((one) => option(one.system, one.system, one === row)));
  referenceSelect.replaceChildren(
    ...row.alignments.map((_, at) => option(String(at + 1), `${at + 1} of ${row.alignments.length}`, at === referenceOf(row))),
  );
  compareSelect.replaceChildren(
    option("", "none", !comparedRow(row)),
    ...othersOf(row).map((one) => option(one.system, one.system, one === comparedRow(row))),
  );
  orderSelect.replaceChildren(
    option("untangled", "next to their partners", state.order !== "text"),
    option("text", "as in the text", state.order === "text"),
  );
  drawSegments(kinds, "kind", KINDS, kindNow());
}

function draw() {
  drawControls(rowNow());
  const pairs = pairsShown();
  result.replaceChildren(...pairs.map((pair) => lead(sentence(pair))));
  flows.replaceChildren(beside(pairs, (pair, info) => flow(pair, info, state.order === "text")));
  matrices.replaceChildren(beside(pairs, matrix));
  tables.replaceChildren(beside(pairs, (pair) => linksTable(pair)));
  for (const info of tables.querySelectorAll(".info")) info.remove();
}

function changed(some) {
  change(some);
  draw();
}

inputSelect.addEventListener("change", () => {
  changed({ input: inputSelect.value });
  say(`${rowNow().instance}, ${rowNow().system}`);
});
systemSelect.addEventListener("change", () => {
  changed({ input: rowNow().instance, system: systemSelect.value });
  say(`${rowNow().instance}, ${rowNow().system}`);
});
referenceSelect.addEventListener("change", () => changed({ reference: referenceSelect.value }));
compareSelect.addEventListener("change", () => changed({ compare: compareSelect.value }));
orderSelect.addEventListener("change", () => changed({ order: orderSelect.value }));
kinds.addEventListener("change", (event) => changed({ kind: event.target.value }));
onStateChange(() => {
  reread();
  draw();
});

function linksCsv(pairs) {
  return csv([
    ["input", "system", "reference", "kind", "summary_token", "reference_token", "closeness", "weight"],
    ...pairs.flatMap(({ row, alignment, referenceAt, links }) =>
      links.map((link) => [row.instance, row.system, referenceAt + 1, link.kind, alignment.summary[link.summary], alignment.reference[link.reference], alignment.closeness[link.summary][link.reference], link.amount]),
    ),
  ]);
}

function matrixCsv(pairs) {
  return csv([
    ["input", "system", "reference", "summary_token", "reference_token", "closeness"],
    ...pairs.flatMap(({ row, alignment, referenceAt }) =>
      alignment.summary.flatMap((ours, s) =>
        alignment.reference.map((theirs, r) => [row.instance, row.system, referenceAt + 1, ours, theirs, alignment.closeness[s][r]]),
      ),
    ),
  ]);
}

function pairsShown() {
  return [rowNow(), comparedRow(rowNow())].filter(Boolean).map(pairOf);
}

function allPairs() {
  return data.rows.flatMap((row) => row.alignments.map((alignment, referenceAt) => ({ row, alignment, referenceAt, links: alignment.links })));
}

const distances = data.rows.some((row) => row.alignments.some((one) => one.measure === "distance"));
const marks = KINDS.includes("precision")
  ? "P marks the closest partner of a summary’s token (precision), R that of a reference’s token (recall)."
  : `● marks pairs ${KINDS.includes("moved") ? "between which weight moves" : "that are matched"}.`;
shell(
  data,
  [
    data.metric,
    count(data.rows.length, "summary", "summaries"),
    count(INPUTS.length, "input"),
    ...(data.left_out ? [`${data.left_out.toLocaleString("en-US")} more summaries left out`] : []),
  ].join(" · "),
  el(
    "div",
    { class: "controls top-controls" },
    field("input", inputSelect),
    field("system", systemSelect),
    field("reference", referenceSelect),
    field("compare with", compareSelect),
    KINDS.length > 1 && el("fieldset", {}, el("legend", {}, "links for"), kinds),
  ),
  result,
  section(
    "Flow",
    distances
      ? "Each band moves weight from a token of the summary to a token of the reference. Wider bands move more weight; stronger colours mean shorter distances."
      : "Each band joins a token to its closest partner in the other text. Wider bands are tokens of more weight; stronger colours mean closer pairs.",
    el("div", { class: "controls" }, field("reference’s tokens", orderSelect)),
    flows,
    chartData("Flow", "flow.csv", () => linksCsv(pairsShown())),
  ),
  section(
    "What costs most",
    distances
      ? "Weight times distance, as a share of the total distance. Moving much weight over a long distance lowers the score most."
      : "Weight × (1 − cosine), as a share of the sum over all links. Tokens of high weight without a close partner lower the score most.",
    tables,
  ),
  section(
    "All pairs of tokens",
    `${distances ? "Distances" : "Cosines"}; stronger colours mean closer pairs. ${marks}`,
    matrices,
    chartData("This matrix", "matrix.csv", () => matrixCsv(pairsShown())),
  ),
  section(
    "Method",
    null,
    el("p", { class: "signature" }, data.signature),
    el(
      "div",
      { class: "controls downloads" },
      downloadButton("Links (CSV)", "links.csv", "text/csv", () => linksCsv(allPairs())),
      downloadButton("All data (JSON)", "embeddings.json", "application/json", () => JSON.stringify(data)),
    ),
  ),
);
draw();

// Tokens of a summary against those of a reference: how close each two are, and which go together.

import { el, field, option, pageData, say } from "./dom.js";
import { csv, downloadButton } from "./download.js";
import { count, number, percent } from "./format.js";
import { section, shell } from "./shell.js";
import { onStateChange, readState, writeState } from "./state.js";

const data = pageData();
const defaults = { summary: "0", reference: "1" };
const state = readState(defaults);
const summarySelect = el("select", { id: "summary" }),
  referenceSelect = el("select", { id: "reference" });
const place = el("div"),
  info = el("p", { class: "info", role: "status" }),
  values = el("dl", { class: "scores" });
const MARKS = { precision: "P", recall: "R", moved: "●" };

function rowNow() {
  return data.rows[Math.min(data.rows.length - 1, Math.max(0, Number(state.summary) || 0))];
}

function alignmentNow() {
  const { alignments } = rowNow();
  return alignments[Math.min(alignments.length, Math.max(1, Number(state.reference) || 1)) - 1];
}

// How strong a cell's ground is: 1 for the closest pair of the page, 0 for the farthest.
function shadeOf(alignment) {
  const all = alignment.closeness.flat();
  const low = all.reduce((a, b) => Math.min(a, b), Infinity),
    high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const span = high - low || 1;
  return (value) => (alignment.measure === "distance" ? (high - value) / span : (value - low) / span);
}

function linksBetween(alignment, s, r) {
  return alignment.links.filter((link) => link.summary === s && link.reference === r);
}

function words(alignment, s, r) {
  const found = linksBetween(alignment, s, r);
  const what = `“\u2068${alignment.summary[s]}\u2069” and “\u2068${alignment.reference[r]}\u2069”: ${alignment.measure} ${number(alignment.closeness[s][r], 3)}`;
  const links = found.map((link) => `${link.kind === "moved" ? "moved" : `matched for ${link.kind}`}, weight ${percent(link.amount)}`);
  return [what, ...links].join("; ");
}

function matrix(alignment) {
  const shade = shadeOf(alignment);
  const cells = alignment.summary.map((_, s) =>
    alignment.reference.map((_, r) => {
      const found = linksBetween(alignment, s, r);
      const cell = el(
        "td",
        { class: found.length ? "linked" : null, tabindex: s + r === 0 ? "0" : "-1", "data-s": String(s), "data-r": String(r) },
        number(alignment.closeness[s][r], 2),
        found.map((link) => el("sup", {}, MARKS[link.kind])),
      );
      cell.style.background = `color-mix(in srgb, var(--wash-strong) ${Math.round(100 * shade(alignment.closeness[s][r]))}%, transparent)`;
      return cell;
    }),
  );
  const heads = alignment.reference.map((token) => el("th", { scope: "col" }, el("bdi", {}, token)));
  const names = alignment.summary.map((token) => el("th", { scope: "row" }, el("bdi", {}, token)));
  const table = el(
    "table",
    { class: "tokens" },
    el("caption", { class: "unseen" }, `${alignment.measure} of every two tokens; arrow keys go from cell to cell`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "summary ↓ reference →"), heads)),
    el("tbody", {}, cells.map((row, s) => el("tr", {}, names[s], row))),
  );
  function light(s, r) {
    heads.forEach((head, at) => head.classList.toggle("lit", at === r));
    names.forEach((name, at) => name.classList.toggle("lit", at === s));
    info.textContent = words(alignment, s, r);
  }
  const at = (event) => event.target.closest("td[data-s]")?.dataset;
  table.addEventListener("pointerover", (event) => {
    const cell = at(event);
    if (cell) light(Number(cell.s), Number(cell.r));
  });
  table.addEventListener("focusin", (event) => {
    const cell = at(event);
    if (cell) light(Number(cell.s), Number(cell.r));
  });
  table.addEventListener("keydown", (event) => {
    const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const cell = at(event);
    if (!by || !cell) return;
    event.preventDefault();
    cells[Number(cell.s) + by[0]]?.[Number(cell.r) + by[1]]?.focus();
  });
  return el("div", { class: "scroller grid-scroller", role: "group", tabindex: "0", "aria-label": "Token similarities" }, table);
}

function draw() {
  const row = rowNow(),
    alignment = alignmentNow();
  summarySelect.replaceChildren(
    ...data.rows.map((one, at) => option(String(at), `${one.instance} · ${one.system}`, one === row)),
  );
  referenceSelect.replaceChildren(
    ...row.alignments.map((one, at) => option(String(at + 1), `${at + 1} of ${row.alignments.length}`, one === alignment)),
  );
  values.replaceChildren(
    ...Object.entries(alignment.values).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, number(value, 4)))),
  );
  info.textContent = "Point at a cell, or focus one and use the arrow keys.";
  place.replaceChildren(
    alignment.summary.length && alignment.reference.length
      ? matrix(alignment)
      : el("p", { class: "faded" }, "One of the texts has no token that is compared."),
  );
}

function change(some) {
  Object.assign(state, some);
  writeState(state, defaults);
  draw();
}

function linksCsv() {
  return csv([
    ["input", "system", "reference", "kind", "summary_token", "reference_token", "closeness", "weight"],
    ...data.rows.flatMap((row) =>
      row.alignments.flatMap((one, at) =>
        one.links.map((link) => [row.instance, row.system, at + 1, link.kind, one.summary[link.summary], one.reference[link.reference], one.closeness[link.summary][link.reference], link.amount]),
      ),
    ),
  ]);
}

summarySelect.addEventListener("change", () => {
  change({ summary: summarySelect.value });
  say(`${rowNow().instance}, ${rowNow().system}`);
});
referenceSelect.addEventListener("change", () => change({ reference: referenceSelect.value }));
onStateChange(() => {
  Object.assign(state, readState(defaults));
  draw();
});

const moved = data.rows.some((row) => row.alignments.some((one) => one.measure === "distance"));
shell(
  data,
  count(data.rows.length, "summary", "summaries") + (data.left_out ? ` · ${data.left_out.toLocaleString("en-US")} more left out` : ""),
  section(
    "Tokens",
    moved
      ? "Distances of every two words; a stronger colour is closer. ● weight that the earth mover’s distance moves there."
      : "Cosines of every two tokens; a stronger colour is closer. P the match of a summary’s token, R that of a reference’s token.",
    el("div", { class: "controls" }, field("summary", summarySelect), field("reference", referenceSelect)),
    values,
    place,
    info,
  ),
  section(
    "How it was made",
    null,
    el("p", { class: "signature" }, data.signature),
    el(
      "div",
      { class: "controls downloads" },
      downloadButton("Links (CSV)", "links.csv", "text/csv", linksCsv),
      downloadButton("All data (JSON)", "embeddings.json", "application/json", () => JSON.stringify(data)),
    ),
  ),
);
draw();

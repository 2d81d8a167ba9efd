// The report of ROUGE matches: a list of summaries, and one of them word by word.

import { drawSegments, el, field, option, say } from "../dom.js";
import { count } from "../format.js";
import { downloadButton } from "../download.js";
import { matchesCsv, scoresCsv } from "./downloads.js";
import { drawList, filterList, list, markCurrent, step } from "./list.js";
import {
  PARTS,
  PART_NAMES,
  change,
  comparedRow,
  data,
  measureOf,
  referenceOf,
  reread,
  rowNow,
  state,
  variantNow,
  viewOf,
} from "./state.js";
import { implementationTable, measureTable, sharedSentence } from "./tables.js";
import { comparison, legend } from "./texts.js";
import { onStateChange } from "../state.js";
import { shell } from "../shell.js";

const profileSelect = el("select", { id: "profile" });
const referenceSelect = el("select", { id: "reference" });
const compareSelect = el("select", { id: "compare" });
const partSelect = el("select", { id: "part" });
const formsBox = el("input", { type: "checkbox", id: "forms" });
const search = el("input", { type: "search", id: "find", placeholder: "lead3 rouge-2>10" });
const segments = el("div", { class: "segments" });
const view = el("div"),
  result = el("div"),
  title = el("h2", { id: "view-title" });

function shortName(measure) {
  return measure
    .replace(/^rouge-/, "")
    .toUpperCase()
    .replace("LSUM", "Lsum");
}

function drawControls() {
  const row = rowNow(),
    variantAt = variantNow();
  const variant = data.variants[variantAt];
  profileSelect.replaceChildren(
    ...data.variants.map((one, at) => option(one.name, one.name, at === variantAt)),
  );
  referenceSelect.replaceChildren(
    ...row.references.map((_, at) =>
      option(String(at + 1), `${at + 1} of ${row.references.length}`, at === referenceOf(row)),
    ),
  );
  const others = data.rows.filter((one) => one.instance === row.instance && one !== row);
  compareSelect.replaceChildren(
    option("", "none", !comparedRow(row)),
    ...others.map((one) => option(one.system, one.system, one === comparedRow(row))),
  );
  partSelect.replaceChildren(...PARTS.map((part) => option(part, PART_NAMES[part], part === state.part)));
  formsBox.checked = Boolean(state.forms);
  search.value = state.find;
  drawSegments(segments, "measure", variant.measures, variant.measures[measureOf(variantAt)], (name) => [
    el("span", { class: "unseen" }, name),
    el("span", { "aria-hidden": "true" }, shortName(name)),
  ]);
}

function whyTheyDiffer(row) {
  const measure = data.variants[variantNow()].measures[measureOf(variantNow())];
  const mixed = new Set(data.variants.map((variant) => variant.scale)).size > 1;
  const scales = mixed ? ` All F1 are on the scale of ${data.variants[variantNow()].name}.` : "";
  return [
    el("h3", {}, "Why implementations differ"),
    el(
      "p",
      { class: "note small" },
      `${measure} of the same pair by each implementation, and the words of the reference that it counts in addition (+) or does not count (−).${scales}`,
    ),
    implementationTable(row),
  ];
}

function drawRow() {
  const row = rowNow(),
    variant = data.variants[variantNow()],
    other = comparedRow(row);
  title.replaceChildren(
    el("bdi", {}, row.instance),
    " · ",
    el("bdi", {}, row.system),
    ...(other ? [" and ", el("bdi", {}, other.system)] : []),
  );
  drawControls();
  markCurrent();
  result.replaceChildren(...[row, other].filter(Boolean).map(sharedSentence));
  view.replaceChildren(
    el("div", { class: other ? "two" : "one" }, comparison(viewOf(row)), other && comparison(viewOf(other))),
    legend(viewOf(row)),
    ...(data.variants.length > 1 ? whyTheyDiffer(row) : []),
    el("h3", {}, "All measures of this pair"),
    measureTable(row),
    el("h3", {}, "Method"),
    ...variant.signatures.map((line) => el("p", { class: "signature" }, line)),
  );
}

function draw() {
  drawControls();
  drawList();
  drawRow();
}

profileSelect.addEventListener("change", () => {
  change({ profile: profileSelect.value });
  draw();
});
referenceSelect.addEventListener("change", () => {
  change({ reference: referenceSelect.value });
  drawRow();
});
compareSelect.addEventListener("change", () => {
  change({ compare: compareSelect.value });
  drawRow();
});
partSelect.addEventListener("change", () => {
  change({ part: partSelect.value });
  drawList();
});
formsBox.addEventListener("change", () => {
  change({ forms: formsBox.checked ? "1" : "" });
  drawRow();
});
segments.addEventListener("change", (event) => {
  change({ measure: event.target.value });
  draw();
});
search.addEventListener("input", () => {
  change({ find: search.value });
  say(`${filterList()} summaries listed`);
});
onStateChange(() => {
  reread();
  draw();
});
// The links are for other tabs and for copying; a plain click changes the page in place.
list.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-input]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  change({ input: link.dataset.input, system: link.dataset.system });
  drawRow();
});
list.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !event.target.closest("a, .scroller")) return;
  event.preventDefault();
  step(by, drawRow);
});
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, select, .reading, summary")) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by) step(by, drawRow);
});

const instances = new Set(data.rows.map((row) => row.instance)).size;
const facts =
  [
    count(data.rows.length, "summary", "summaries"),
    count(instances, "input"),
    count(data.variants.length, "implementation"),
  ].join(" · ") + (data.left_out ? ` · ${count(data.left_out, "more input")} left out` : "");
const wide = matchMedia("(min-width: 62rem)").matches;
shell(
  data,
  facts,
  el(
    "div",
    { class: "layout" },
    el(
      "section",
      { class: "list", "aria-label": "Summaries" },
      el(
        "details",
        { open: wide },
        el("summary", {}, "Summaries"),
        el("div", { class: "controls" }, field("find", search), field("score", partSelect)),
        list,
        el("p", { class: "small note" }, "Scores are of all references together. ← and → go to the previous and the next summary."),
      ),
    ),
    el(
      "section",
      { "aria-labelledby": "view-title", class: "view" },
      title,
      result,
      el(
        "div",
        { class: "controls" },
        el("fieldset", {}, el("legend", {}, "measure"), segments),
        field("implementation", profileSelect),
        field("reference", referenceSelect),
        field("compare with", compareSelect),
        el("label", { class: "check" }, formsBox, "show stems"),
      ),
      view,
      el(
        "div",
        { class: "controls downloads" },
        downloadButton("Matches shown (CSV)", "matches.csv", "text/csv", matchesCsv),
        downloadButton("All scores (CSV)", "rouge.csv", "text/csv", scoresCsv),
        downloadButton("All data (JSON)", "rouge.json", "application/json", () => JSON.stringify(data)),
      ),
    ),
  ),
);
draw();

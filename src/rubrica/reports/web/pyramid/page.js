// The report of pyramids: units by weight, the texts they come from, and a score's arithmetic.

import { drawSegments, el, field, option, say } from "../dom.js";
import { count, number, percent } from "../format.js";
import { chartData, csv, downloadButton } from "../download.js";
import { annotatedPane, arithmetic, extras, missingUnits, resultSentence, tiers, unitList } from "./parts.js";
import { change, data, reread, state, textNow, textsOf, unitsIn, viewNow } from "./state.js";
import { onStateChange } from "../state.js";
import { shell } from "../shell.js";
import { sortableTable } from "../table.js";

// Pointing at a unit shows it everywhere; a click keeps it.

function light(id) {
  for (const node of stage.querySelectorAll("[data-units]"))
    node.classList.toggle("lit", id !== "" && node.dataset.units.split(" ").includes(id));
  for (const node of stage.querySelectorAll("[data-unit]"))
    node.classList.toggle("lit", id !== "" && node.dataset.unit === id);
}

function unitAt(event) {
  const node = event.target.closest?.("[data-unit], [data-units]");
  return node ? (node.dataset.unit ?? node.dataset.units.split(" ")[0]) : null;
}

const stage = el("div");
stage.addEventListener("pointerover", (event) => light(unitAt(event) ?? state.unit));
stage.addEventListener("pointerleave", () => light(state.unit));
stage.addEventListener("focusin", (event) => light(unitAt(event) ?? state.unit));
stage.addEventListener("focusout", () => light(state.unit));
stage.addEventListener("click", (event) => {
  const id = unitAt(event);
  if (id === null) return;
  change({ unit: state.unit === id ? "" : id });
  for (const node of stage.querySelectorAll(".unit"))
    node.setAttribute("aria-pressed", String(node.dataset.unit === state.unit));
  light(state.unit);
  const unit = viewNow().units.find((one) => String(one.id) === id);
  if (unit) say(`${unit.label}, weight ${unit.weight}${state.unit ? "" : ", released"}`);
});
stage.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const group = event.target.closest?.(".units, .tiers");
  if (!by || !group) return;
  event.preventDefault();
  const stops = [...group.querySelectorAll("button")];
  stops[Math.min(stops.length - 1, Math.max(0, stops.indexOf(event.target) + by))].focus();
});

// All texts of an input

function scoreTable(view) {
  return sortableTable({
    caption: `Scores of ${view.instance}`,
    rows: textsOf(view),
    sort: { key: "score", descending: true },
    columns: [
      {
        key: "name",
        label: "text",
        value: (one) => one.name,
        cell: (one) => [
          el(
            "button",
            {
              type: "button",
              class: "link",
              onclick: () => {
                change({ text: one.name });
                draw();
              },
            },
            el("bdi", {}, one.name),
          ),
          one.type === "reference" && el("span", { class: "tag" }, "reference"),
        ],
      },
      {
        key: "units",
        label: "units",
        number: true,
        value: (one) => one.weights.filter(([, weight]) => weight > 0).length,
      },
      { key: "found", label: "weight", number: true, value: (one) => one.found },
      { key: "ideal", label: "ideal", number: true, value: (one) => one.ideal.total },
      {
        key: "outside",
        label: "words outside",
        number: true,
        value: (one) => one.outside,
        cell: (one) => percent(one.outside),
      },
      {
        key: "score",
        label: "score",
        number: true,
        value: (one) => one.score,
        cell: (one) => number(one.score, 4),
      },
    ],
  }).node;
}

const inputSelect = el("select", { id: "input" }),
  textSelect = el("select", { id: "text" });
const shows = el("div", { class: "segments" });
const SHOWN = { all: "all", held: "expressed", missing: "missing" };

function draw() {
  const view = viewNow(),
    text = textNow(view);
  inputSelect.replaceChildren(
    ...data.pyramids.map((one) => option(one.instance, one.instance, one === view)),
  );
  textSelect.replaceChildren(
    ...textsOf(view).map((one) =>
      option(one.name, one.type === "reference" ? `${one.name} (reference)` : one.name, one === text),
    ),
  );
  drawSegments(shows, "show", Object.keys(SHOWN), state.show, (value) => SHOWN[value]);
  stage.replaceChildren(
    resultSentence(view, text),
    el(
      "div",
      { class: "overview" },
      el(
        "section",
        { "aria-label": "Pyramid", class: "panel" },
        el("h2", {}, "Pyramid"),
        tiers(view, text),
        el(
          "p",
          { class: "small faded" },
          "A block is a unit; filled: ",
          el("bdi", {}, text.name),
          " expresses it.",
        ),
        missingUnits(view, text),
        chartData("These units", "units.csv", () => unitsCsv(view, text)),
      ),
      el("section", { "aria-label": "Score", class: "panel" }, el("h2", {}, "Score"), arithmetic(text)),
    ),
    el(
      "div",
      { class: "halves" },
      el(
        "section",
        { "aria-label": "Units" },
        el("h2", {}, "Units"),
        el("fieldset", {}, el("legend", { class: "unseen" }, "units shown"), shows),
        unitList(view, text),
        extras(text),
      ),
      el(
        "section",
        { "aria-label": "Texts" },
        el("h2", {}, "Texts"),
        text.type !== "reference" && annotatedPane(view, text, true),
        view.references.map((one) =>
          annotatedPane(view, one, text.type === "reference" && one.name === text.name),
        ),
      ),
    ),
    el("section", { "aria-label": "All texts" }, el("h2", {}, "All texts of this input"), scoreTable(view)),
    el(
      "section",
      { "aria-label": "Method" },
      el("h2", {}, "Method"),
      el("p", { class: "signature" }, data.signature),
    ),
  );
  light(state.unit);
}

inputSelect.addEventListener("change", () => {
  change({ input: inputSelect.value, unit: "" });
  draw();
});
textSelect.addEventListener("change", () => {
  change({ text: textSelect.value });
  draw();
});
shows.addEventListener("change", (event) => {
  change({ show: event.target.value });
  draw();
});
onStateChange(() => {
  reread();
  draw();
});
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, select, .units, .tiers")) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const all = textsOf(viewNow()),
    next = all[all.indexOf(textNow(viewNow())) + by];
  if (next) {
    change({ text: next.name });
    draw();
    say(next.name);
  }
});

function unitsCsv(view, text) {
  const own = unitsIn(text);
  return csv([
    ["input", "text", "unit", "label", "weight", "expressed"],
    ...view.units.map((unit) => [view.instance, text.name, unit.id, unit.label, unit.weight, own.has(unit.id)]),
  ]);
}

function scoresCsv() {
  const head = ["input", "text", "type", "weight", "ideal", "score"];
  return csv([
    head,
    ...data.pyramids.flatMap((view) =>
      textsOf(view).map((one) => [view.instance, one.name, one.type, one.found, one.ideal.total, one.score]),
    ),
  ]);
}

const peers = data.pyramids.reduce((sum, view) => sum + view.peers.length, 0);
const units = data.pyramids.reduce((sum, view) => sum + view.units.length, 0);
shell(
  data,
  [
    count(data.pyramids.length, "pyramid"),
    count(units, "content unit"),
    peers ? count(peers, "annotated summary", "annotated summaries") : "no annotations",
  ].join(" · "),
  el(
    "div",
    { class: "controls top-controls" },
    field("input", inputSelect),
    field(peers ? "summary" : "reference", textSelect),
  ),
  stage,
  el(
    "div",
    { class: "controls downloads" },
    downloadButton("Scores (CSV)", "pyramid.csv", "text/csv", scoresCsv),
    downloadButton("All data (JSON)", "pyramid.json", "application/json", () => JSON.stringify(data)),
  ),
);
draw();

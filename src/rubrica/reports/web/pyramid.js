// The report of pyramids: units by weight, the texts they come from, and a score's arithmetic.

import { el, field, option, pageData, say } from "./dom.js";
import { count, number, percent } from "./format.js";
import { csv, downloadButton } from "./download.js";
import { onStateChange, readState, writeState } from "./state.js";
import { shell } from "./shell.js";
import { sortableTable } from "./table.js";

const data = pageData();
const defaults = { input: data.pyramids[0].instance, text: "", unit: "", show: "all" };
let state = readState(defaults);

function viewNow() {
  return data.pyramids.find((one) => one.instance === state.input) ?? data.pyramids[0];
}

function textsOf(view) {
  return [...view.peers, ...view.references.filter((one) => !view.peers.some((peer) => peer.name === one.name))];
}

function textNow(view) {
  const all = textsOf(view);
  return all.find((one) => one.name === state.text) ?? view.peers[0] ?? all[0];
}

function unitsIn(text) {
  return new Set(text.contributions.map((one) => one.unit));
}

// The pyramid: a tier per weight, a block per unit, filled where the text expresses it.

function tiers(view, text) {
  const own = unitsIn(text);
  const heights = [...new Set(view.units.map((unit) => unit.weight))].sort((a, b) => b - a);
  return el("div", { class: "tiers" }, heights.map((weight) => {
    const units = view.units.filter((unit) => unit.weight === weight);
    return el(
      "div", { class: "tier" },
      el("span", { class: "weight" }, `weight ${weight}`),
      el("div", { class: "blocks" }, units.map((unit) => el("button", {
        type: "button", class: own.has(unit.id) ? "block held" : "block", "data-unit": unit.id,
        "aria-label": `${unit.label}: ${own.has(unit.id) ? "expressed" : "missing"}`, title: unit.label,
      }))),
    );
  }));
}

// Score

function arithmetic(text) {
  if (text.score === null) return el("p", { class: "note" }, "One reference alone cannot be scored: there are no others.");
  const sum = (weights) => (weights.length ? weights.join(" + ") : "0");
  const { counts, size, weights, total } = text.ideal;
  return el(
    "div", { class: "arithmetic" },
    el("p", { class: "big" }, number(text.score, 4)),
    el("dl", {},
      el("dt", {}, `${text.name} expresses`),
      el("dd", {}, `${sum(text.weights.filter(([, weight]) => weight > 0).map(([, weight]) => weight))} = `, el("strong", {}, String(text.found))),
      el("dt", {}, "an ideal summary of average size"),
      el("dd", {}, `${sum(weights)} = `, el("strong", {}, String(total))),
      el("dt", {}, "its size"),
      el("dd", {}, `${counts.join(" + ")} units in ${counts.length} references: ${number(counts.reduce((a, b) => a + b, 0) / (counts.length || 1), 2)} on average, so ${size}`),
      el("dt", {}, "score"),
      el("dd", {}, `${text.found} ⁄ ${total} = ${number(text.score, 4)}`)),
    text.type === "reference" && el("p", { class: "note small" }, "A reference is judged by the pyramid of the other references."),
  );
}

// Texts with their units

function annotatedPane(view, text, main) {
  const weights = new Map(view.units.map((unit) => [unit.id, unit.weight]));
  const highest = Math.max(1, ...weights.values());
  const edges = new Set([0, text.text.length]);
  for (const one of text.contributions) for (const [start, end] of one.spans) { edges.add(start); edges.add(end); }
  const cuts = [...edges].sort((a, b) => a - b);
  const body = el("p", { dir: "auto" });
  cuts.slice(0, -1).forEach((start, at) => {
    const end = cuts[at + 1];
    const inside = text.contributions.filter((one) => one.spans.some(([a, b]) => a <= start && end <= b)).map((one) => one.unit);
    const piece = text.text.slice(start, end);
    if (!inside.length) { body.append(piece); return; }
    const heaviest = Math.max(...inside.map((id) => weights.get(id) ?? 0));
    const heat = heaviest === 0 ? 0 : Math.max(1, Math.ceil((3 * heaviest) / highest));
    body.append(el("mark", { class: `span heat-${heat}${inside.length > 1 ? " many" : ""}`, "data-units": inside.join(" ") }, piece));
  });
  if (!text.text.trim()) body.append(el("span", { class: "faded" }, "(empty)"));
  return el(
    "article", { class: main ? "panel pane main" : "panel pane" },
    el("h3", {}, el("bdi", {}, text.name), text.type === "reference" && el("span", { class: "tag" }, "reference")),
    el("div", { class: "text", lang: "" }, body),
    main && el("p", { class: "small faded" }, `${percent(text.outside)} of its words express no unit.`),
  );
}

// Units

function unitList(view, text) {
  const own = unitsIn(text);
  const shown = view.units.filter((unit) => state.show === "all" || (state.show === "held") === own.has(unit.id));
  const items = shown.map((unit) => el(
    "li", {},
    el(
      "button", { type: "button", class: own.has(unit.id) ? "unit held" : "unit", "data-unit": unit.id, "aria-pressed": String(state.unit === String(unit.id)) },
      el("span", { class: "pips", "aria-label": `weight ${unit.weight}`, role: "img" }, "▮".repeat(unit.weight)),
      el("span", { class: "label", lang: "" }, el("bdi", {}, unit.label)),
      el("span", { class: "who" }, unit.references.map((at) => el("bdi", { class: "tag" }, view.references[at].name))),
      el("span", { class: "status" }, own.has(unit.id) ? "✓ expressed" : "○ missing"),
    ),
  ));
  return el("ol", { class: "units" }, items.length ? items : el("li", { class: "faded" }, "none"));
}

function extras(text) {
  if (!text.unknown.length || text.type === "reference") return null;
  return el("div", {}, el("h3", {}, "Units the pyramid lacks"), el("p", { class: "note small" }, "They were annotated, but count nothing."), el("ul", {}, text.unknown.map(([id, label]) => el("li", { lang: "" }, el("bdi", {}, label || String(id))))));
}

// Pointing at a unit shows it everywhere; a click keeps it.

function light(id) {
  for (const node of view_.querySelectorAll("[data-units]")) node.classList.toggle("lit", id !== "" && node.dataset.units.split(" ").includes(id));
  for (const node of view_.querySelectorAll("[data-unit]")) node.classList.toggle("lit", id !== "" && node.dataset.unit === id);
}

function unitAt(event) {
  const node = event.target.closest?.("[data-unit], [data-units]");
  return node ? node.dataset.unit ?? node.dataset.units.split(" ")[0] : null;
}

const view_ = el("div");
view_.addEventListener("pointerover", (event) => light(unitAt(event) ?? state.unit));
view_.addEventListener("pointerleave", () => light(state.unit));
view_.addEventListener("focusin", (event) => light(unitAt(event) ?? state.unit));
view_.addEventListener("focusout", () => light(state.unit));
view_.addEventListener("click", (event) => {
  const id = unitAt(event);
  if (id === null) return;
  change({ unit: state.unit === id ? "" : id });
  for (const node of view_.querySelectorAll(".unit")) node.setAttribute("aria-pressed", String(node.dataset.unit === state.unit));
  light(state.unit);
  const unit = viewNow().units.find((one) => String(one.id) === id);
  if (unit) say(`${unit.label}, weight ${unit.weight}${state.unit ? "" : ", released"}`);
});
view_.addEventListener("keydown", (event) => {
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
      { key: "name", label: "text", value: (one) => one.name, cell: (one) => [el("button", { type: "button", class: "link", onclick: () => { change({ text: one.name }); draw(); } }, el("bdi", {}, one.name)), one.type === "reference" && el("span", { class: "tag" }, "reference")] },
      { key: "units", label: "units", number: true, value: (one) => one.weights.filter(([, weight]) => weight > 0).length },
      { key: "found", label: "weight", number: true, value: (one) => one.found },
      { key: "ideal", label: "ideal", number: true, value: (one) => one.ideal.total },
      { key: "outside", label: "words outside", number: true, value: (one) => one.outside, cell: (one) => percent(one.outside) },
      { key: "score", label: "score", number: true, value: (one) => one.score, cell: (one) => number(one.score, 4) },
    ],
  }).node;
}

const inputSelect = el("select", { id: "input" }), textSelect = el("select", { id: "text" });
const shows = el("div", { class: "segments" });

function draw() {
  const view = viewNow(), text = textNow(view);
  inputSelect.replaceChildren(...data.pyramids.map((one) => option(one.instance, one.instance, one === view)));
  textSelect.replaceChildren(...textsOf(view).map((one) => option(one.name, one.type === "reference" ? `${one.name} (reference)` : one.name, one === text)));
  const focused = shows.contains(document.activeElement);
  shows.replaceChildren(...[["all", "all"], ["held", "expressed"], ["missing", "missing"]].map(([value, label]) => {
    const radio = el("input", { type: "radio", name: "show", value });
    radio.checked = state.show === value;
    return el("label", {}, radio, label);
  }));
  if (focused) shows.querySelector(":checked")?.focus();
  view_.replaceChildren(
    el("div", { class: "overview" },
      el("section", { "aria-label": "Pyramid", class: "panel" }, el("h2", {}, "Pyramid"), tiers(view, text), el("p", { class: "small faded" }, "A block is a unit; filled: ", el("bdi", {}, text.name), " expresses it.")),
      el("section", { "aria-label": "Score", class: "panel" }, el("h2", {}, "Score"), arithmetic(text))),
    el("div", { class: "halves" },
      el("section", { "aria-label": "Units" }, el("h2", {}, "Units"), el("fieldset", {}, el("legend", { class: "unseen" }, "units shown"), shows), unitList(view, text), extras(text)),
      el("section", { "aria-label": "Texts" }, el("h2", {}, "Texts"), text.type !== "reference" && annotatedPane(view, text, true), view.references.map((one) => annotatedPane(view, one, text.type === "reference" && one.name === text.name)))),
    el("section", { "aria-label": "All texts" }, el("h2", {}, "All texts of this input"), scoreTable(view)),
    el("section", { "aria-label": "How it was made" }, el("h2", {}, "How it was made"), el("p", { class: "signature" }, data.signature)),
  );
  light(state.unit);
}

function change(some) {
  state = { ...state, ...some };
  writeState(state, defaults);
}

inputSelect.addEventListener("change", () => { change({ input: inputSelect.value, unit: "" }); draw(); });
textSelect.addEventListener("change", () => { change({ text: textSelect.value }); draw(); });
shows.addEventListener("change", (event) => { change({ show: event.target.value }); draw(); });
onStateChange(() => { state = readState(defaults); draw(); });
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, select, .units, .tiers")) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const all = textsOf(viewNow()), next = all[all.indexOf(textNow(viewNow())) + by];
  if (next) { change({ text: next.name }); draw(); say(next.name); }
});

function scoresCsv() {
  const head = ["input", "text", "type", "weight", "ideal", "score"];
  return csv([head, ...data.pyramids.flatMap((view) => textsOf(view).map((one) => [view.instance, one.name, one.type, one.found, one.ideal.total, one.score]))]);
}

const peers = data.pyramids.reduce((sum, view) => sum + view.peers.length, 0);
const units = data.pyramids.reduce((sum, view) => sum + view.units.length, 0);
shell(
  data, [count(data.pyramids.length, "pyramid"), count(units, "content unit"), peers ? count(peers, "annotated summary", "annotated summaries") : "no annotations"].join(" · "),
  el("div", { class: "controls top-controls" }, field("input", inputSelect), field(peers ? "summary" : "reference", textSelect)),
  view_,
  el("div", { class: "controls downloads" }, downloadButton("Scores (CSV)", "pyramid.csv", "text/csv", scoresCsv), downloadButton("All data (JSON)", "pyramid.json", "application/json", () => JSON.stringify(data))),
);
draw();

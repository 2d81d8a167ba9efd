// One sample, whole: its source and references, every system's summary with the matches of a measure, and all scores.

import { el, field, option } from "../dom.js";
import { foreign, textBlock } from "../foreign.js";
import { digitsFor } from "../format.js";
import { matchesOf } from "../rouge/match-model.js";
import { comparison, legend, textPane } from "../rouge/texts.js";
import { explanation, explanationNote } from "./explained.js";
import { flagForm } from "./flag.js";
import { scoresTable } from "./scores.js";
import { change, state } from "./state.js";

const NONE = "";
const BEFORE = "@before";

// `reload()` asks the server again, for a choice that it answers.
export function sampleView(sample, reload) {
  const place = el("div");
  function draw() {
    const nodes = parts(sample, draw, reload);
    place.replaceChildren(contents(nodes), ...nodes);
  }
  draw();
  return place;
}

// A sample of many systems is long: buttons lead to its parts.
function contents(nodes) {
  const headings = nodes.filter((node) => node.matches("h3"));
  const goTo = (heading) => {
    heading.tabIndex = -1;
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  return el(
    "nav",
    { class: "contents", "aria-label": "Parts of the sample" },
    el(
      "ul",
      {},
      headings.map((heading) =>
        el("li", {}, el("button", { type: "button", class: "link", onclick: () => goTo(heading) }, heading.textContent)),
      ),
    ),
  );
}

function parts(sample, draw, reload) {
  const chosen = sample.summaries.find(({ system }) => system === sample.system);
  return [
    flagForm(sample.flag),
    controls(sample, chosen, draw, reload),
    differencesOf(sample),
    ...summaryParts(sample, chosen),
    el("h3", {}, "Scores"),
    scoresTable(sample, chosen),
    unitsOf(sample),
    ...sourceOf(sample),
  ].filter(Boolean);
}

function select(label, values, now, onchange, shown = (value) => value) {
  const node = el("select", {}, values.map((value) => option(value, shown(value), value === now)));
  node.addEventListener("change", () => onchange(node.value));
  return field(label, node);
}

function controls(sample, chosen, draw, reload) {
  const systems = sample.summaries.map(({ system }) => system).filter((system) => system !== chosen.system);
  const others = sample.before ? [BEFORE, ...systems] : systems;
  const nodes = [];
  const measures = matchingMeasures(sample);
  if (measures.length) {
    nodes.push(
      select("matches of", measures, chosenMeasure(sample), (measure) => {
        change({ measure });
        draw();
      }),
    );
  }
  if (sample.references.length > 1)
    nodes.push(
      select(
        "reference",
        sample.references.map((_, at) => String(at + 1)),
        String(referenceAt(sample) + 1),
        (reference) => {
          change({ reference });
          draw();
        },
        (value) => `${value} of ${sample.references.length}`,
      ),
    );
  if (others.length)
    nodes.push(
      select(
        "differences from",
        [NONE, ...others],
        others.includes(state.other) ? state.other : NONE,
        (other) => {
          change({ other });
          reload();
        },
        (value) => (value === BEFORE ? "the run before" : value || "no other system"),
      ),
    );
  return el("div", { class: "controls" }, nodes);
}

// ROUGE's measures, and the metric that explains its scores, if it has what it needs.
function matchingMeasures({ matches, explained, references }) {
  const explains = explained && (explained.kind === "units" || references.length > 0);
  return [...(matches?.variants[0].measures ?? []), ...(explains ? [explained.by] : [])];
}

function chosenMeasure(sample) {
  const measures = matchingMeasures(sample);
  return measures.includes(state.measure) ? state.measure : measures[0];
}

function referenceAt(sample) {
  return Math.min(sample.references.length, Math.max(1, Number(state.reference) || 1)) - 1;
}

function viewOf({ matches }, row, sample) {
  const at = matches.variants[0].measures.indexOf(state.measure);
  return {
    report: matches,
    row,
    variantAt: 0,
    measureAt: Math.max(0, at),
    referenceAt: Math.min(row.references.length - 1, referenceAt(sample)),
    digits: digitsFor(row.scores[0].flat()),
    forms: false,
  };
}

// The chosen summary against the reference, then all others, each with its own matches.
function summaryParts(sample, chosen) {
  const rowOf = ({ system }) => sample.matches?.rows.find((row) => row.system === system);
  const row = rowOf(chosen);
  const explained = sample.explained !== null && chosenMeasure(sample) === sample.explained.by;
  const others = sample.summaries.filter(({ system }) => system !== chosen.system);
  const view = row && viewOf(sample, row, sample);
  return [
    ...(explained && chosen.summary !== null
      ? [explainedPanes(sample, chosen), explanation(sample, chosen, referenceAt(sample))]
      : [view ? comparison(view) : plainPane(chosen), view && legend(view), explanationNote(sample)]),
    others.length > 0 && el("h3", {}, "Other systems"),
    others.length > 0 && el("div", { class: "side-by-side" }, others.map((summary) => otherPane(sample, summary, explained ? null : rowOf(summary)))),
  ];
}

// The summary beside the reference or, where units are checked by the source, beside the source.
function explainedPanes(sample, chosen) {
  const bySource = sample.explained.kind === "units" && sample.documents.length > 0;
  const other = bySource ? documentPane(sample, 0) : sample.references.length > 0 && referencePane(sample, referenceAt(sample));
  return el("div", { class: "side-by-side" }, plainPane(chosen), other);
}

function otherPane(sample, summary, row) {
  if (!row) return plainPane(summary);
  const view = viewOf(sample, row, sample);
  const matches = matchesOf(view.report, row, 0, view.referenceAt, view.measureAt);
  return textPane({ view, matches }, "summary", titleOf(summary), row.text).pane;
}

function titleOf(summary) {
  return [foreign(summary.system), summary.type === "reference" && el("span", { class: "tag" }, "reference")];
}

function plainPane(summary) {
  return el("article", { class: "pane panel" }, el("h3", {}, titleOf(summary)), el("div", {}, plainText(summary)));
}

function plainText({ summary, languages }) {
  if (summary === null) return el("p", { class: "faded" }, "No file opened here has the text. Drop one that does.");
  return textBlock(linesOf(summary), languages.summary);
}

function linesOf(text) {
  return typeof text === "string" ? text : text.join("\n");
}

// Two summaries word by word: what only one of them says is marked.
function differencesOf(sample) {
  const isBefore = state.other === BEFORE && sample.before;
  if (!isBefore && !sample.summaries.some(({ system }) => system === state.other)) return null;
  if (!sample.differences)
    return el("p", { class: "note" }, "One of the two summaries has no text here, or they are too long to compare word by word.");
  const sides = [sample.system, isBefore ? sample.system : state.other].map((system, at) => {
    const summary = sample.summaries.find((candidate) => candidate.system === system);
    const words = sample.differences[at].map(([changed, text]) =>
      changed ? [el("mark", { class: "only" }, text.trimEnd()), text.slice(text.trimEnd().length)] : text,
    );
    return el(
      "article",
      { class: "pane panel" },
      el("h3", {}, titleOf(summary), at === 1 && isBefore && el("span", { class: "tag" }, "the run before")),
      el("div", { class: "text", lang: summary.languages.summary || null }, el("p", { dir: "auto" }, words)),
    );
  });
  return el(
    "div",
    { class: "differences" },
    el("h3", {}, "Differences"),
    el("div", { class: "side-by-side" }, sides),
    el("p", { class: "legend small" }, el("span", {}, el("mark", { class: "only" }, "only in this summary"))),
  );
}

function unitsOf({ units, system, input }) {
  if (!units.length) return null;
  const expressed = units.filter((unit) => unit.systems.includes(system)).length;
  return el(
    "details",
    { class: "units" },
    el("summary", {}, `Content units: ${expressed} of ${units.length} expressed`),
    el(
      "ul",
      {},
      units.map((unit) =>
        el(
          "li",
          { class: unit.systems.includes(system) ? null : "missed" },
          el("strong", {}, unit.systems.includes(system) ? "✓ " : "✗ "),
          foreign(unit.label),
          el("span", { class: "faded" }, ` weight ${unit.weight}; ${unit.systems.length ? `in ${unit.systems.join(", ")}` : "in no summary"}`),
        ),
      ),
    ),
    el("p", {}, el("a", { href: `/pyramid?${new URLSearchParams({ input })}` }, "The whole pyramid")),
  );
}

function referencePane({ references, languages }, at) {
  return el(
    "article",
    { class: "pane panel" },
    el("h3", {}, references.length > 1 ? `Reference ${at + 1} of ${references.length}` : "Reference"),
    el("div", {}, textBlock(linesOf(references[at]), languages.references[at] || languages.summary)),
  );
}

function documentPane({ input, documents }, at) {
  const label = documents.length > 1 ? `Source document ${at + 1} of ${documents.length}` : "Source document";
  return el(
    "article",
    { class: "pane panel" },
    el("h3", {}, label),
    el("div", { class: "source", tabindex: "0", role: "group", "aria-label": `${label} of ${input}` }, textBlock(linesOf(documents[at]))),
  );
}

function sourceOf(sample) {
  const nodes = sample.references.map((_, at) => referencePane(sample, at));
  const sources = sample.documents.map((_, at) => documentPane(sample, at));
  return [
    sources.length > 0 && el("h3", {}, "Source"),
    sources.length > 0 && el("div", { class: "side-by-side" }, sources),
    nodes.length > 0 && el("h3", {}, "References"),
    nodes.length > 0 && el("div", { class: "side-by-side" }, nodes),
  ];
}

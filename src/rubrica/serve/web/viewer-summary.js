// One summary: its text with the matches, or as it stands, and its scores.

import { el, field, option } from "./dom.js";
import { foreign, textBlock } from "./foreign.js";
import { digitsFor, number } from "./format.js";
import { comparison, legend } from "./rouge-texts.js";
import { change, state } from "./viewer-state.js";

export function summaryView(one) {
  const scores = Object.entries(one.scores).filter(([, value]) => value !== null);
  return [
    el("h2", {}, foreign(one.input), " · ", foreign(one.system)),
    textOf(one),
    scores.length > 0 &&
      el(
        "dl",
        { class: "scores all" },
        scores.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, number(value, digitsFor([value]))))),
      ),
  ].filter(Boolean);
}

function textOf(one) {
  if (one.matches) return matchesView(one.matches);
  if (one.summary === null) return el("p", { class: "faded" }, "No file opened here has the text. Drop one that does.");
  const text = typeof one.summary === "string" ? one.summary : one.summary.join("\n");
  return textBlock(text, one.languages.summary);
}

function matchesView(report) {
  const [row] = report.rows,
    [variant] = report.variants;
  const place = el("div"),
    measure = el("select"),
    reference = el("select");
  function draw() {
    const shown = {
      report,
      row,
      variantAt: 0,
      measureAt: Math.max(0, variant.measures.indexOf(state.measure)),
      referenceAt: Math.min(row.references.length, Math.max(1, Number(state.reference) || 1)) - 1,
      digits: 2,
      forms: false,
    };
    measure.replaceChildren(...variant.measures.map((name, at) => option(name, name, at === shown.measureAt)));
    reference.replaceChildren(
      ...row.references.map((_, at) => option(String(at + 1), `${at + 1} of ${row.references.length}`, at === shown.referenceAt)),
    );
    place.replaceChildren(comparison(shown), legend(shown));
  }
  measure.addEventListener("change", () => {
    change({ measure: measure.value });
    draw();
  });
  reference.addEventListener("change", () => {
    change({ reference: reference.value });
    draw();
  });
  draw();
  return el("div", {}, el("div", { class: "controls" }, field("matches of", measure), field("reference", reference)), place);
}

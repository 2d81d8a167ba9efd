// The matches of one row, of the measure and with the reference that are chosen here and kept in the address.

import { el, field, option } from "../dom.js";
import { digitsFor } from "../format.js";
import { comparison, legend } from "./texts.js";

// `address`: {state, change} of the page, with `measure` and `reference` (from 1) among what it keeps.
export function chosenMatches(report, row, { state, change }) {
  const [variant] = report.variants;
  const measure = el("select"),
    reference = el("select"),
    place = el("div");
  function draw() {
    const view = {
      report,
      row,
      variantAt: 0,
      measureAt: Math.max(0, variant.measures.indexOf(state.measure)),
      referenceAt: Math.min(row.references.length, Math.max(1, Number(state.reference) || 1)) - 1,
      digits: digitsFor(row.scores[0].flat()),
      forms: false,
    };
    measure.replaceChildren(...variant.measures.map((name, at) => option(name, name, at === view.measureAt)));
    reference.replaceChildren(
      ...row.references.map((_, at) => option(String(at + 1), `${at + 1} of ${row.references.length}`, at === view.referenceAt)),
    );
    place.replaceChildren(comparison(view), legend(view));
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

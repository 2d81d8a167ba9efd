// How the metric that the viewer was started with came to its score: links between tokens, or checked units.

import { drawSegments, el } from "../dom.js";
import { flow } from "../embeddings/flow.js";
import { linksTable } from "../embeddings/matrix.js";
import { foreign } from "../foreign.js";
import { number } from "../format.js";
import { ask, change, state } from "./state.js";
import { drawUnits } from "./units.js";

// The same sample is drawn again when another kind of links is chosen.
let last = { address: "", answer: null };

// A place that fills when the server has the answer, which may take a model some seconds.
export function explanation(sample, summary, referenceAt) {
  const { by, kind } = sample.explained;
  const place = el("div", { class: "explained" }, el("p", { class: "faded", role: "status" }, `Asking ${by} …`));
  const address = `/explained?${new URLSearchParams({ input: sample.input, system: summary.system, reference: String(referenceAt + 1) })}`;
  const languages = { summary: summary.languages.summary, reference: summary.languages.references[referenceAt] || summary.languages.summary };
  answerAt(address).then(
    (answer) => (kind === "units" ? drawUnits(place, by, answer, languages) : drawLinks(place, summary, referenceAt, answer, languages)),
    (error) => place.replaceChildren(el("p", { class: "trouble", role: "alert" }, error.message)),
  );
  return place;
}

async function answerAt(address) {
  if (last.address !== address) last = { address, answer: await ask(address) };
  return last.answer;
}

function drawLinks(place, summary, referenceAt, { alignment, signature }, languages) {
  const kinds = [...new Set(alignment.links.map((link) => link.kind))];
  const scores = Object.entries(alignment.values).map(([name, value]) => `${name} ${number(value, 4)}`);
  const result = el("p", {}, foreign(summary.system), ` against reference ${referenceAt + 1}: `, el("strong", {}, scores.join(", ")), ".");
  if (!kinds.length) {
    place.replaceChildren(result, el("p", { class: "faded" }, "One of the texts has no tokens to compare."));
    return;
  }
  const segments = el("div", { class: "segments" }),
    drawing = el("div"),
    info = el("p", { class: "info", role: "status", "data-idle": "Point at a token, or focus one and use the arrow keys." });
  function draw() {
    const kind = kinds.includes(state.kind) ? state.kind : kinds[0];
    const pair = { alignment, kind, languages, links: alignment.links.filter((link) => link.kind === kind) };
    drawSegments(segments, "kind", kinds, kind);
    info.textContent = info.dataset.idle;
    drawing.replaceChildren(
      flow(pair, info),
      info,
      el("details", {}, el("summary", {}, "Links as a table, costliest first"), linksTable(pair)),
    );
  }
  segments.addEventListener("change", (event) => {
    change({ kind: /** @type {HTMLInputElement} */ (event.target).value });
    draw();
  });
  place.replaceChildren(
    ...[
      result,
      kinds.length > 1 && el("div", { class: "controls" }, el("fieldset", {}, el("legend", {}, "links for"), segments)),
      drawing,
      el("p", { class: "signature" }, signature),
    ].filter(Boolean),
  );
  draw();
}

// Without a metric that explains its scores: how to get one.
export function explanationNote(sample) {
  if (sample.explained) return null;
  return el(
    "p",
    { class: "small faded" },
    "To see which tokens an embedding metric matches, or which sentences a judge does not find supported, start the viewer with that metric: ",
    el("code", {}, "rubrica open FILES -m bertscore,model_type=MODEL"),
    " or ",
    el("code", {}, "-m judge,prompt=sentence-faithfulness,model=MODEL"),
    ".",
  );
}

// One summary: its text with the matches, or as it stands, and its scores.

import { el } from "./dom.js";
import { foreign, textBlock } from "./foreign.js";
import { digitsFor, number } from "./format.js";
import { chosenMatches } from "./rouge-choice.js";
import { change, state } from "./viewer-state.js";

export function summaryView(sample) {
  const summary = sample.summaries.find(({ system }) => system === sample.system);
  const scores = Object.entries(summary.scores).filter(([, value]) => value !== null);
  return [
    el("h2", {}, foreign(sample.input), " · ", foreign(summary.system)),
    textOf(summary, sample.matches),
    scores.length > 0 &&
      el(
        "dl",
        { class: "scores all" },
        scores.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, number(value, digitsFor([value]))))),
      ),
  ].filter(Boolean);
}

function textOf(summary, matches) {
  const row = matches?.rows.find(({ system }) => system === summary.system);
  if (row) return chosenMatches(matches, row, { state, change });
  if (summary.summary === null) return el("p", { class: "faded" }, "No file opened here has the text. Drop one that does.");
  const text = typeof summary.summary === "string" ? summary.summary : summary.summary.join("\n");
  return textBlock(text, summary.languages.summary);
}

// One summary: its text with the matches, or as it stands, and its scores.

import { el } from "./dom.js";
import { foreign, textBlock } from "./foreign.js";
import { digitsFor, number } from "./format.js";
import { chosenMatches } from "./rouge-choice.js";
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
  if (one.matches) return chosenMatches(one.matches, one.matches.rows[0], { state, change });
  if (one.summary === null) return el("p", { class: "faded" }, "No file opened here has the text. Drop one that does.");
  const text = typeof one.summary === "string" ? one.summary : one.summary.join("\n");
  return textBlock(text, one.languages.summary);
}

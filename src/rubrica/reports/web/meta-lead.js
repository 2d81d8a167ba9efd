// The result in words: which metric agrees best with people, and how surely.

import { el } from "./dom.js";
import { namesList } from "./foreign.js";
import { number } from "./format.js";
import { COEFFICIENT_NAMES, rankingNow, spanText } from "./meta-state.js";
import { lead } from "./shell.js";

export function resultSentence() {
  const { standings, human, level, coefficient } = rankingNow();
  const [first] = standings;
  const name = COEFFICIENT_NAMES[coefficient];
  if (first.value === null) return lead(`No metric has a defined ${name} with ${human} at the ${level} level.`);
  const best = standings.filter((one) => one.value === first.value).map((one) => one.metric);
  return lead(
    el("strong", {}, namesList(best)),
    ` agree${best.length === 1 ? "s" : ""} best with ${human} at the ${level} level: ${name} `,
    el("strong", {}, number(first.value, 3)),
    best.length === 1 && first.lower !== null && ` (${spanText(first)})`,
    ".",
    testsSentence(first, standings.length - 1, best.length > 1),
  );
}

function testsSentence(first, others, tied) {
  if (others < 1) return "";
  const who = tied ? `Of these, ${first.metric}` : "It";
  const beaten = first.beats.length;
  if (!beaten) return ` ${who} is not significantly better than any other metric.`;
  return ` ${who} is significantly better than ${beaten === others ? "all" : `${beaten} of the`} ${others} other metrics.`;
}

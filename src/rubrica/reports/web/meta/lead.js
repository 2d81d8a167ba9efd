// The result in words: which metric agrees best with people, and how surely.

import { el } from "../dom.js";
import { namesList } from "../foreign.js";
import { number, shareOfOthers } from "../format.js";
import { COEFFICIENT_NAMES, data, rankingNow, spanText } from "./state.js";
import { lead } from "../shell.js";

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
    best.length === 1 && first.lower !== null && ` (${spanText(first).replaceAll(" ", "\u00a0")})`,
    ".",
    testsSentence(standings, best.length),
  );
}

// Rounds that let an adjusted p reach alpha, where those of the run are too few for any; null where they suffice.
function roundsNeeded({ adjusted, standings }) {
  if (standings.some((one) => one.beats.length)) return null;
  const { hypothesis_test: test, p_value: rule, correction, rounds } = data.config;
  if (!/^(permutation|bootstrap)-/.test(test ?? "") || rule !== "plus-one") return null;
  if (!["none", "holm"].includes(correction)) return null;
  const tests = correction === "none" ? 1 : adjusted.flat().filter((p) => p !== null).length;
  return tests / (1 + rounds) > data.alpha ? 1000 * Math.ceil(tests / data.alpha / 1000) : null;
}

function testsSentence(standings, tied) {
  const [first] = standings,
    others = standings.length - 1;
  if (others < 1) return "";
  const needed = roundsNeeded(rankingNow());
  if (needed)
    return ` ${data.config.rounds.toLocaleString("en-US")} rounds are too few to tell ${standings.length} metrics apart: no adjusted p can reach ${Number(data.alpha.toPrecision(6))}. --rounds ${needed} would do.`;
  if (tied > 1 && standings.slice(0, tied).every((one) => !one.beats.length))
    return " None of them is significantly better than any other metric.";
  const who = tied > 1 ? `Of these, ${first.metric}` : "It";
  const beaten = first.beats.length;
  if (!beaten) return ` ${who} is not significantly better than any other metric.`;
  return ` ${who} is significantly better than ${shareOfOthers(beaten, others, "metric")}.`;
}

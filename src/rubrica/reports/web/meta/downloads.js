// What the page of a meta-evaluation gives to take along.

import { csv } from "../download.js";
import { MEASURES, data, humanNow } from "./state.js";

export function rankingsCsv(rankings = data.rankings) {
  const columns = ["metric", "value", "lower", "upper", "n", "defined", "undefined", "undefined_rounds", "cluster", "sign"];
  return csv([
    ["human", "level", "coefficient", ...columns, "beats"],
    ...rankings.flatMap((one) =>
      one.standings.map((standing) => [
        one.human,
        one.level,
        one.coefficient,
        ...columns.map((name) => standing[name]),
        standing.beats.join(" "),
      ]),
    ),
  ]);
}

export function testsCsv(rankings = data.rankings) {
  return csv([
    ["human", "level", "coefficient", "metric", "other", "p", "p_adjusted"],
    ...rankings.flatMap((one) =>
      one.standings.flatMap((better, a) =>
        one.standings
          .map((worse, b) => [one.human, one.level, one.coefficient, better.metric, worse.metric, one.p_values[a][b], one.adjusted[a][b]])
          .filter((_, b) => a !== b),
      ),
    ),
  ]);
}

export function curvesCsv(curves = data.curves) {
  return csv([
    ["human", "metric", "curve", "x", "tau_b"],
    ...curves.flatMap((one) => [
      ...one.top.map(([x, y]) => [one.human, one.metric, "best systems", x, y]),
      ...one.close.map(([x, y]) => [one.human, one.metric, "share of closest pairs", x, y]),
    ]),
  ]);
}

export function meansCsv() {
  return csv([
    ["system", "measure", "mean", "lower", "upper"],
    ...data.systems.flatMap((system, s) =>
      MEASURES.map((measure) => {
        const { value, lower, upper } = data.means[measure.at][s];
        return [system, measure.name, value, lower, upper];
      }),
    ),
  ]);
}

export function scoresCsv() {
  return csv([
    ["system", "input", ...MEASURES.map((measure) => measure.name)],
    ...data.systems.flatMap((system, s) =>
      data.inputs.map((input, i) => [system, input, ...MEASURES.map((measure) => data.values[measure.at][s][i])]),
    ),
  ]);
}

// The curves of one chart, `top` or `close`, for the human score that is shown.
export function curveCsv(key) {
  return curvesCsv(data.curves.filter((one) => one.human === humanNow()).map((one) => ({ ...one, [key === "top" ? "close" : "top"]: [] })));
}

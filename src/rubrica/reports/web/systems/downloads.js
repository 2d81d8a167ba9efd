// What the page of systems gives to take along.

import { csv } from "../download.js";
import { MEASURES, SYSTEMS, data, interval, measureNow, valuesOf } from "./state.js";

export function scoresCsv(measures = MEASURES) {
  const head = ["system", "measure", "score", "lower", "upper"];
  return csv([
    head,
    ...SYSTEMS.flatMap((system) =>
      measures.map((measure) => {
        const { value, lower, upper } = interval(system, measure);
        return [system.name, measure.name, value, lower, upper];
      }),
    ),
  ]);
}

export function pairsCsv(measures = MEASURES) {
  const head = ["measure", "system", "other", "inputs", "difference", "p", "p_adjusted", "p_adjusted_system_baseline", "p_adjusted_other_baseline"];
  return csv([
    head,
    ...measures.flatMap((measure) =>
      data.pairs[measure.at].map((pair) => [
        measure.name,
        data.systems[pair.one],
        data.systems[pair.other],
        pair.inputs,
        pair.difference,
        pair.p,
        pair.p_adjusted,
        pair.p_against_one,
        pair.p_against_other,
      ]),
    ),
  ]);
}

export function rowsCsv() {
  const head = ["system", "input", ...data.measures.map((measure) => measure.name)];
  return csv([
    head,
    ...SYSTEMS.flatMap((system) =>
      data.inputs.map((input, at) => [system.name, input, ...data.values[system.at][at]]),
    ),
  ]);
}

// The ticks of the measure that is shown: one row for each system and input.
export function measureCsv() {
  const measure = measureNow();
  const rows = SYSTEMS.flatMap((system) =>
    valuesOf(system, measure).map((value, at) => [system.name, data.inputs[at], measure.name, value]),
  );
  return csv([["system", "input", "measure", "score"], ...rows]);
}

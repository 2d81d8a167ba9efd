// Numbers as people read them. Undefined values are a dash.

export function number(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(digits);
  // Nothing is a little less than zero.
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

// Digits that tell values of this size apart: 42.45, but 0.4245.
export function digitsFor(values) {
  const largest = Math.max(0, ...values.filter((value) => value !== null).map(Math.abs));
  return largest > 1.5 ? 2 : 4;
}

export function signed(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  return value > 0 ? `+${number(value, digits)}` : number(value, digits);
}

export function probability(value) {
  if (value === null || value === undefined) return "–";
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}

export function percent(share) {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)}\u00a0%`;
}

export function count(value, one, many = `${one}s`) {
  return `${value.toLocaleString("en-US")} ${value === 1 ? one : many}`;
}

// How many of all others: "the other measure", "both other measures", "3 of the 5 other measures". Of a single other,
// none is a sentence of its own.
export function shareOfOthers(some, all, noun) {
  if (all === 1) return `the other ${noun}`;
  if (all === 2) return [`neither of the other ${noun}s`, `one of the two other ${noun}s`, `both other ${noun}s`][some];
  return `${some === all ? "all" : `${some || "none"} of the`} ${all} other ${noun}s`;
}

// Counts are whole numbers but for ROUGE-W, whose runs are weighted.
export function countText(value) {
  return value === null || Number.isInteger(value) ? String(value ?? "–") : number(value, 2);
}

import assert from "node:assert/strict";
import test from "node:test";

import { count, countText, digitsFor, number, percent, probability, shareOfOthers, signed } from "../../src/rubrica/reports/web/format.js";

test("a number has a real minus sign, and no sign when it rounds to zero", () => {
  assert.equal(number(-1.5), "−1.50");
  assert.equal(number(-0.001), "0.00");
  assert.equal(number(null), "–");
  assert.equal(signed(0.25), "+0.25");
  assert.equal(signed(-0.25), "−0.25");
  assert.equal(signed(undefined), "–");
});

test("digits follow the scale: 42.45, but 0.4245", () => {
  assert.equal(digitsFor([42.45, null, 3]), 2);
  assert.equal(digitsFor([0.4, -0.2]), 4);
  assert.equal(digitsFor([]), 4);
});

test("small probabilities are bounded, not rounded to zero", () => {
  assert.equal(probability(0.0004), "< 0.001");
  assert.equal(probability(0.001), "0.001");
  assert.equal(probability(null), "–");
});

test("shares and counts read as words", () => {
  assert.equal(percent(0.125), "12.5\u00a0%");
  assert.equal(count(1, "input"), "1 input");
  assert.equal(count(1200, "input"), "1,200 inputs");
  assert.equal(count(2, "summary", "summaries"), "2 summaries");
  assert.equal(countText(3), "3");
  assert.equal(countText(2.345), "2.35");
  assert.equal(countText(null), "–");
});

test("how many of the others is grammatical for none, one, two and many", () => {
  assert.equal(shareOfOthers(1, 1, "measure"), "the other measure");
  assert.equal(shareOfOthers(2, 2, "measure"), "both other measures");
  assert.equal(shareOfOthers(5, 5, "measure"), "all 5 other measures");
  assert.equal(shareOfOthers(1, 5, "measure"), "1 of the 5 other measures");
  assert.equal(shareOfOthers(0, 5, "measure"), "none of the 5 other measures");
  assert.equal(shareOfOthers(0, 2, "measure"), "neither of the other measures");
  assert.equal(shareOfOthers(1, 2, "system"), "one of the two other systems");
});

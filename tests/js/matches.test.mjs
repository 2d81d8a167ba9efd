import assert from "node:assert/strict";
import test from "node:test";

import { listMatches } from "../../src/rubrica/reports/web/rouge/match-rules.js";

const text = (...units) => {
  const words = units.map((unit) => unit.split(" "));
  return { units: words, tokens: words.flat() };
};
const plain = { distinct: false, pltrdy_l: false };

test("a repeated word matches as often as the other text has it", () => {
  const { counted, clipped } = listMatches("n1", text("the cat the the"), text("the cat the"), plain);
  assert.equal(counted.length, 3);
  assert.equal(clipped.summary.length, 1);
});

test("bigrams match only in their order", () => {
  const { counted } = listMatches("n2", text("a b c"), text("b c a"), plain);
  assert.equal(counted.length, 1);
});

test("rouge-l marks the words of one longest common subsequence", () => {
  const { counted } = listMatches("l", text("police kill the gunman"), text("police killed the gunman"), plain);
  assert.equal(counted.length, 3);
});

test("skip-bigrams with unigrams count every word but the last, as ROUGE-1.5.5 does", () => {
  const skips = listMatches("s4", text("a b c"), text("a b c"), plain).counted.length;
  const both = listMatches("su4", text("a b c"), text("a b c"), plain).counted.length;
  assert.equal(skips, 3);
  assert.equal(both, 5);
});

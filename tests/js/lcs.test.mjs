import assert from "node:assert/strict";
import test from "node:test";

import { lcsPath, weightedPath } from "../../src/rubrica/reports/web/rouge/lcs.js";

// The length of a longest common subsequence, by its definition.
function lcsLength(a, b) {
  const rows = [new Array(b.length + 1).fill(0)];
  for (const token of a) {
    const above = rows.at(-1);
    const row = [0];
    for (let j = 1; j <= b.length; j += 1)
      row.push(token === b[j - 1] ? above[j - 1] + 1 : Math.max(above[j], row[j - 1]));
    rows.push(row);
  }
  return rows.at(-1).at(-1);
}

// Whole numbers that look random and are the same in every run.
function* numbers(seed) {
  for (let x = seed; ; ) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x >>> 16;
  }
}

test("a path is as long as the table says, rises on both sides and pairs equal tokens", () => {
  const random = numbers(7);
  const next = (limit) => random.next().value % limit;
  for (let turn = 0; turn < 300; turn += 1) {
    // Up to 100 tokens: more than three words of 32 bits.
    const [a, b] = [next(101), next(101)].map((size) => Array.from({ length: size }, () => next(1 + (turn % 12))));
    const path = lcsPath(a, b);
    assert.equal(path.length, lcsLength(a, b));
    path.forEach(([i, j], at) => {
      assert.equal(a[i], b[j]);
      if (at > 0) assert.ok(i < path[at - 1][0] && j < path[at - 1][1]);
    });
  }
});

test("with weights a run is worth more than the same words apart", () => {
  const powers = Array.from({ length: 8 }, (_, k) => k ** 1.2);
  const [reference, summary] = [[..."abcd"], [..."abxcabcd"]];
  assert.deepEqual(weightedPath(reference, summary, powers).reverse(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
});

test("texts without common tokens, and empty ones, have an empty path", () => {
  assert.deepEqual(lcsPath([], []), []);
  assert.deepEqual(lcsPath(["a"], ["b"]), []);
  assert.deepEqual(weightedPath(["a"], [], [0, 1]), []);
});

import assert from "node:assert/strict";
import test from "node:test";

import { sortedBy } from "../../src/rubrica/reports/web/table.js";

const self = (value) => value;

test("undefined values come last in both directions", () => {
  assert.deepEqual(sortedBy([2, null, 1], self, false), [1, 2, null]);
  assert.deepEqual(sortedBy([2, null, 1], self, true), [2, 1, null]);
});

test("names sort by the numbers in them", () => {
  assert.deepEqual(sortedBy(["d10", "d9", "d1"], self, false), ["d1", "d9", "d10"]);
});

test("equal rows keep their order, and the rows given stay as they are", () => {
  const rows = [{ k: 1, at: 0 }, { k: 0, at: 1 }, { k: 1, at: 2 }];
  assert.deepEqual(sortedBy(rows, (row) => row.k, true).map((row) => row.at), [0, 2, 1]);
  assert.deepEqual(rows.map((row) => row.at), [0, 1, 2]);
});

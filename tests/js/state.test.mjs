import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { addressState, readState } from "../../src/rubrica/reports/web/state.js";

const DEFAULTS = { measure: "rouge-1.f1", order: "" };

beforeEach(() => {
  globalThis.location = { hash: "" };
  globalThis.history = {
    replaceState(_state, _title, address) {
      globalThis.location.hash = address;
    },
  };
});

test("the address holds what differs from the defaults, whatever its letters", () => {
  const { change } = addressState(DEFAULTS);
  change({ order: "a&b=c d#é" });
  assert.deepEqual(readState(DEFAULTS), { measure: "rouge-1.f1", order: "a&b=c d#é" });
  change({ order: "" });
  assert.equal(location.hash, "#");
});

test("names that a page does not know are left out", () => {
  location.hash = "#measure=chrf&constructor=x&other=y";
  assert.deepEqual(readState(DEFAULTS), { measure: "chrf", order: "" });
});

test("a page takes over an address that changes", () => {
  const { state, reread } = addressState(DEFAULTS);
  location.hash = "#measure=chrf";
  reread();
  assert.equal(state.measure, "chrf");
});

import assert from "node:assert/strict";
import test from "node:test";

import { csv } from "../../src/rubrica/reports/web/download.js";

test("cells with commas, quotes and line breaks are quoted", () => {
  assert.equal(csv([["a", "b,c", 'd"e', "f\ng"]]), 'a,"b,c","d""e","f\ng"\n');
});

test("texts that spreadsheets would run as formulas stay texts; numbers stay numbers", () => {
  assert.equal(csv([["=1+1", "@x", "-y", "+z", -1.5]]), "'=1+1,'@x,'-y,'+z,-1.5\n");
  assert.equal(csv([['=HYPERLINK("x")']]), `"'=HYPERLINK(""x"")"\n`);
});

test("undefined values are empty cells", () => {
  assert.equal(csv([[null, undefined, 0]]), ",,0\n");
});

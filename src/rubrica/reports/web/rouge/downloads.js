// What the page of ROUGE matches gives to take along.

import { csv } from "../download.js";
import { matchesOf, wordsOf } from "./match-model.js";
import { comparedRow, data, measureOf, referenceOf, rowNow, variantNow } from "./state.js";

export function scoresCsv() {
  const head = ["input", "system", "type", "profile", "scale", "measure", "recall", "precision", "f1"];
  return csv([
    head,
    ...data.rows.flatMap((row) =>
      data.variants.flatMap((variant, v) =>
        variant.measures.map((measure, m) => [
          row.instance,
          row.system,
          row.type,
          variant.name,
          variant.scale,
          measure,
          ...row.scores[v][m],
        ]),
      ),
    ),
  ]);
}

// Every match that is shown, with its words; a place is the number of a token, from 1.
export function matchesCsv() {
  const head = ["input", "system", "reference", "profile", "measure", "value"];
  const rows = [rowNow(), comparedRow(rowNow())].filter(Boolean);
  return csv([
    [...head, "summary", "in_reference", "summary_places", "reference_places"],
    ...rows.flatMap(matchRows),
  ]);
}

function matchRows(row) {
  const variantAt = variantNow(),
    measureAt = measureOf(variantAt),
    referenceAt = referenceOf(row);
  const variant = data.variants[variantAt];
  const [ours, theirs] = [row.text, row.references[referenceAt]].map((textAt) =>
    wordsOf(data, variantAt, textAt).words.filter((word) => word.token !== null),
  );
  const named = (words, places) => places.map((place) => words[place].shown).join(" ");
  const counted = (places) => places.map((place) => place + 1).join(" ");
  const found = matchesOf(data, row, variantAt, referenceAt, measureAt)?.counted ?? [];
  return found.map(({ summary, reference, value }) => [
    row.instance,
    row.system,
    referenceAt + 1,
    variant.name,
    variant.measures[measureAt],
    value,
    named(ours, summary),
    named(theirs, reference),
    counted(summary),
    counted(reference),
  ]);
}

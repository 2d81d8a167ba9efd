// Tables of one pair: all its measures, and the same measure by every implementation.

import { el } from "../dom.js";
import { foreign, languageOf } from "../foreign.js";
import { countText, number } from "../format.js";
import { marksOf, matchesOf, wordsOf } from "./match-model.js";
import {
  DIGITS,
  PARTS,
  PART_NAMES,
  data,
  measureOf,
  referenceOf,
  state,
  variantNow,
} from "./state.js";
import { lead } from "../shell.js";
import { sortableTable } from "../table.js";

const COUNTED = {
  n1: "words",
  n2: "word pairs",
  l: "words in sequence",
  lsum: "words in sequence",
  w: "weighted words in sequence",
  s: "skip-bigrams",
  su: "skip-bigrams and words",
};

function countedName(kind) {
  return COUNTED[kind] ?? COUNTED[kind.replace(/[\d*]+$/, "")] ?? `${kind.slice(1)}-grams`;
}

// The pair that is shown, in a sentence.
export function sharedSentence(row) {
  const variantAt = variantNow(),
    measureAt = measureOf(variantAt),
    referenceAt = referenceOf(row);
  const variant = data.variants[variantAt];
  const { counts, scores } = row.pairs[variantAt][referenceAt];
  const [hits, inReference] = counts[measureAt];
  return lead(
    foreign(row.system),
    ` has ${countText(hits)} of the ${countText(inReference)} ${countedName(variant.kinds[measureAt])} of reference ${referenceAt + 1}: ${variant.measures[measureAt]} F1 `,
    el("strong", {}, number(scores[measureAt][2], DIGITS[variantAt])),
    ".",
  );
}

export function measureTable(row) {
  const variantAt = variantNow(),
    now = measureOf(variantAt),
    digits = DIGITS[variantAt];
  const { counts, scores } = row.pairs[variantAt][referenceOf(row)];
  const rows = data.variants[variantAt].measures.map((name, at) => ({
    name,
    at,
    counts: counts[at],
    scores: scores[at],
  }));
  const column = (key, label, value, cell) => ({
    key,
    label,
    number: true,
    value,
    cell: (one) => cell(value(one)),
  });
  return sortableTable({
    caption: "All measures of this pair",
    rows,
    sort: { key: "order", descending: false },
    columns: [
      {
        key: "order",
        label: "measure",
        value: (one) => one.at,
        cell: (one) => [
          el("span", { class: "measure-name" }, one.name),
          one.at === now && el("span", { class: "tag" }, "shown"),
        ],
      },
      column("hits", "matches", (one) => one.counts[0], countText),
      column("inr", "in reference", (one) => one.counts[1], countText),
      column("ins", "in summary", (one) => one.counts[2], countText),
      ...PARTS.map((part, k) =>
        column(
          part,
          PART_NAMES[part],
          (one) => one.scores[k],
          (value) => number(value, digits),
        ),
      ),
    ],
  }).node;
}

// Words of the reference that a variant counted, by their place in it; null where that is not known.
function countedWords(row, variantAt) {
  const referenceAt = referenceOf(row),
    measureAt = data.variants[variantAt].measures.indexOf(state.measure);
  if (measureAt < 0) return null;
  const { words, literal } = wordsOf(data, variantAt, row.references[referenceAt]);
  if (!literal) return null;
  const matches = matchesOf(data, row, variantAt, referenceAt, measureAt);
  if (!matches) return null;
  const { hits } = marksOf(matches, "reference", data.variants[variantAt].kinds[measureAt]);
  return new Map(
    words.filter((word) => hits.has(word.token)).map((word) => [`${word.unit} ${word.start}`, word.shown]),
  );
}

function wordsApart(row, variantAt, here) {
  if (variantAt === variantNow()) return "shown above";
  const there = countedWords(row, variantAt);
  if (!here || !there) return "–";
  const only = (one, other, sign) =>
    [...one].filter(([place]) => !other.has(place)).map(([, word]) => ({ sign, word }));
  const apart = [...only(there, here, "+"), ...only(here, there, "−")];
  if (!apart.length) return "the same words";
  return el(
    "span",
    { lang: languageOf(data.languages[row.references[referenceOf(row)]]).lang },
    apart
      .slice(0, 10)
      .map(({ sign, word }, at) => [
        at > 0 && " ",
        // The sign stands outside: in a word from right to left it would come to the other side.
        el("span", { class: sign === "+" ? "gained" : "lost" }, sign, el("bdi", {}, word)),
      ]),
    apart.length > 10 && ` … ${apart.length - 10} more`,
  );
}

export function implementationTable(row) {
  const referenceAt = referenceOf(row),
    here = countedWords(row, variantNow()),
    // Of the implementation that is shown: a column never mixes scales.
    scale = data.variants[variantNow()].scale;
  const rows = data.variants.map((variant, at) => {
    const measureAt = variant.measures.indexOf(state.measure);
    const pair = row.pairs[at][referenceAt];
    return {
      variant,
      at,
      counts: measureAt < 0 ? null : pair.counts[measureAt],
      f1: measureAt < 0 ? null : (pair.scores[measureAt][2] / variant.scale) * scale,
    };
  });
  const table = sortableTable({
    caption: `${state.measure} by every implementation`,
    rows,
    sort: { key: "order", descending: false },
    columns: [
      {
        key: "order",
        label: "implementation",
        value: (one) => one.at,
        cell: (one) => [one.variant.name, el("span", { class: "origin" }, one.variant.origin)],
      },
      {
        key: "hits",
        label: "matches",
        number: true,
        value: (one) => one.counts?.[0] ?? null,
        cell: (one) => countText(one.counts?.[0] ?? null),
      },
      {
        key: "inr",
        label: "in reference",
        number: true,
        value: (one) => one.counts?.[1] ?? null,
        cell: (one) => countText(one.counts?.[1] ?? null),
      },
      {
        key: "ins",
        label: "in summary",
        number: true,
        value: (one) => one.counts?.[2] ?? null,
        cell: (one) => countText(one.counts?.[2] ?? null),
      },
      {
        key: "f1",
        label: `F1 (0–${scale})`,
        number: true,
        value: (one) => one.f1,
        cell: (one) => number(one.f1, DIGITS[variantNow()]),
      },
      {
        key: "apart",
        label: "words counted (+) or not (−)",
        value: (one) => one.at,
        cell: (one) => wordsApart(row, one.at, here),
      },
    ],
  });
  table.node.classList.add("implementations");
  return table.node;
}

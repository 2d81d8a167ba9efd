// One pair of texts: words with their places, and matches with their tokens, listed when asked for.

import { listMatches } from "./match-rules.js";

// The words of a text as a variant reads them: {unit, start, end, form, token}; token is the number
// under which matches know the word, null for a dropped one. As packed_texts.py packs them.
export function wordsOf(data, variantAt, textAt) {
  const seen = data.tokens[textAt][variantAt],
    forms = data.forms[variantAt],
    cut = data.cuts[seen.cut];
  const lines = cut.lines ?? data.texts[textAt];
  const words = [];
  let token = 0;
  cut.words.forEach((many, unit) => {
    let at = 0;
    for (const last = words.length + many; words.length < last; ) {
      const k = words.length;
      const start = at + cut.places[2 * k],
        end = start + cut.places[2 * k + 1];
      const shown = lines[unit].slice(start, end);
      const given = formOf(shown, k, seen, forms);
      const form = given === undefined ? shown.toLowerCase() : given;
      const changed = given !== undefined && given !== null;
      words.push({ unit, start, end, shown, form, changed, token: form === null ? null : token });
      if (form !== null) token += 1;
      at = end;
    }
  });
  return { units: lines, words, literal: cut.lines === null, sizes: seen.units };
}

// Undefined for a word that is compared as it stands, in lower case; null for a dropped one.
function formOf(shown, k, seen, forms) {
  if (k >= seen.end) return null;
  if (Object.hasOwn(seen.odd, k)) return seen.odd[k];
  return Object.hasOwn(forms, shown) ? forms[shown] : undefined;
}

// Tokens as numbers, equal for equal tokens, whole and cut into units.
function tokensOf({ words, sizes }, numbers) {
  const compared = words.filter((word) => word.token !== null);
  const tokens = compared.map(({ form }) => {
    if (!numbers.has(form)) numbers.set(form, numbers.size);
    return numbers.get(form);
  });
  const units = [];
  if (sizes) for (let at = 0, u = 0; u < sizes.length; at += sizes[u], u += 1) units.push(tokens.slice(at, at + sizes[u]));
  else compared.forEach(({ unit }, at) => (units[unit] ??= []).push(tokens[at]));
  return { tokens, units: units.filter((unit) => unit.length) };
}

// What measure number `measureAt` counted of a pair: {counted: [{summary, reference, value}],
// clipped: {summary, reference}}, or null where the list does not add up to the kernel's count:
// nothing is shown then that was not counted.
export function matchesOf(data, row, variantAt, referenceAt, measureAt) {
  const pair = row.pairs[variantAt][referenceAt];
  const known = remembered(pair);
  if (!known.has(measureAt)) {
    const variant = data.variants[variantAt],
      numbers = new Map();
    const [summary, reference] = [row.text, row.references[referenceAt]].map((textAt) =>
      tokensOf(wordsOf(data, variantAt, textAt), numbers),
    );
    const found = listMatches(variant.kinds[measureAt], summary, reference, variant, data.powers);
    const hits = found.counted.reduce((sum, match) => sum + match.value, 0);
    known.set(measureAt, hits === pair.counts[measureAt][0] ? found : null);
  }
  return known.get(measureAt);
}

// Lists of the pairs looked at last: one view asks for the same list several times.
const lists = new Map();
const MAX_LISTS = 24;

function remembered(pair) {
  const known = lists.get(pair) ?? new Map();
  lists.delete(pair);
  lists.set(pair, known);
  if (lists.size > MAX_LISTS) lists.delete(lists.keys().next().value);
  return known;
}

export function isSkip(kind) {
  return kind.startsWith("s");
}

// For one side: what is counted, clipped, and joined to its right neighbour by one match. Clipped
// skip-bigrams are many and tell little: they are not marked.
export function marksOf(matches, side, kind) {
  const hits = new Map(),
    joined = new Set();
  for (const match of matches?.counted ?? []) {
    const places = new Set(match[side]);
    for (const place of places) {
      if (!hits.has(place)) hits.set(place, []);
      hits.get(place).push(match);
      if (places.has(place + 1)) joined.add(place);
    }
  }
  return { hits, joined, clipped: new Set(isSkip(kind) ? [] : matches?.clipped[side].flat()) };
}

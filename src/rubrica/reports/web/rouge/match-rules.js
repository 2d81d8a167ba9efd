// Which tokens a ROUGE measure counts of two texts: tests hold it to a plain definition in Python.
//
// A text is {tokens, units}: numbers that stand for its tokens, and the same cut into units. A match
// is {summary, reference, value}: places of tokens that count together, and how much they count.

import { lcsPath, weightedPath } from "./lcs.js";

function unitStarts(units) {
  let at = 0;
  return units.map((unit) => (at += unit.length) - unit.length);
}

function ngramPlaces({ tokens }, size) {
  const found = new Map();
  for (let i = 0; i + size <= tokens.length; i += 1)
    addPlaces(found, tokens.slice(i, i + size), Array.from({ length: size }, (_, k) => i + k));
  return found;
}

function skipPlaces({ tokens }, gap, single) {
  const found = new Map();
  tokens.forEach((first, i) => {
    const end = Math.min(tokens.length, i + gap + 2);
    for (let j = i + 1; j < end; j += 1) addPlaces(found, [first, tokens[j]], [i, j]);
    // ROUGE-1.5.5 never counts the last token as a unigram.
    if (single && i < tokens.length - 1) addPlaces(found, [first], [i]);
  });
  return found;
}

function addPlaces(found, gram, places) {
  const key = gram.join(" ");
  if (!found.has(key)) found.set(key, []);
  found.get(key).push(places);
}

function comparePlaces(a, b) {
  if (a.length !== b.length) return a.length - b.length;
  const apart = a.findIndex((place, k) => place !== b[k]);
  return apart < 0 ? 0 : a[apart] - b[apart];
}

// The k-th occurrence here with the k-th there; what one side has more of is clipped.
function pairedPlaces(ours, theirs, distinct) {
  const counted = [],
    clipped = { summary: [], reference: [] };
  for (const [gram, here] of ours) {
    const there = theirs.get(gram);
    if (!there) continue;
    const used = distinct ? 1 : Math.min(here.length, there.length);
    for (let k = 0; k < used; k += 1) counted.push({ summary: here[k], reference: there[k], value: 1 });
    for (const places of here.slice(used)) clipped.summary.push(places);
    for (const places of there.slice(used)) clipped.reference.push(places);
  }
  counted.sort((a, b) => comparePlaces(a.summary, b.summary));
  clipped.summary.sort(comparePlaces);
  clipped.reference.sort(comparePlaces);
  return { counted, clipped };
}

// How often each token may be used: as often as both texts have it.
function budgetOf(summary, reference) {
  const countOf = ({ tokens }) => {
    const counts = new Map();
    for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
    return counts;
  };
  const [ours, theirs] = [countOf(summary), countOf(reference)];
  const left = new Map([...ours].map(([token, many]) => [token, Math.min(many, theirs.get(token) ?? 0)]));
  return (token) => {
    const many = left.get(token) ?? 0;
    left.set(token, many - 1);
    return many > 0;
  };
}

// For each token of a reference unit, the summary tokens that some unit's path pairs with it, in
// the order of the reference.
function partnersIn(summary, starts, unit, path) {
  const found = new Map();
  summary.units.forEach((other, at) => {
    for (const [i, j] of path(unit, other)) {
      if (!found.has(i)) found.set(i, []);
      found.get(i).push(starts[at] + j);
    }
  });
  return new Map([...found].sort(([a], [b]) => a - b));
}

function unionMatches(summary, reference) {
  const mayUse = budgetOf(summary, reference),
    starts = unitStarts(summary.units);
  const counted = [],
    clipped = [];
  unitStarts(reference.units).forEach((start, u) => {
    const unit = reference.units[u];
    for (const [i, places] of partnersIn(summary, starts, unit, lcsPath)) {
      if (mayUse(unit[i])) counted.push({ summary: places, reference: [start + i], value: 1 });
      else clipped.push([start + i]);
    }
  });
  return { counted, clipped: { summary: [], reference: clipped } };
}

function weightedMatches(summary, reference, powers) {
  const mayUse = budgetOf(summary, reference),
    starts = unitStarts(summary.units);
  const counted = [],
    clipped = [];
  const path = (unit, other) => weightedPath(unit, other, powers);
  unitStarts(reference.units).forEach((start, u) => {
    const unit = reference.units[u],
      partners = partnersIn(summary, starts, unit, path);
    let run = [];
    for (const i of partners.keys()) {
      // As the kernel: a token used up before neither lengthens nor ends the run, and a run that
      // waits in vain for its end is lost.
      if (!mayUse(unit[i])) {
        clipped.push([start + i]);
        continue;
      }
      run.push(i);
      if (partners.has(i + 1)) continue;
      const places = run.flatMap((k) => partners.get(k)).sort((a, b) => a - b);
      counted.push({ summary: places, reference: run.map((k) => start + k), value: powers[run.length] });
      run = [];
    }
    for (const k of run) clipped.push([start + k]);
  });
  return { counted, clipped: { summary: [], reference: clipped } };
}

function wholeMatches(summary, reference) {
  const counted = lcsPath(reference.tokens, summary.tokens)
    .reverse()
    .map(([i, j]) => ({ summary: [j], reference: [i], value: 1 }));
  return { counted, clipped: { summary: [], reference: [] } };
}

// Words on a subsequence of any two sentences: each word once, or every pair's whole length.
function pltrdyMatches(summary, reference, distinct) {
  const counted = [],
    clipped = [],
    seen = new Set(),
    starts = unitStarts(summary.units);
  unitStarts(reference.units).forEach((start, u) =>
    summary.units.forEach((other, at) => {
      // The package's tie rule is ours in the transposed table.
      for (const [j, i] of lcsPath(other, reference.units[u]).reverse()) {
        if (distinct && seen.has(other[j])) clipped.push([starts[at] + j]);
        else counted.push({ summary: [starts[at] + j], reference: [start + i], value: 1 });
        seen.add(other[j]);
      }
    }),
  );
  return { counted, clipped: { summary: clipped, reference: [] } };
}

// `kind` is the measure's as the variant names it: n1 … n4, l, lsum, w, s4, su4.
export function listMatches(kind, summary, reference, { distinct, pltrdy_l }, powers) {
  if (kind === "lsum") return unionMatches(summary, reference);
  if (kind === "w") return weightedMatches(summary, reference, powers);
  if (kind === "l") return pltrdy_l ? pltrdyMatches(summary, reference, distinct) : wholeMatches(summary, reference);
  const [, letters, digits] = kind.match(/^(n|su|s)(\d+|\*)$/);
  const size = digits === "*" ? Infinity : Number(digits);
  const places = (text) => (letters === "n" ? ngramPlaces(text, size) : skipPlaces(text, size, letters === "su"));
  return pairedPlaces(places(summary), places(reference), letters === "n" && distinct);
}

// The data of one pair of texts, unpacked: words with their places, matches with their tokens.

const UNPACK = {
  ngram(kind, packed) {
    const size = Number(kind.slice(1)), found = [];
    const run = (start) => Array.from({ length: size }, (_, k) => start + k);
    for (let k = 0; k < packed[0].length; k += 2) found.push({ summary: run(packed[0][k]), reference: run(packed[0][k + 1]) });
    return { counted: found, clipped: { summary: packed[1].flatMap(run), reference: packed[2].flatMap(run) } };
  },
  flat(size, list) {
    const found = [];
    for (let k = 0; k < list.length; k += 2 * size) found.push({ summary: list.slice(k, k + size), reference: list.slice(k + size, k + 2 * size) });
    return found;
  },
  listed(packed) {
    const counted = packed[0].map(([summary, reference]) => ({ summary, reference }));
    return { counted, clipped: { summary: packed[1], reference: packed[2] } };
  },
};

// What measure number `at` of a variant counted: {counted: [{summary, reference}], clipped: {...}}.
export function matchesOf(variant, pair, at) {
  const kind = variant.kinds[at], packed = pair.matches[at];
  const none = { summary: [], reference: [] };
  if (kind.startsWith("n")) return UNPACK.ngram(kind, packed);
  if (kind.startsWith("su")) {
    const bigrams = pair.matches[variant.kinds.indexOf(kind.replace("su", "s"))];
    return { counted: [...UNPACK.flat(2, bigrams[0]), ...UNPACK.flat(1, packed[0])], clipped: none };
  }
  if (kind.startsWith("s")) return { counted: UNPACK.flat(2, packed[0]), clipped: none };
  return UNPACK.listed(packed);
}

// The words of a text as a variant reads them: {unit, start, end, form, token}; token is the number
// under which matches know the word, null for a dropped one.
export function wordsOf(data, variantAt, textAt) {
  const seen = data.tokens[textAt][variantAt];
  const units = seen.units ?? data.texts[textAt];
  const words = [];
  let token = 0;
  for (let k = 0; k < seen.forms.length; k += 1) {
    const [unit, start, end] = seen.places.slice(3 * k, 3 * k + 3);
    const shown = units[unit].slice(start, end);
    const given = seen.forms[k];
    const form = given === 0 ? shown.toLowerCase() : given;
    words.push({ unit, start, end, shown, form, changed: given !== 0 && given !== "", token: form === "" ? null : token });
    if (form !== "") token += 1;
  }
  return { units, words, literal: seen.units === null };
}

// For one side: what is counted, clipped, and joined to its right neighbour by one match.
export function marksOf(matches, side) {
  const hits = new Map(), joined = new Set();
  for (const match of matches.counted) {
    const places = match[side];
    for (const place of places) {
      if (!hits.has(place)) hits.set(place, []);
      hits.get(place).push(match);
      if (places.length > 1 && places.includes(place + 1)) joined.add(place);
    }
  }
  return { hits, joined, clipped: new Set(matches.clipped[side]) };
}

// Texts by other people, in their own language and direction.

import { el } from "./dom.js";

const RIGHT_TO_LEFT = new Set(["Adlm", "Arab", "Aran", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]);

// Attributes of an element that holds a text: `lang` is what the data say, often nothing. Then the
// language is said to be unknown (not English, like the page), and the text's first letter decides
// on its direction.
export function languageOf(lang) {
  try {
    const locale = new Intl.Locale(lang);
    const script = locale.maximize().script;
    if (script) return { lang: String(locale), dir: RIGHT_TO_LEFT.has(script) ? "rtl" : "ltr" };
  } catch {
    /* no code of a language */
  }
  return { lang: "", dir: "auto" };
}

// A name or a word within a sentence of the page; without `lang` it is one of nobody's language.
export function foreign(text, lang) {
  return el("bdi", lang === undefined ? {} : { lang: languageOf(lang).lang }, text);
}

// A summary as it stands, line by line; one that is empty or not given says so.
export function textBlock(text, lang = "") {
  if (text === null) return el("p", { class: "faded" }, "(text not given)");
  if (!text.trim()) return el("p", { class: "faded" }, "(empty summary)");
  const attributes = languageOf(lang);
  return el(
    "div",
    { class: "text", lang: attributes.lang },
    text.split("\n").map((line) => el("p", { dir: attributes.dir }, line)),
  );
}

// In a sentence that is read out or shown: isolated, so that a word keeps its direction.
export function quoted(word) {
  return `“\u2068${word}\u2069”`;
}

const MAX_NAMES = 4;

// “a, b and c”, each isolated; of many the first few and their number.
export function namesList(names) {
  const shown = names.slice(0, names.length > MAX_NAMES ? MAX_NAMES - 1 : MAX_NAMES);
  const rest = names.length - shown.length;
  const parts = shown.map((name, at) => {
    const last = at === shown.length - 1 && rest === 0;
    return [at > 0 && (last ? " and " : ", "), foreign(name)];
  });
  return rest > 0 ? [...parts, ` and ${rest} more`] : parts;
}

// The sentences or units that a metric checked one by one, with what it decided about each.

import { el } from "../dom.js";
import { foreign } from "../foreign.js";
import { count, number } from "../format.js";

// Support from here on counts as support in the headline and the marks; the score uses the numbers themselves.
const SUPPORTED = 0.5;
const NOUNS = {
  sentences: ["sentence", "supported", "not supported"],
  summary: ["unit of the summary", "supported", "not supported", "units of the summary"],
  reference: ["unit of the references", "expressed", "missing", "units of the references"],
  document: ["unit of the documents", "expressed", "missing", "units of the documents"],
};

export function drawUnits(place, by, { source, units, share, bounds, signature }, languages) {
  const [one, yes, no, many] = NOUNS[source];
  const known = units.filter(({ support }) => support !== null);
  const supported = known.filter(({ support }) => support >= SUPPORTED).length;
  const result = el("p", {}, el("strong", {}, by), `: ${supported} of ${count(units.length, one, many)} ${yes}.`);
  const interval = bounds && ` (95\u00a0% interval ${number(bounds[0], 2)} to ${number(bounds[1], 2)})`;
  const unread = units.length - known.length;
  const language = source === "reference" ? languages.reference : source === "document" ? "" : languages.summary;
  place.replaceChildren(
    ...[
      units.length ? result : el("p", { class: "faded" }, `${by} lists no units of this summary.`),
      bounds && el("p", { class: "note" }, `Support by weight: ${number(share, 2)}${interval}.`),
      unread > 0 && el("p", { class: "note" }, `${count(unread, "answer")} could not be read.`),
      el("ul", { class: "checked" }, units.map((unit) => item(unit, yes, no, language))),
      units.length > 0 && el("p", { class: "small faded" }, `✗: support below ${SUPPORTED}.`),
      el("p", { class: "signature" }, signature),
    ].filter(Boolean),
  );
}

function item({ text, weight, support, label }, yes, no, language) {
  const good = support !== null && support >= SUPPORTED;
  const mark = support === null ? "?" : good ? "✓" : "✗";
  const words = support === null ? "no answer" : good ? yes : no;
  const details = [label || (support === null ? "" : number(support, 2)), weight !== 1 && `weight ${weight}`].filter(Boolean);
  return el(
    "li",
    { class: support === null || good ? null : "missed" },
    el("strong", { "aria-hidden": "true" }, mark),
    el("span", { class: "unseen" }, `${words}: `),
    el("span", { lang: language || null, dir: "auto" }, foreign(text)),
    details.length > 0 && el("span", { class: "tag" }, details.join(", ")),
  );
}

// The parts of a pyramid's page: tiers, arithmetic, texts with their units, the list of units.

import { el } from "../dom.js";
import { foreign, languageOf } from "../foreign.js";
import { count, number, percent } from "../format.js";
import { lead } from "../shell.js";
import { state, unitsIn } from "./state.js";

// The pyramid: a tier per weight, a block per unit, filled where the text expresses it.

export function tiers(view, text) {
  const own = unitsIn(text);
  const heights = [...new Set(view.units.map((unit) => unit.weight))].sort((a, b) => b - a);
  return el(
    "div",
    { class: "tiers", role: "group", "aria-label": `Units by weight; ${own.size} of ${view.units.length} are expressed` },
    heights.map((weight) => {
      const units = view.units.filter((unit) => unit.weight === weight);
      return el(
        "div",
        { class: "tier" },
        el("span", { class: "weight" }, `weight ${weight}`),
        el(
          "div",
          { class: "blocks" },
          units.map((unit) =>
            el("button", {
              type: "button",
              class: own.has(unit.id) ? "block held" : "block",
              "data-unit": unit.id,
              "aria-label": `${unit.label}: ${own.has(unit.id) ? "expressed" : "missing"}`,
              title: unit.label,
            }),
          ),
        ),
      );
    }),
  );
}

// Score

export function resultSentence(view, text) {
  const own = text.weights.filter(([, weight]) => weight > 0).length;
  const units = `${own} of ${count(view.units.length, "content unit")}`;
  if (text.score === null) return lead(foreign(text.name), ` expresses ${units}. There are no other references to score it by.`);
  return lead(
    foreign(text.name),
    ` expresses ${units}, with a weight of ${text.found}; an ideal summary of average size has ${text.ideal.total}: score `,
    el("strong", {}, number(text.score, 4)),
    ".",
  );
}

export function arithmetic(text) {
  if (text.score === null)
    return el("p", { class: "note" }, "One reference alone cannot be scored: there are no others.");
  const sum = (weights) => (weights.length ? weights.join(" + ") : "0");
  const { counts, size, weights, total } = text.ideal;
  return el(
    "div",
    { class: "arithmetic" },
    el("p", { class: "big" }, number(text.score, 4)),
    el(
      "dl",
      {},
      el("dt", {}, `${text.name} expresses`),
      el(
        "dd",
        {},
        `${sum(text.weights.filter(([, weight]) => weight > 0).map(([, weight]) => weight))} = `,
        el("strong", {}, String(text.found)),
      ),
      el("dt", {}, "an ideal summary of average size"),
      el("dd", {}, `${sum(weights)} = `, el("strong", {}, String(total))),
      el("dt", {}, "its size"),
      el(
        "dd",
        {},
        `${counts.join(" + ")} units in ${count(counts.length, "reference")}: ${number(counts.reduce((a, b) => a + b, 0) / (counts.length || 1), 2)} on average, so ${size}`,
      ),
      el("dt", {}, "score"),
      el("dd", {}, `${text.found} ⁄ ${total} = ${number(text.score, 4)}`),
    ),
    text.type === "reference" &&
      el("p", { class: "note small" }, "A reference is judged by the pyramid of the other references."),
  );
}

// Texts with their units

export function annotatedPane(view, text, main) {
  const weights = new Map(view.units.map((unit) => [unit.id, unit.weight]));
  const highest = Math.max(1, ...weights.values());
  const edges = new Set([0, text.text.length]);
  for (const one of text.contributions)
    for (const [start, end] of one.spans) {
      edges.add(start);
      edges.add(end);
    }
  const cuts = [...edges].sort((a, b) => a - b);
  const { lang, dir } = languageOf(text.language);
  const body = el("p", { dir });
  cuts.slice(0, -1).forEach((start, at) => {
    const end = cuts[at + 1];
    const inside = text.contributions
      .filter((one) => one.spans.some(([a, b]) => a <= start && end <= b))
      .map((one) => one.unit);
    const piece = text.text.slice(start, end);
    if (!inside.length) {
      body.append(piece);
      return;
    }
    const heaviest = Math.max(...inside.map((id) => weights.get(id) ?? 0));
    const heat = heaviest === 0 ? 0 : Math.max(1, Math.ceil((3 * heaviest) / highest));
    body.append(
      el(
        "mark",
        { class: `span heat-${heat}${inside.length > 1 ? " many" : ""}`, "data-units": inside.join(" ") },
        piece,
      ),
    );
  });
  if (!text.text.trim()) body.append(el("span", { class: "faded" }, "(empty)"));
  return el(
    "article",
    { class: main ? "panel pane main" : "panel pane" },
    el(
      "h3",
      {},
      el("bdi", {}, text.name),
      text.type === "reference" && el("span", { class: "tag" }, "reference"),
    ),
    el("div", { class: "text", lang }, body),
    main && el("p", { class: "small faded" }, `${percent(text.outside)} of its words express no unit.`),
  );
}

// Units

export function unitList(view, text) {
  const own = unitsIn(text);
  const shown = view.units.filter(
    (unit) => state.show === "all" || (state.show === "held") === own.has(unit.id),
  );
  const items = shown.map((unit) =>
    el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          class: own.has(unit.id) ? "unit held" : "unit",
          "data-unit": unit.id,
          "aria-pressed": String(state.unit === String(unit.id)),
        },
        el(
          "span",
          { class: "pips", "aria-label": `weight ${unit.weight}`, role: "img" },
          "▮".repeat(unit.weight),
        ),
        el("span", { class: "label" }, foreign(unit.label, view.language)),
        el(
          "span",
          { class: "who" },
          unit.references.map((at) => el("bdi", { class: "tag" }, view.references[at].name)),
        ),
        el("span", { class: "status" }, own.has(unit.id) ? "✓ expressed" : "○ missing"),
      ),
    ),
  );
  return el("ol", { class: "units" }, items.length ? items : el("li", { class: "faded" }, "none"));
}

// The heaviest units that the text does not express.
export function missingUnits(view, text, most = 3) {
  const own = unitsIn(text);
  const missing = view.units.filter((unit) => !own.has(unit.id));
  if (!missing.length) return el("p", { class: "small" }, "No unit is missing.");
  const shown = missing.slice(0, most);
  const rest = missing.length - shown.length;
  return el(
    "div",
    { class: "small" },
    el("h3", {}, "Missing, the heaviest first"),
    el(
      "ul",
      { class: "missing" },
      shown.map((unit) => el("li", {}, foreign(unit.label, view.language), ` (weight ${unit.weight})`)),
      rest > 0 && el("li", { class: "faded" }, `and ${rest} more`),
    ),
  );
}

export function extras(text) {
  if (!text.unknown.length || text.type === "reference") return null;
  return el(
    "div",
    {},
    el("h3", {}, "Units the pyramid lacks"),
    el("p", { class: "note small" }, "They were annotated, but count nothing."),
    el(
      "ul",
      {},
      text.unknown.map(([id, label]) => el("li", {}, foreign(label || String(id), text.language))),
    ),
  );
}

// One summary against one reference, word by word: what was counted is marked, partners show on demand.

import { el, say } from "../dom.js";
import { foreign, languageOf, quoted } from "../foreign.js";
import { countText, number } from "../format.js";
import { isSkip, marksOf, matchesOf, wordsOf } from "./match-model.js";

// `pair`: {view, matches}; draws one side of it. `connect` makes two sides answer pointer and keys.
export function textPane(pair, side, title, textAt) {
  const { report, variantAt, measureAt, forms } = pair.view;
  const { units, words, literal } = wordsOf(report, variantAt, textAt);
  const kind = report.variants[variantAt].kinds[measureAt],
    marks = marksOf(pair.matches, side, kind);
  const heat = isSkip(kind);
  const strongest = [...marks.hits.values()].reduce((most, list) => Math.max(most, list.length), 1);
  const nodes = new Map();
  const { lang, dir } = languageOf(report.languages[textAt]);
  const body = el("div", { class: "text", lang });
  const byLine = Map.groupBy(words, (word) => word.unit);
  units.forEach((unit, unitAt) => {
    const line = el("p", { dir });
    let at = 0,
      before = null;
    for (const word of byLine.get(unitAt) ?? []) {
      const gap = unit.slice(at, word.start);
      const band =
        before !== null &&
        before.token !== null &&
        marks.joined.has(before.token) &&
        word.token === before.token + 1;
      if (gap) line.append(band ? el("span", { class: "band" }, gap) : gap);
      line.append(wordNode(word, marks, heat ? strongest : 0, nodes, forms));
      at = word.end;
      before = word;
    }
    if (at < unit.length) line.append(unit.slice(at));
    if (!unit) line.append("\u00a0");
    body.append(line);
  });
  if (!words.length) body.append(el("p", { class: "faded" }, "(no words that this implementation reads)"));
  const pane = el(
    "article",
    { class: "pane panel" },
    el("h3", {}, title, !literal && el("span", { class: "tag" }, "shown as tokens")),
    el(
      "div",
      {
        class: "reading",
        tabindex: "0",
        role: "group",
        "aria-label": `${side} text; arrow keys go through its matches`,
      },
      body,
    ),
  );
  return { pane, nodes, words, marks, side, pair };
}

function wordNode(word, marks, strongest, nodes, forms) {
  const list = word.token === null ? [] : (marks.hits.get(word.token) ?? []);
  const kinds = ["token"];
  if (word.token === null) kinds.push("dropped");
  else if (list.length)
    kinds.push("hit", strongest ? `heat-${Math.ceil((3 * list.length) / strongest)}` : "heat-1");
  else if (marks.clipped.has(word.token)) kinds.push("clipped");
  const shown =
    forms && word.changed ? el("ruby", {}, word.shown, el("rt", {}, word.form)) : word.shown;
  const plain = kinds.length === 1;
  const node = el(
    plain || word.token === null ? "span" : "mark",
    { class: kinds.join(" "), tabindex: plain ? null : "-1" },
    shown,
  );
  if (word.token !== null) nodes.set(word.token, node);
  return node;
}

// Pointer, focus and arrow keys show what a word is matched with.
function connect(one, other, info) {
  const sides = [one, other];
  function show(pane, word) {
    clear();
    const list = word.token === null ? [] : (pane.marks.hits.get(word.token) ?? []);
    const partners = [];
    for (const match of list) {
      for (const part of sides)
        for (const place of match[part.side]) {
          const node = part.nodes.get(place);
          if (!node) continue;
          node.classList.add("partner");
          if (part !== pane && !partners.includes(node)) partners.push(node);
        }
    }
    pane.nodes.get(word.token)?.classList.add("active");
    const told = describe(pane, word, list, partners);
    info.textContent = told;
    info.classList.add("live");
    return told;
  }
  function clear() {
    for (const part of sides)
      for (const node of part.nodes.values()) node.classList.remove("partner", "active");
    info.textContent = info.dataset.idle;
    info.classList.remove("live");
  }
  for (const pane of sides) {
    const byNode = new Map(
      [...pane.words].filter((word) => word.token !== null).map((word) => [pane.nodes.get(word.token), word]),
    );
    const stops = [...byNode.keys()].filter((node) => node.hasAttribute("tabindex"));
    const area = pane.pane.querySelector(".reading");
    const find = (event) => byNode.get(event.target.closest?.(".token"));
    area.addEventListener("pointerover", (event) => {
      const word = find(event);
      if (word) show(pane, word);
    });
    area.addEventListener("pointerleave", clear);
    area.addEventListener("focusin", (event) => {
      const word = find(event);
      if (word) say(show(pane, word));
    });
    area.addEventListener("focusout", clear);
    area.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step || !stops.length) return;
      event.preventDefault();
      event.stopPropagation();
      const here = stops.indexOf(document.activeElement);
      stops[(here + step + (here < 0 && step < 0 ? 1 : 0) + stops.length) % stops.length].focus();
    });
  }
}

function describe(pane, word, list, partners) {
  const form = word.changed ? ` (compared as ${quoted(word.form)})` : "";
  const name = `${quoted(word.shown)}${form}`;
  if (!list.length)
    return pane.marks.clipped.has(word.token)
      ? `${name}: equal, but used up by an earlier match; not counted`
      : `${name}: no match`;
  const others = partners
    .slice(0, 8)
    .map((node) => quoted(node.firstChild?.firstChild?.textContent ?? node.textContent))
    .join(", ");
  const where = pane.side === "summary" ? "reference" : "summary";
  const times = list.length > 1 ? `, in ${list.length} matches` : "";
  return `${name} ↔ ${others}${partners.length > 8 ? ", …" : ""} in the ${where}${times}`;
}

// One summary against one reference

// view: {report, row, variantAt, measureAt, referenceAt, digits, forms}; report as rouge_matches.py makes it.
export function comparison(view) {
  const { report, row, variantAt, measureAt, referenceAt } = view;
  const pair = { view, matches: matchesOf(report, row, variantAt, referenceAt, measureAt) };
  const info = el("p", {
    class: "info",
    "data-idle": "Point at a word, or focus a text and use the arrow keys, to see what it is matched with.",
  });
  info.textContent = info.dataset.idle;
  const summary = textPane(
    pair,
    "summary",
    [foreign(row.system), row.type === "reference" && el("span", { class: "tag" }, "reference")],
    row.text,
  );
  const reference = textPane(
    pair,
    "reference",
    row.references.length > 1 ? `Reference ${referenceAt + 1} of ${row.references.length}` : "Reference",
    row.references[referenceAt],
  );
  connect(summary, reference, info);
  return el(
    "div",
    { class: "comparison" },
    scoreLine(pair),
    !pair.matches && el("p", { class: "trouble" }, NOT_LISTED),
    el("div", { class: "panes" }, summary.pane, reference.pane),
    info,
  );
}

const NOT_LISTED =
  "This browser lists other matches than were counted, so none are marked; the numbers are those of the count.";

function scoreLine({ view: { report, row, variantAt, measureAt, referenceAt, digits }, matches }) {
  const { counts, scores } = row.pairs[variantAt][referenceAt];
  const [ours, theirs] = ["summary", "reference"].map((side) => matches?.clipped[side].length ?? 0);
  const [hits, inReference, inSummary] = counts[measureAt];
  const [recall, precision, f1] = scores[measureAt];
  const weighted = report.variants[variantAt].kinds[measureAt] === "w";
  const fraction = (below, value) => [
    el("span", { class: "fraction" }, `${countText(hits)} ⁄ ${countText(below)}`),
    weighted ? " → " : " = ",
    el("strong", {}, number(value, digits)),
  ];
  const all = row.scores[variantAt][measureAt];
  return el(
    "dl",
    { class: "scores" },
    el("div", { class: "main" }, el("dt", {}, "F1"), el("dd", {}, number(f1, digits))),
    el("div", {}, el("dt", {}, "recall"), el("dd", {}, fraction(inReference, recall))),
    el("div", {}, el("dt", {}, "precision"), el("dd", {}, fraction(inSummary, precision))),
    ours + theirs > 0 &&
      el(
        "div",
        {},
        el("dt", {}, "equal, but used up"),
        el("dd", {}, `${ours} in the summary, ${theirs} in the reference`),
      ),
    row.references.length > 1 &&
      el(
        "div",
        {},
        el("dt", {}, `all ${row.references.length} references: R, P, F1`),
        el("dd", {}, all.map((value) => number(value, digits)).join(" · ")),
      ),
  );
}

export function legend({ report, variantAt, measureAt }) {
  const heat = isSkip(report.variants[variantAt].kinds[measureAt]);
  return el(
    "p",
    { class: "legend small" },
    el(
      "span",
      {},
      el("mark", { class: "token hit heat-1" }, "counted"),
      heat && " (darker: in more matches)",
    ),
    el("span", {}, el("mark", { class: "token clipped" }, "equal, but used up"), " (clipped)"),
    el("span", {}, el("span", { class: "token dropped" }, "dropped"), " (not compared)"),
  );
}

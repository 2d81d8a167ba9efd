// The report of ROUGE matches: a list of summaries, and one of them word by word.

import { el, field, option, pageData, say } from "./dom.js";
import { count, number } from "./format.js";
import { csv, downloadButton } from "./download.js";
import { marksOf, matchesOf, wordsOf } from "./match-model.js";
import { onStateChange, readState, writeState } from "./state.js";
import { shell } from "./shell.js";
import { sortableTable } from "./table.js";

const data = pageData();
const PARTS = ["recall", "precision", "f1"];
const NAMES = { recall: "recall", precision: "precision", f1: "F1" };
const defaults = {
  input: data.rows[0].instance, system: data.rows[0].system, reference: "1", measure: data.variants[0].measures[0],
  profile: data.variants[0].name, compare: "", part: "f1", forms: "", find: "",
};
let state = readState(defaults);

// What is chosen, whatever the address says.

function variantNow() {
  const at = data.variants.findIndex((variant) => variant.name === state.profile);
  return Math.max(0, at);
}

function rowNow() {
  return data.rows.find((row) => row.instance === state.input && row.system === state.system)
    ?? data.rows.find((row) => row.instance === state.input) ?? data.rows[0];
}

function measureOf(variantAt) {
  return Math.max(0, data.variants[variantAt].measures.indexOf(state.measure));
}

function referenceOf(row) {
  return Math.min(row.references.length - 1, Math.max(0, Number(state.reference) - 1 || 0));
}

function comparedRow(row) {
  return data.rows.find((one) => one.instance === row.instance && one.system === state.compare && one !== row) ?? null;
}

function scoreOf(row, variantAt, measureAt) {
  return row.scores[variantAt][measureAt][PARTS.indexOf(state.part)] ?? null;
}

// Digits follow the profile's scale: 0 to 100, or 0 to 1.
function digitsOf(variantAt) {
  return data.rows.some((row) => row.scores[variantAt].some((scores) => scores[2] > 1.5)) ? 2 : 4;
}
const DIGITS = data.variants.map((_, at) => digitsOf(at));

function shortName(measure) {
  return measure.replace(/^rouge-/, "").toUpperCase().replace("LSUM", "Lsum");
}

// Texts

// `pair`: {row, variantAt, matches}; draws one side of it, and answers pointer and keys.
function textPane(pair, side, title, textAt) {
  const { units, words, literal } = wordsOf(data, pair.variantAt, textAt);
  const marks = marksOf(pair.matches, side);
  const strongest = Math.max(1, ...[...marks.hits.values()].map((list) => list.length));
  const heat = data.variants[pair.variantAt].kinds[pair.measureAt].startsWith("s");
  const nodes = new Map();
  const body = el("div", { class: "text", lang: "" });
  units.forEach((unit, number_) => {
    const line = el("p", { dir: "auto" });
    let at = 0, before = null;
    for (const word of words.filter((one) => one.unit === number_)) {
      const gap = unit.slice(at, word.start);
      const band = before !== null && before.token !== null && marks.joined.has(before.token) && word.token === before.token + 1;
      if (gap) line.append(band ? el("span", { class: "band" }, gap) : gap);
      line.append(wordNode(word, marks, heat ? strongest : 0, nodes));
      at = word.end;
      before = word;
    }
    if (at < unit.length) line.append(unit.slice(at));
    if (!unit) line.append("\u00a0");
    body.append(line);
  });
  if (!words.length) body.append(el("p", { class: "faded" }, "(no words that this implementation reads)"));
  const pane = el(
    "article", { class: "pane panel" },
    el("h3", {}, title, !literal && el("span", { class: "tag" }, "shown as tokens")),
    el("div", { class: "reading", tabindex: "0", role: "group", "aria-label": `${side} text; arrow keys go through its matches` }, body),
  );
  return { pane, nodes, words, marks, side, pair };
}

function wordNode(word, marks, strongest, nodes) {
  const list = word.token === null ? [] : marks.hits.get(word.token) ?? [];
  const kinds = ["token"];
  if (word.token === null) kinds.push("dropped");
  else if (list.length) kinds.push("hit", strongest ? `heat-${Math.ceil((3 * list.length) / strongest)}` : "heat-1");
  else if (marks.clipped.has(word.token)) kinds.push("clipped");
  const shown = state.forms && word.changed ? el("ruby", {}, word.shown, el("rt", {}, word.form)) : word.shown;
  const plain = kinds.length === 1;
  const node = el(plain || word.token === null ? "span" : "mark", { class: kinds.join(" "), tabindex: plain ? null : "-1" }, shown);
  if (word.token !== null) nodes.set(word.token, node);
  return node;
}

// Pointer, focus and arrow keys show what a word is matched with.
function connect(one, other, info) {
  const sides = [one, other];
  function show(pane, word) {
    clear();
    const list = word.token === null ? [] : pane.marks.hits.get(word.token) ?? [];
    const partners = [];
    for (const match of list) {
      for (const part of sides) for (const place of match[part.side]) {
        const node = part.nodes.get(place);
        if (!node) continue;
        node.classList.add("partner");
        if (part !== pane && !partners.includes(node)) partners.push(node);
      }
    }
    pane.nodes.get(word.token)?.classList.add("active");
    const told = describe(pane, word, list, partners);
    info.textContent = told;
    return told;
  }
  function clear() {
    for (const part of sides) for (const node of part.nodes.values()) node.classList.remove("partner", "active");
    info.textContent = info.dataset.idle;
  }
  for (const pane of sides) {
    const byNode = new Map([...pane.words].filter((word) => word.token !== null).map((word) => [pane.nodes.get(word.token), word]));
    const stops = [...byNode.keys()].filter((node) => node.hasAttribute("tabindex"));
    const area = pane.pane.querySelector(".reading");
    const find = (event) => byNode.get(event.target.closest?.(".token"));
    area.addEventListener("pointerover", (event) => { const word = find(event); if (word) show(pane, word); });
    area.addEventListener("pointerleave", clear);
    area.addEventListener("focusin", (event) => { const word = find(event); if (word) say(show(pane, word)); });
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

// Isolated, so that a word keeps its direction and the sentence around it its own.
function quoted(word) {
  return `“\u2068${word}\u2069”`;
}

function describe(pane, word, list, partners) {
  const form = word.changed ? ` (compared as ${quoted(word.form)})` : "";
  const name = `${quoted(word.shown)}${form}`;
  if (!list.length) return pane.marks.clipped.has(word.token) ? `${name}: equal, but used up by an earlier match; not counted` : `${name}: no match`;
  const others = partners.slice(0, 8).map((node) => quoted(node.firstChild?.firstChild?.textContent ?? node.textContent)).join(", ");
  const where = pane.side === "summary" ? "reference" : "summary";
  const times = list.length > 1 ? `, in ${list.length} matches` : "";
  return `${name} ↔ ${others}${partners.length > 8 ? ", …" : ""} in the ${where}${times}`;
}

// One summary against one reference

function comparison(row) {
  const variantAt = variantNow(), measureAt = measureOf(variantAt), referenceAt = referenceOf(row);
  const data_ = row.pairs[variantAt][referenceAt];
  const pair = { row, variantAt, measureAt, matches: matchesOf(data.variants[variantAt], data_, measureAt) };
  const info = el("p", { class: "info", "data-idle": "Point at a word, or focus a text and use the arrow keys, to see what it is matched with." });
  info.textContent = info.dataset.idle;
  const summary = textPane(pair, "summary", [el("bdi", {}, row.system), row.type === "reference" && el("span", { class: "tag" }, "reference")], row.text);
  const reference = textPane(pair, "reference", row.references.length > 1 ? `Reference ${referenceAt + 1} of ${row.references.length}` : "Reference", row.references[referenceAt]);
  connect(summary, reference, info);
  return el("div", { class: "comparison" }, scoreLine(row, pair, data_), el("div", { class: "panes" }, summary.pane, reference.pane), info);
}

function scoreLine(row, pair, { counts, scores }) {
  const digits = DIGITS[pair.variantAt];
  const [hits, inReference, inSummary] = counts[pair.measureAt];
  const [recall, precision, f1] = scores[pair.measureAt];
  const weighted = data.variants[pair.variantAt].kinds[pair.measureAt] === "w";
  const shown = (value) => (Number.isInteger(value) ? String(value) : number(value, 2));
  const fraction = (below, value) => [el("span", { class: "fraction" }, `${shown(hits)} ⁄ ${shown(below)}`), weighted ? " → " : " = ", el("strong", {}, number(value, digits))];
  const all = row.scores[pair.variantAt][pair.measureAt];
  return el(
    "dl", { class: "scores" },
    el("div", { class: "main" }, el("dt", {}, "F1"), el("dd", {}, number(f1, digits))),
    el("div", {}, el("dt", {}, "recall"), el("dd", {}, fraction(inReference, recall))),
    el("div", {}, el("dt", {}, "precision"), el("dd", {}, fraction(inSummary, precision))),
    row.references.length > 1 && el("div", {}, el("dt", {}, `all ${row.references.length} references: R, P, F1`), el("dd", {}, all.map((value) => number(value, digits)).join(" · "))),
  );
}

// Tables below the texts

function measureTable(row) {
  const variantAt = variantNow(), now = measureOf(variantAt), digits = DIGITS[variantAt];
  const { counts, scores } = row.pairs[variantAt][referenceOf(row)];
  const shown = (value) => (Number.isInteger(value) ? String(value) : number(value, 2));
  const rows = data.variants[variantAt].measures.map((name, at) => ({ name, at, counts: counts[at], scores: scores[at] }));
  const column = (key, label, value, cell) => ({ key, label, number: true, value, cell: (one) => cell(value(one)) });
  return sortableTable({
    caption: "All measures of this pair",
    rows,
    sort: { key: "order", descending: false },
    columns: [
      { key: "order", label: "measure", value: (one) => one.at, cell: (one) => [one.name, one.at === now && el("span", { class: "tag" }, "shown")] },
      column("hits", "matches", (one) => one.counts[0], shown),
      column("inr", "in reference", (one) => one.counts[1], shown),
      column("ins", "in summary", (one) => one.counts[2], shown),
      ...PARTS.map((part, k) => column(part, NAMES[part], (one) => one.scores[k], (value) => number(value, digits))),
    ],
  }).node;
}

// Words of a text that a variant counted, by their place in it.
function countedWords(row, variantAt, side) {
  const referenceAt = referenceOf(row), measureAt = data.variants[variantAt].measures.indexOf(state.measure);
  if (measureAt < 0) return null;
  const { words, literal } = wordsOf(data, variantAt, side === "summary" ? row.text : row.references[referenceAt]);
  if (!literal) return null;
  const { hits } = marksOf(matchesOf(data.variants[variantAt], row.pairs[variantAt][referenceAt], measureAt), side);
  return new Map(words.filter((word) => hits.has(word.token)).map((word) => [`${word.unit} ${word.start}`, word.shown]));
}

function wordsApart(row, variantAt) {
  const here = countedWords(row, variantNow(), "reference"), there = countedWords(row, variantAt, "reference");
  if (variantAt === variantNow()) return "shown above";
  if (!here || !there) return "–";
  const only = (one, other, sign) => [...one].filter(([place]) => !other.has(place)).map(([, word]) => `${sign}${word}`);
  const apart = [...only(there, here, "+"), ...only(here, there, "−")];
  if (!apart.length) return "the same words";
  return el("span", { lang: "" }, apart.slice(0, 10).map((word, at) => [at > 0 && " ", el("bdi", { class: word.startsWith("+") ? "gained" : "lost" }, word)]), apart.length > 10 && ` … ${apart.length - 10} more`);
}

function implementationTable(row) {
  const referenceAt = referenceOf(row);
  const rows = data.variants.map((variant, at) => {
    const measureAt = variant.measures.indexOf(state.measure);
    const pair = row.pairs[at][referenceAt];
    return { variant, at, counts: measureAt < 0 ? null : pair.counts[measureAt], scores: measureAt < 0 ? null : pair.scores[measureAt] };
  });
  const shown = (value) => (value === null ? "–" : Number.isInteger(value) ? String(value) : number(value, 2));
  const table = sortableTable({
    caption: `${state.measure} by every implementation`,
    rows,
    sort: { key: "order", descending: false },
    columns: [
      { key: "order", label: "implementation", value: (one) => one.at, cell: (one) => [one.variant.name, el("span", { class: "origin" }, one.variant.origin)] },
      { key: "hits", label: "matches", number: true, value: (one) => one.counts?.[0] ?? null, cell: (one) => shown(one.counts?.[0] ?? null) },
      { key: "inr", label: "in reference", number: true, value: (one) => one.counts?.[1] ?? null, cell: (one) => shown(one.counts?.[1] ?? null) },
      { key: "ins", label: "in summary", number: true, value: (one) => one.counts?.[2] ?? null, cell: (one) => shown(one.counts?.[2] ?? null) },
      { key: "f1", label: "F1", number: true, value: (one) => one.scores?.[2] ?? null, cell: (one) => number(one.scores?.[2] ?? null, DIGITS[one.at]) },
      { key: "apart", label: "words counted (+) or not (−)", value: (one) => one.at, cell: (one) => wordsApart(row, one.at) },
    ],
  });
  table.node.classList.add("implementations");
  return table.node;
}

// The list

function rowHref(row) {
  return `#${new URLSearchParams({ ...shortState(), input: row.instance, system: row.system })}`;
}

function shortState() {
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== defaults[name]));
}

const list = el("div");
let listTable = null;

function drawList() {
  const variantAt = variantNow(), measureAt = measureOf(variantAt);
  const sort = listTable ? listTable.order : { key: "place", descending: false };
  const best = Math.max(...data.rows.map((row) => scoreOf(row, variantAt, measureAt) ?? 0), 1e-9);
  listTable = sortableTable({
    caption: "Summaries",
    rows: data.rows.map((row, at) => ({ row, at })),
    sort,
    limit: 400,
    onDraw: markCurrent,
    columns: [
      { key: "place", label: "input", value: ({ at }) => at, cell: ({ row }) => el("a", { href: rowHref(row), "data-input": row.instance, "data-system": row.system }, el("bdi", {}, row.instance), el("span", { class: "unseen" }, `, ${row.system}`)) },
      { key: "system", label: "system", value: ({ row }) => row.system, cell: ({ row }) => el("bdi", {}, row.system) },
      {
        key: "score", label: `${data.variants[variantAt].measures[measureAt]} ${NAMES[state.part]}`, number: true,
        value: ({ row }) => scoreOf(row, variantAt, measureAt),
        cell: ({ row }) => { const value = scoreOf(row, variantAt, measureAt); const bar = el("span", { class: "bar", "aria-hidden": "true" }); bar.style.width = `${(3 * (value ?? 0)) / best}rem`; return [bar, number(value, DIGITS[variantAt])]; },
      },
    ],
  });
  filterList();
  list.replaceChildren(listTable.node);
}

function filterList() {
  const words = state.find.toLowerCase().split(/\s+/).filter(Boolean);
  const limits = words.filter((word) => /^[<>]=?-?[\d.]+$/.test(word));
  const names = words.filter((word) => !limits.includes(word));
  const variantAt = variantNow(), measureAt = measureOf(variantAt);
  return listTable.filter(({ row }) => {
    const name = `${row.instance} ${row.system} ${row.type}`.toLowerCase();
    const value = scoreOf(row, variantAt, measureAt);
    return names.every((word) => name.includes(word)) && limits.every((word) => fits(value, word));
  });
}

function fits(value, limit) {
  const [, sign, number_] = limit.match(/^([<>]=?)(.*)$/);
  const bound = Number(number_);
  return { "<": value < bound, ">": value > bound, "<=": value <= bound, ">=": value >= bound }[sign];
}

function markCurrent(node) {
  const row = rowNow();
  for (const link of node.querySelectorAll("a[data-input]")) {
    const current = link.dataset.input === row.instance && link.dataset.system === row.system;
    link.closest("tr").classList.toggle("current", current);
    if (current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function step(by) {
  const links = [...list.querySelectorAll("a[data-input]")];
  const here = links.findIndex((link) => link.getAttribute("aria-current"));
  const next = links[Math.min(links.length - 1, Math.max(0, here + by))];
  if (!next) return;
  const hadFocus = list.contains(document.activeElement);
  change({ input: next.dataset.input, system: next.dataset.system });
  drawRow();
  const link = list.querySelector("a[aria-current]");
  if (hadFocus) link?.focus();
  const box = list.querySelector(".scroller"), tr = link?.closest("tr");
  if (box && tr) {
    const [top, bottom] = [tr.offsetTop, tr.offsetTop + tr.offsetHeight];
    if (top < box.scrollTop + 40) box.scrollTop = top - 40;
    if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }
  say(`${next.dataset.input}, ${next.dataset.system}`);
}

// Controls

const profileSelect = el("select", { id: "profile" });
const referenceSelect = el("select", { id: "reference" });
const compareSelect = el("select", { id: "compare" });
const partSelect = el("select", { id: "part" });
const formsBox = el("input", { type: "checkbox", id: "forms" });
const search = el("input", { type: "search", id: "find", placeholder: "d01 lead3, or >40" });
const segments = el("div", { class: "segments" });
const view = el("div"), title = el("h2", { id: "view-title" });

function drawControls() {
  const row = rowNow(), variantAt = variantNow();
  const variant = data.variants[variantAt];
  profileSelect.replaceChildren(...data.variants.map((one, at) => option(one.name, one.name, at === variantAt)));
  referenceSelect.replaceChildren(...row.references.map((_, at) => option(String(at + 1), `${at + 1} of ${row.references.length}`, at === referenceOf(row))));
  const others = data.rows.filter((one) => one.instance === row.instance && one !== row);
  compareSelect.replaceChildren(option("", "none", !comparedRow(row)), ...others.map((one) => option(one.system, one.system, one === comparedRow(row))));
  partSelect.replaceChildren(...PARTS.map((part) => option(part, NAMES[part], part === state.part)));
  formsBox.checked = Boolean(state.forms);
  search.value = state.find;
  const focused = segments.contains(document.activeElement);
  segments.replaceChildren(...variant.measures.map((name, at) => {
    const radio = el("input", { type: "radio", name: "measure", value: name, "aria-label": name });
    radio.checked = at === measureOf(variantAt);
    return el("label", { title: name }, radio, el("span", { "aria-hidden": "true" }, shortName(name)));
  }));
  if (focused) segments.querySelector(":checked").focus();
}

function drawRow() {
  const row = rowNow(), variant = data.variants[variantNow()], other = comparedRow(row);
  title.replaceChildren(el("bdi", {}, row.instance), " · ", el("bdi", {}, row.system), ...(other ? [" and ", el("bdi", {}, other.system)] : []));
  drawControls();
  markCurrent(list);
  view.replaceChildren(
    el("div", { class: other ? "two" : "one" }, comparison(row), other && comparison(other)),
    legend(),
    el("h3", {}, "Why implementations differ"),
    el("p", { class: "note small" }, `${data.variants[variantNow()].measures[measureOf(variantNow())]} of the same pair by each implementation, and the words of the reference that it counts in addition (+) or does not count (−).`),
    implementationTable(row),
    el("h3", {}, "All measures of this pair"),
    measureTable(row),
    el("h3", {}, "How it was made"),
    ...variant.signatures.map((line) => el("p", { class: "signature" }, line)),
  );
}

function legend() {
  const heat = data.variants[variantNow()].kinds[measureOf(variantNow())].startsWith("s");
  return el(
    "p", { class: "legend small" },
    el("span", {}, el("mark", { class: "token hit heat-1" }, "counted"), heat && " (darker: in more matches)"),
    el("span", {}, el("mark", { class: "token clipped" }, "equal, but used up"), " (clipped)"),
    el("span", {}, el("span", { class: "token dropped" }, "dropped"), " (not compared)"),
  );
}

function draw() {
  drawControls();
  drawList();
  drawRow();
}

function change(some) {
  state = { ...state, ...some };
  writeState(state, defaults);
}

profileSelect.addEventListener("change", () => { change({ profile: profileSelect.value }); draw(); });
referenceSelect.addEventListener("change", () => { change({ reference: referenceSelect.value }); drawRow(); });
compareSelect.addEventListener("change", () => { change({ compare: compareSelect.value }); drawRow(); });
partSelect.addEventListener("change", () => { change({ part: partSelect.value }); drawList(); });
formsBox.addEventListener("change", () => { change({ forms: formsBox.checked ? "1" : "" }); drawRow(); });
segments.addEventListener("change", (event) => { change({ measure: event.target.value }); draw(); });
search.addEventListener("input", () => { change({ find: search.value }); say(`${filterList()} summaries listed`); });
onStateChange(() => { state = readState(defaults); draw(); });
list.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || !event.target.closest("a, .scroller")) return;
  event.preventDefault();
  step(by);
});
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest?.("input, select, .reading, summary")) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by) step(by);
});

function scoresCsv() {
  const head = ["input", "system", "type", "profile", "measure", "recall", "precision", "f1"];
  return csv([head, ...data.rows.flatMap((row) => data.variants.flatMap((variant, v) => variant.measures.map((measure, m) => [row.instance, row.system, row.type, variant.name, measure, ...row.scores[v][m]])))]);
}

const instances = new Set(data.rows.map((row) => row.instance)).size;
const facts = [count(data.rows.length, "summary", "summaries"), count(instances, "input"), count(data.variants.length, "implementation")].join(" · ")
  + (data.left_out ? ` · ${count(data.left_out, "more input")} left out` : "");
const wide = matchMedia("(min-width: 62rem)").matches;
shell(
  data, facts,
  el(
    "div", { class: "layout" },
    el(
      "section", { class: "list", "aria-label": "Summaries" },
      el("details", { open: wide }, el("summary", {}, "Summaries"),
        el("div", { class: "controls" }, field("find", search), field("score", partSelect)),
        list,
        el("p", { class: "small note" }, "← and → go to the previous and the next summary.")),
    ),
    el(
      "section", { "aria-labelledby": "view-title", class: "view" },
      title,
      el("div", { class: "controls" },
        el("fieldset", {}, el("legend", {}, "measure"), segments),
        field("implementation", profileSelect), field("reference", referenceSelect), field("compare with", compareSelect),
        el("label", { class: "check" }, formsBox, "show stems")),
      view,
      el("div", { class: "controls downloads" }, downloadButton("All scores (CSV)", "rouge.csv", "text/csv", scoresCsv), downloadButton("All data (JSON)", "rouge.json", "application/json", () => JSON.stringify(data))),
    ),
  ),
);
draw();

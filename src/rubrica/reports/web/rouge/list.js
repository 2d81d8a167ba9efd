// The list of summaries: sorted by the score that is shown, filtered by names and bounds.

import { el, say } from "../dom.js";
import { quoted } from "../foreign.js";
import { number } from "../format.js";
import {
  DIGITS,
  PARTS,
  PART_NAMES,
  change,
  data,
  defaults,
  measureOf,
  rowNow,
  scoreOf,
  state,
  variantNow,
} from "./state.js";
import { sortableTable } from "../table.js";

function rowHref(row) {
  return `#${new URLSearchParams({ ...shortState(), input: row.instance, system: row.system })}`;
}

function shortState() {
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== defaults[name]));
}

export const list = el("div");
let listTable = null;

export function drawList() {
  const variantAt = variantNow(),
    measureAt = measureOf(variantAt);
  const best = data.rows.reduce((most, row) => Math.max(most, scoreOf(row, variantAt, measureAt)), 1e-9);
  listTable = sortableTable({
    caption: "Summaries",
    rows: data.rows.map((row, at) => ({ row, at })),
    sort: { key: "place", descending: false },
    address: { text: state.list, save: (list) => change({ list }) },
    empty: emptyNote,
    limit: 400,
    onDraw: markCurrent,
    columns: [
      {
        key: "place",
        label: "input",
        value: ({ at }) => at,
        cell: ({ row }) =>
          el(
            "a",
            { href: rowHref(row), "data-input": row.instance, "data-system": row.system },
            el("bdi", {}, row.instance),
            el("span", { class: "unseen" }, `, ${row.system}`),
          ),
      },
      {
        key: "system",
        label: "system",
        value: ({ row }) => row.system,
        cell: ({ row }) => el("bdi", {}, row.system),
      },
      {
        key: "score",
        label: `${data.variants[variantAt].measures[measureAt]} ${PART_NAMES[state.part] ?? "F1"}`,
        number: true,
        value: ({ row }) => scoreOf(row, variantAt, measureAt),
        cell: ({ row }) => {
          const value = scoreOf(row, variantAt, measureAt);
          const bar = el("span", { class: "bar", "aria-hidden": "true" });
          bar.style.width = `${(3 * value) / best}rem`;
          return [bar, number(value, DIGITS[variantAt])];
        },
      },
    ],
  });
  filterList();
  list.replaceChildren(listTable.node);
}

function filterWords() {
  return state.find.toLowerCase().split(/\s+/).filter(Boolean);
}

// Why the list is empty: a measure that does not exist, or nothing that fits.
function emptyNote() {
  const { measures, name } = data.variants[variantNow()];
  const unknown = filterWords()
    .map((word) => limitParts(word)?.measure)
    .find((measure) => measure && !measures.includes(measure));
  return unknown
    ? `${name} has no measure ${quoted(unknown)}; it has ${measures.join(", ")}.`
    : `No summary matches ${quoted(state.find.trim())}.`;
}

export function filterList() {
  const words = filterWords();
  const variantAt = variantNow();
  const limits = words.map((word) => limitOf(word, variantAt)).filter(Boolean);
  const names = words.filter((word) => !limitOf(word, variantAt));
  return listTable.filter(({ row }) => {
    const name = `${row.instance} ${row.system} ${row.type}`.toLowerCase();
    return names.every((word) => name.includes(word)) && limits.every((fits) => fits(row));
  });
}

// A bound of a score: `>40` of the one that is listed, `rouge-2>10`, `rouge-l.recall<=30` of any.
function limitParts(word) {
  const found = word.match(/^([^<>]*?)([<>]=?)(-?\d+(?:\.\d+)?)$/);
  if (!found) return null;
  const [, name, sign, text] = found;
  const part = PARTS.find((one) => name.endsWith(`.${one}`));
  return { measure: part ? name.slice(0, -part.length - 1) : name, part, sign, text };
}

function limitOf(word, variantAt) {
  const parts = limitParts(word);
  if (!parts) return null;
  const { measure, part, sign, text } = parts;
  const measureAt = measure ? data.variants[variantAt].measures.indexOf(measure) : measureOf(variantAt);
  const bound = Number(text);
  return (row) => {
    if (measureAt < 0) return false;
    const value = part ? row.scores[variantAt][measureAt][PARTS.indexOf(part)] : scoreOf(row, variantAt, measureAt);
    return { "<": value < bound, ">": value > bound, "<=": value <= bound, ">=": value >= bound }[sign];
  };
}

export function markCurrent(node = list) {
  const row = rowNow();
  for (const link of node.querySelectorAll("a[data-input]")) {
    const current = link.dataset.input === row.instance && link.dataset.system === row.system;
    link.closest("tr").classList.toggle("current", current);
    if (current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// The next row of the list, or the one before; `show` draws it.
export function step(by, show) {
  const links = [...list.querySelectorAll("a[data-input]")];
  const here = links.findIndex((link) => link.getAttribute("aria-current"));
  const next = links[Math.min(links.length - 1, Math.max(0, here + by))];
  if (!next) return;
  const hadFocus = list.contains(document.activeElement);
  change({ input: next.dataset.input, system: next.dataset.system });
  show();
  const link = list.querySelector("a[aria-current]");
  if (hadFocus) link?.focus();
  const box = list.querySelector(".scroller"),
    tr = link?.closest("tr");
  if (box && tr) {
    const [top, bottom] = [tr.offsetTop, tr.offsetTop + tr.offsetHeight];
    if (top < box.scrollTop + 40) box.scrollTop = top - 40;
    if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }
  say(`${next.dataset.input}, ${next.dataset.system}`);
}

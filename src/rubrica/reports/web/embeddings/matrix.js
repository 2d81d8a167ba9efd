// The matrix: how close every two tokens are, and the table of those that go together.

import { closenessOf, kindWords, lackOf, shadeOf } from "./alignment-model.js";
import { el } from "../dom.js";
import { foreign, quoted } from "../foreign.js";
import { number, percent } from "../format.js";
import { sortableTable } from "../table.js";

function cellWords({ alignment }, s, r, found) {
  const what = `${quoted(alignment.summary[s])} and ${quoted(alignment.reference[r])}: ${alignment.measure} ${number(alignment.closeness[s][r], 3)}`;
  const links = found.map((link) => `${{ precision: "matched for precision", recall: "matched for recall", match: "matched" }[link.kind] ?? link.kind}, weight ${percent(link.amount)}`);
  return [what, ...links].join("; ");
}

// A table of more cells than this takes seconds to lay out: only rows in sight have cells then.
const MAX_CELLS = 20000;

export function matrix(pair, info) {
  const { alignment, languages } = pair;
  const shade = shadeOf(pair);
  const linked = new Map();
  for (const link of alignment.links) {
    const key = `${link.summary} ${link.reference}`;
    linked.set(key, [...(linked.get(key) ?? []), link]);
  }
  const linksAt = (s, r) => linked.get(`${s} ${r}`) ?? [];
  const large = alignment.summary.length * alignment.reference.length > MAX_CELLS;
  const cellOf = (s, r) => {
    const found = linksAt(s, r);
    const cell = el(
      "td",
      { class: found.length ? "linked" : null, tabindex: s + r === 0 ? "0" : "-1", "data-s": String(s), "data-r": String(r) },
      number(alignment.closeness[s][r], 2),
      found.map((link) => el("sup", {}, kindWords(link.kind).mark)),
    );
    cell.style.background = `color-mix(in srgb, var(--wash-strong) ${Math.round(100 * shade(alignment.closeness[s][r]))}%, transparent)`;
    return cell;
  };
  const heads = alignment.reference.map((token) => el("th", { scope: "col" }, foreign(token, languages.reference)));
  const names = alignment.summary.map((token) => el("th", { scope: "row" }, foreign(token, languages.summary)));
  const rows = names.map((name) => el("tr", {}, name));
  const cellsIn = (row) => row.querySelectorAll("td[data-s]");
  const fill = (s) => {
    if (cellsIn(rows[s]).length) return;
    rows[s].replaceChildren(names[s], ...alignment.reference.map((_, r) => cellOf(s, r)));
  };
  const empty = (s) => {
    if (!rows[s].contains(document.activeElement)) rows[s].replaceChildren(names[s], el("td", { colspan: String(heads.length) }));
  };
  rows.forEach((_, s) => (large && s ? empty : fill)(s));
  const table = el(
    "table",
    { class: large ? "tokens large" : "tokens" },
    el("caption", { class: "unseen" }, `${alignment.measure} of every two tokens; arrow keys go from cell to cell`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "summary ↓ reference →"), heads)),
    el("tbody", {}, rows),
  );
  const scroller = el("div", { class: "scroller grid-scroller", role: "group", tabindex: "0", "aria-label": "Closeness of all pairs of tokens" }, table);
  if (large) {
    const watch = (entries) => entries.forEach((entry) => (entry.isIntersecting ? fill : empty)(rows.indexOf(entry.target)));
    const sight = new IntersectionObserver(watch, { root: scroller, rootMargin: "300px 100000px" });
    rows.forEach((row) => sight.observe(row));
  }
  function light(s, r) {
    heads.forEach((head, at) => head.classList.toggle("lit", at === r));
    names.forEach((name, at) => name.classList.toggle("lit", at === s));
    info.textContent = cellWords(pair, s, r, linksAt(s, r));
    info.classList.add("live");
  }
  function leave() {
    for (const head of [...heads, ...names]) head.classList.remove("lit");
    info.textContent = info.dataset.idle;
    info.classList.remove("live");
  }
  const at = (event) => event.target.closest("td[data-s]")?.dataset;
  const show = (event) => {
    const cell = at(event);
    if (cell) light(Number(cell.s), Number(cell.r));
  };
  table.addEventListener("pointerover", show);
  table.addEventListener("focusin", show);
  table.addEventListener("pointerleave", leave);
  table.addEventListener("focusout", leave);
  table.addEventListener("keydown", (event) => {
    const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const cell = at(event);
    if (!by || !cell) return;
    event.preventDefault();
    const s = Number(cell.s) + by[0];
    if (!rows[s]) return;
    fill(s);
    cellsIn(rows[s])[Number(cell.r) + by[1]]?.focus();
  });
  return scroller;
}

// The links of the kind chosen, those first that cost the score most.
export function linksTable(pair) {
  const { alignment, links, languages } = pair;
  const all = links.reduce((sum, link) => sum + lackOf(pair, link), 0);
  const share = (link) => (all > 0 ? lackOf(pair, link) / all : 0);
  const most = links.reduce((high, link) => Math.max(high, share(link)), 0);
  const token = (side) => ({
    key: side,
    label: side,
    value: (link) => alignment[side][link[side]],
    cell: (link) => foreign(alignment[side][link[side]], languages[side]),
  });
  return sortableTable({
    caption: `Matched tokens: ${pair.kind}`,
    rows: links,
    sort: { key: "share", descending: true },
    limit: 15,
    columns: [
      token("summary"),
      token("reference"),
      {
        key: "closeness",
        label: alignment.measure,
        number: true,
        value: (link) => closenessOf(pair, link),
        cell: (link) => number(closenessOf(pair, link), 3),
      },
      { key: "weight", label: "weight", number: true, value: (link) => link.amount, cell: (link) => percent(link.amount) },
      {
        key: "share",
        label: "share of the cost",
        number: true,
        value: share,
        cell: (link) => {
          const bar = el("span", { class: "bar", "aria-hidden": "true" });
          bar.style.width = `${most > 0 ? (4 * share(link)) / most : 0}rem`;
          return [bar, percent(share(link))];
        },
      },
    ],
  }).node;
}

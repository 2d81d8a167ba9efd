// The table of summaries: only the rows in view are drawn, and only they are asked for.

import { el, say } from "../dom.js";
import { foreign } from "../foreign.js";
import { digitsFor, number } from "../format.js";
import { ROW, rowAtTop, spacers, topOfRow } from "./geometry.js";
import { ask, change, state } from "./state.js";

const BLOCK = 200;
const MAX_BLOCKS = 100;
const AROUND = 12;
const IDS = 3;

// `columns()` are the names of the columns, ids first; `counted(total)` hears how many rows fit, `choose(input, system)`
// which row was chosen, and `failed(error)` what went wrong.
export function rowsTable({ columns, isNumber, counted, choose, failed }) {
  const head = el("tr"),
    body = el("tbody");
  const table = el("table", { "aria-label": "Summaries" }, el("thead", {}, head), body);
  const node = el(
    "div",
    { class: "scroller window", tabindex: "0", role: "group", "aria-label": "Summaries; arrow keys choose one" },
    table,
  );
  const above = spacer(),
    below = spacer();
  const blocks = new Map(),
    drawn = new Map();
  let total = 0,
    isCounted = false,
    digits = [],
    digitsTurn = 0,
    turn = 0,
    headShown = "",
    lastAt;

  // Returns whether the rows are there. Those of an earlier turn are shown until the new ones come.
  async function block(at) {
    if (blocks.get(at)?.turn === turn) return true;
    const mine = turn;
    blocks.set(at, { rows: blocks.get(at)?.rows, turn });
    const { sort, descending, find } = state;
    const query = new URLSearchParams({ sort, descending, find, start: String(at * BLOCK), count: String(BLOCK) });
    for (const name of columns().slice(IDS)) query.append("column", name);
    try {
      const page = await ask(`/rows?${query}`);
      if (mine !== turn) return false;
      blocks.set(at, { rows: page.rows, turn });
      if (blocks.size > MAX_BLOCKS) blocks.delete(blocks.keys().next().value);
      learnDigits(page.rows);
      total = page.total;
      isCounted = true;
      counted(total);
      draw();
      return true;
    } catch (error) {
      if (mine !== turn) return false;
      blocks.delete(at);
      // Of a query that cannot be understood, no number is known.
      if (!isCounted) counted();
      failed(error);
      return false;
    }
  }

  // A column has as many digits as its largest values so far need, however far the table is scrolled.
  function learnDigits(rows) {
    const before = digitsTurn === turn ? digits : [];
    digitsTurn = turn;
    digits = columns().map((_, column) => {
      const values = rows.map((row) => (typeof row[column + 1] === "number" ? row[column + 1] : null));
      return Math.min(digitsFor(values), before[column] ?? Infinity);
    });
  }

  async function restart() {
    node.scrollTop = 0;
    lastAt = undefined;
    blocks.clear();
    isCounted = false;
    return update();
  }

  // The rows in view are asked for again; the others when they come into view.
  async function update() {
    turn += 1;
    if (drawHead()) blocks.clear();
    const ready = await block(Math.floor(firstInView() / BLOCK));
    draw();
    return ready;
  }

  function rowAt(at) {
    return blocks.get(Math.floor(at / BLOCK))?.rows?.[at % BLOCK];
  }

  function firstInView() {
    return rowAtTop(total, node.clientHeight, node.scrollTop);
  }

  function draw() {
    if (!turn) return;
    const first = Math.max(0, firstInView() - AROUND);
    const last = Math.min(total, first + Math.ceil(node.clientHeight / ROW) + 2 * AROUND);
    for (let at = Math.floor(first / BLOCK); at <= Math.floor(Math.max(first, last - 1) / BLOCK); at += 1) block(at);
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push(rowNode(at));
    for (const at of drawn.keys()) if (at < first || at >= last) drawn.delete(at);
    if (!total && blocks.get(0)?.rows) rows.push(el("tr", {}, el("td", { class: "faded", colspan: String(columns().length) }, "No row fits the query.")));
    const heights = spacers(total, node.clientHeight, node.scrollTop, first, last);
    [above, below].forEach((spacer, side) => {
      spacer.cells[0].colSpan = columns().length;
      spacer.cells[0].style.height = `${heights[side]}px`;
    });
    setChildren(body, [above, ...rows, below]);
    table.setAttribute("aria-rowcount", String(total + 1));
  }

  // A row that still says the same stays the same node: a press, a selection of text or the focus in it is not lost.
  function rowNode(at) {
    const row = rowAt(at);
    const content = JSON.stringify([row, columns(), digits]);
    if (drawn.get(at)?.content !== content) drawn.set(at, { content, node: drawRow(at, row) });
    const current = row && row[1] === state.input && row[2] === state.system;
    const { node: tr } = drawn.get(at);
    tr.classList.toggle("current", Boolean(current));
    if (current) tr.setAttribute("aria-current", "true");
    else tr.removeAttribute("aria-current");
    return tr;
  }

  function drawRow(at, row) {
    const cells = row
      ? row.slice(1).map((value, column) => {
          if (column < IDS) return el(column ? "td" : "th", { scope: column ? null : "row", title: value }, foreign(value));
          if (typeof value === "string") return el("td", { title: value }, foreign(value));
          return el("td", { class: "number" }, number(value, columns()[column] === "words" ? 0 : digits[column]));
        })
      : [el("th", { scope: "row", colspan: String(columns().length) }, "…")];
    return el("tr", { "aria-rowindex": String(at + 2), "data-at": String(at) }, cells);
  }

  // Drawn only when it changes, so that a click or the focus on a heading is not lost while files are read. Returns whether
  // it changed.
  function drawHead() {
    const shown = JSON.stringify([columns(), state.sort, state.descending]);
    if (shown === headShown) return false;
    headShown = shown;
    head.replaceChildren(
      ...columns().map((name) => {
        const sorted = state.sort === name ? (state.descending ? "descending" : "ascending") : "none";
        const button = el("button", { type: "button", class: "sort", onclick: () => sortBy(name, isNumber(name)) }, name);
        return el("th", { scope: "col", class: isNumber(name) ? "number" : null, "aria-sort": sorted }, button);
      }),
    );
    return true;
  }

  function sortBy(name, numbers) {
    const descending = state.sort === name ? !state.descending : numbers;
    change({ sort: name, descending: descending ? "1" : "" });
    restart();
    say(`Sorted by ${name}, ${descending ? "descending" : "ascending"}`);
  }

  function pick(at) {
    const row = rowAt(at);
    if (!row) return;
    lastAt = at;
    change({ input: row[1], system: row[2] });
    draw();
    choose(row[1], row[2]);
  }

  let drawing = false;
  node.addEventListener("scroll", () => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      draw();
    });
  });
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-at]");
    if (row) pick(Number(row.dataset.at));
  });
  // Scroll as little as it takes to have a row in view.
  function reveal(at) {
    const seen = Math.floor(node.clientHeight / ROW) - 2,
      first = firstInView();
    if (at < first) node.scrollTop = topOfRow(total, node.clientHeight, at);
    else if (at > first + seen - 1) node.scrollTop = topOfRow(total, node.clientHeight, Math.max(0, at - seen + 1));
  }

  // The row so many places after the current one; without a current one, the first in view.
  function step(by) {
    if (!total) return;
    const now = body.querySelector("tr.current")?.dataset.at ?? lastAt;
    const target = now === undefined ? firstInView() : Number(now) + by;
    const at = Math.min(total - 1, Math.max(0, target));
    reveal(at);
    if (rowAt(at)) pick(at);
    else block(Math.floor(at / BLOCK)).then(() => pick(at));
  }

  // Scroll to a row that was chosen elsewhere, if it fits the query.
  async function show(input, system) {
    const { sort, descending, find } = state;
    const { place } = await ask(`/place?${new URLSearchParams({ sort, descending, find, input, system })}`);
    if (place === null) return;
    lastAt = place;
    reveal(place);
    draw();
  }

  node.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(node.clientHeight / ROW) - 2);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total }[event.key];
    if (!by || event.target.closest("button")) return;
    event.preventDefault();
    step(by);
  });
  new ResizeObserver(draw).observe(node);
  return { node, restart, update, step, show, count: () => (isCounted ? total : undefined) };
}

function spacer() {
  return el("tr", { class: "spacer", "aria-hidden": "true" }, el("td"));
}

// Give a node these children; those that it has already are not moved.
function setChildren(parent, children) {
  const staying = new Set(children);
  for (const child of [...parent.children]) if (!staying.has(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

// Summaries of any number: only the rows in view are drawn, and only they are asked for.

import { el, field, option, say } from "./dom.js";
import { digitsFor, number } from "./format.js";
import { comparison, legend } from "./rouge-texts.js";
import { themeButton } from "./shell.js";
import { readState, writeState } from "./state.js";

const ROW = 34;
const BLOCK = 200;
const AROUND = 12;
const defaults = { sort: "", descending: "", find: "", measure: "rouge-1", reference: "1" };
const state = readState(defaults);
const token = document.querySelector("meta[name=forgery-token]").content;

let facts = { files: [], columns: [], summaries: 0 };
let total = 0,
  chosen = null,
  turn = 0;
const blocks = new Map();

const search = el("input", { type: "search", id: "find", placeholder: "lead3 rouge-1.f1>40", value: state.find });
const told = el("p", { class: "facts" });
const trouble = el("p", { class: "trouble", role: "alert" });
const head = el("tr"),
  body = el("tbody");
const table = el("table", { "aria-label": "Summaries" }, el("thead", {}, head), body);
const scroller = el("div", { class: "scroller window", tabindex: "0", role: "group", "aria-label": "Summaries; arrow keys choose one" }, table);
const view = el("section", { class: "view", "aria-label": "One summary" });
const picker = el("input", { type: "file", multiple: true, class: "unseen", tabindex: "-1", "aria-hidden": "true" });

function change(some) {
  Object.assign(state, some);
  writeState(state, defaults);
}

async function ask(path, options) {
  const answer = await fetch(path, options);
  const made = await answer.json();
  if (!answer.ok) throw new Error(made.error ?? answer.statusText);
  return made;
}

function query(start) {
  const words = { sort: state.sort, descending: state.descending, find: state.find, start, count: BLOCK };
  return `/rows?${new URLSearchParams(words)}`;
}

// Rows

async function block(at) {
  if (!blocks.has(at)) {
    const mine = turn;
    blocks.set(at, null);
    try {
      const made = await ask(query(at * BLOCK));
      if (mine !== turn) return;
      blocks.set(at, made.rows);
      if (made.total !== total) {
        total = made.total;
        drawFacts();
      }
      drawRows();
    } catch (error) {
      trouble.textContent = error.message;
    }
  }
}

async function restart() {
  turn += 1;
  blocks.clear();
  scroller.scrollTop = 0;
  drawHead();
  await block(0);
  drawRows();
}

function rowAt(at) {
  return blocks.get(Math.floor(at / BLOCK))?.[at % BLOCK];
}

function spacer(rows) {
  const cell = el("td", { colspan: String(facts.columns.length) });
  cell.style.height = `${rows * ROW}px`;
  return el("tr", { class: "spacer", "aria-hidden": "true" }, cell);
}

function drawRows() {
  if (!facts.columns.length) return;
  const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - AROUND);
  const last = Math.min(total, first + Math.ceil(scroller.clientHeight / ROW) + 2 * AROUND);
  for (let at = Math.floor(first / BLOCK); at <= Math.floor(Math.max(first, last - 1) / BLOCK); at += 1) block(at);
  const rows = [];
  for (let at = first; at < last; at += 1) rows.push(drawRow(at, rowAt(at)));
  body.replaceChildren(spacer(first), ...rows, spacer(total - last));
  table.setAttribute("aria-rowcount", String(total + 1));
}

function drawRow(at, row) {
  const cells = row
    ? row.slice(1).map((value, column) => {
        if (column < 3) return el(column ? "td" : "th", { scope: column ? null : "row" }, el("bdi", {}, value));
        return el("td", { class: "number" }, column === 3 ? number(value, 0) : number(value, digitsFor([value])));
      })
    : [el("th", { scope: "row", colspan: String(facts.columns.length) }, "…")];
  return el(
    "tr",
    {
      "aria-rowindex": String(at + 2),
      class: row && row[0] === chosen ? "current" : null,
      "aria-current": row && row[0] === chosen ? "true" : null,
      "data-at": String(at),
    },
    cells,
  );
}

function drawHead() {
  head.replaceChildren(
    ...facts.columns.map((name, at) => {
      const sorted = state.sort === name ? (state.descending ? "descending" : "ascending") : "none";
      const button = el("button", { type: "button", class: "sort", onclick: () => sortBy(name, at > 2) }, name);
      return el("th", { scope: "col", class: at > 2 ? "number" : null, "aria-sort": sorted }, button);
    }),
  );
}

function sortBy(name, numbers) {
  const descending = state.sort === name ? !state.descending : numbers;
  change({ sort: name, descending: descending ? "1" : "" });
  restart();
  say(`Sorted by ${name}, ${descending ? "descending" : "ascending"}`);
}

function drawFacts() {
  const all = facts.summaries.toLocaleString("en-US");
  const shown = total === facts.summaries ? `${all} summaries` : `${total.toLocaleString("en-US")} of ${all} summaries`;
  told.textContent = `${shown} · ${facts.files.map((file) => file.name).join(" · ") || "no file yet"}`;
  say(shown);
}

// One summary

async function choose(at) {
  const row = rowAt(at);
  if (!row) return;
  chosen = row[0];
  drawRows();
  try {
    const one = await ask(`/summary/${row[0]}`);
    if (chosen === row[0]) drawSummary(one);
  } catch (error) {
    view.replaceChildren(el("p", { class: "trouble" }, error.message));
  }
}

function lines(text) {
  const units = typeof text === "string" ? text.split("\n") : text;
  return el("div", { class: "text", lang: "" }, units.map((line) => el("p", { dir: "auto" }, line)));
}

function drawSummary(one) {
  const parts = [];
  if (one.matches) parts.push(matchesView(one.matches));
  else if (one.summary === null) parts.push(el("p", { class: "faded" }, "No file opened here has the text. Drop one that does."));
  else parts.push(lines(one.summary));
  const scores = Object.entries(one.scores).filter(([, value]) => value !== null);
  view.replaceChildren(
    el("h2", {}, el("bdi", {}, one.input), " · ", el("bdi", {}, one.system)),
    ...parts,
    scores.length > 0 &&
      el(
        "dl",
        { class: "scores all" },
        scores.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, number(value, digitsFor([value]))))),
      ),
  );
}

function matchesView(report) {
  const [row] = report.rows,
    [variant] = report.variants;
  const place = el("div"),
    measure = el("select"),
    reference = el("select");
  function draw() {
    const shown = {
      report,
      row,
      variantAt: 0,
      measureAt: Math.max(0, variant.measures.indexOf(state.measure)),
      referenceAt: Math.min(row.references.length, Math.max(1, Number(state.reference) || 1)) - 1,
      digits: 2,
      forms: false,
    };
    measure.replaceChildren(...variant.measures.map((name, at) => option(name, name, at === shown.measureAt)));
    reference.replaceChildren(
      ...row.references.map((_, at) => option(String(at + 1), `${at + 1} of ${row.references.length}`, at === shown.referenceAt)),
    );
    place.replaceChildren(comparison(shown), legend(shown));
  }
  measure.addEventListener("change", () => {
    change({ measure: measure.value });
    draw();
  });
  reference.addEventListener("change", () => {
    change({ reference: reference.value });
    draw();
  });
  draw();
  return el("div", {}, el("div", { class: "controls" }, field("matches of", measure), field("reference", reference)), place);
}

// Files

async function take(files) {
  trouble.textContent = "";
  for (const file of files) {
    try {
      told.textContent = `Reading ${file.name} …`;
      await ask(`/drop?${new URLSearchParams({ name: file.name })}`, {
        method: "POST",
        headers: { "x-forgery-token": token, "content-type": "application/octet-stream" },
        body: file,
      });
    } catch (error) {
      trouble.textContent = error.message;
    }
  }
  await refresh();
}

async function refresh() {
  facts = await ask("/facts");
  total = 0;
  document.body.classList.toggle("empty", facts.summaries === 0);
  await restart();
  drawFacts();
}

let waiting = 0;
search.addEventListener("input", () => {
  change({ find: search.value });
  clearTimeout(waiting);
  waiting = setTimeout(restart, 120);
});
let drawing = false;
scroller.addEventListener("scroll", () => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawRows();
  });
});
body.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-at]");
  if (row) choose(Number(row.dataset.at));
});
scroller.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || event.target.closest("button")) return;
  event.preventDefault();
  const now = body.querySelector("tr.current")?.dataset.at;
  const at = now === undefined ? Math.floor(scroller.scrollTop / ROW) : Number(now) + by;
  if (at < 0 || at >= total) return;
  const top = at * ROW;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  if (top + 3 * ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + 3 * ROW - scroller.clientHeight;
  choose(at);
});
new ResizeObserver(drawRows).observe(scroller);
picker.addEventListener("change", () => take([...picker.files]));
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  take([...event.dataTransfer.files]);
});

document.body.append(
  el(
    "header",
    { class: "top" },
    el("p", { class: "brand" }, el("span", { class: "mark", "aria-hidden": "true" }, "¶"), " Rubrica"),
    themeButton(),
    el("h1", {}, "Summaries"),
    told,
  ),
  el(
    "main",
    { id: "main" },
    el(
      "div",
      { class: "controls" },
      field("find", search),
      el("button", { type: "button", class: "quiet", onclick: () => picker.click() }, "Open files …"),
      el("span", { class: "small faded" }, "or drop them here: JSON lines of summaries or scores"),
      picker,
    ),
    trouble,
    el("div", { class: "layout" }, el("section", { "aria-label": "Table" }, scroller), view),
  ),
  el("p", { id: "said", class: "unseen", role: "status" }),
);
view.append(el("p", { class: "faded" }, "Choose a summary to read it."));
refresh().catch((error) => {
  trouble.textContent = error.message;
});

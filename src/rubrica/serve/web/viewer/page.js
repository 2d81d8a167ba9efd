// Summaries of any number and pyramids, from files that are opened or dropped here.

import { el, field, say } from "../dom.js";
import { foreign } from "../foreign.js";
import { count } from "../format.js";
import { brand, themeButton } from "../shell.js";
import { onStateChange } from "../state.js";
import { columnChooser, shownColumns } from "./columns.js";
import { findBox, findColumns } from "./find.js";
import { sampleKeys } from "./keys.js";
import { rowsTable } from "./rows.js";
import { sampleView } from "./sample.js";
import { slicesView } from "./slices.js";
import { ask, change, give, reread, state } from "./state.js";

let facts = { files: [], measures: [], headlines: [], people: [], fields: [], texts: [], slices: [], summaries: 0, pyramids: [] };
let waiting = 0;
const search = findBox({
  value: state.find,
  columns: () => findColumns(facts),
  changed(find) {
    change({ find });
    clearTimeout(waiting);
    waiting = setTimeout(restart, 30);
  },
});
const factsLine = el("p", { class: "facts" }),
  trouble = el("p", { class: "trouble", role: "alert" }),
  pyramids = el("section", { class: "pyramids", "aria-labelledby": "pyramids", hidden: true }),
  heading = el("h2", {}, "No sample chosen"),
  view = el("div");
const picker = el("input", { type: "file", multiple: true, class: "unseen", tabindex: "-1", "aria-hidden": "true" });
const rows = rowsTable({
  columns: () => shownColumns(facts),
  isNumber: (name) => name === "words" || facts.measures.includes(name),
  counted: drawFacts,
  choose: read,
  failed: complain,
});

const downloads = el(
  "p",
  { class: "downloads" },
  el("button", { type: "button", class: "quiet", onclick: () => download("csv") }, "These rows (CSV)"),
  el("button", { type: "button", class: "quiet", onclick: () => download("jsonl") }, "These samples with texts (JSON lines)"),
);
const slices = slicesView({
  facts: () => facts,
  measures: () => shownColumns(facts).filter((name) => facts.measures.includes(name)),
});
const chooser = columnChooser({
  facts: () => facts,
  changed() {
    rows.update().then(slices.draw);
  },
});
const keys = sampleKeys({
  facts: () => facts,
  step: (by) => rows.step(by),
  go(input, system) {
    change({ input, system });
    read(input, system).then(() => rows.show(input, system).catch(complain));
  },
  failed: complain,
});

function complain(error) {
  trouble.textContent = error.message;
}

// `shown`: how many rows fit the query, if that is known.
function drawFacts(shown) {
  trouble.textContent = failures().join("; ");
  const all = facts.summaries;
  const rowsShown =
    (shown ?? all) >= all ? count(shown ?? all, "summary", "summaries") : `${shown.toLocaleString("en-US")} of ${count(all, "summary", "summaries")}`;
  const parts = [
    ...(all || !facts.pyramids.length ? [rowsShown] : []),
    ...(facts.pyramids.length ? [count(facts.pyramids.length, "pyramid")] : []),
    facts.files.map(fileFacts).join(" · ") || "no file yet",
    ...(facts.changes ? [`compared with the run before: ${facts.changes.new_rows} new, ${facts.changes.missing_rows} missing`] : []),
  ];
  factsLine.textContent = parts.join(" · ");
  if (!facts.busy && shown !== undefined) say(rowsShown);
}

function fileFacts(file) {
  const name = file.name.split("/").pop();
  if (file.state === "reading") return `${name} (reading: ${count(file.rows, "row")})`;
  if (file.state === "growing") return `${name} (running: ${count(file.rows, "row")})`;
  return name;
}

function failures() {
  return facts.files.filter((file) => file.state === "failed").map((file) => file.note);
}

function drawPyramids() {
  pyramids.hidden = !facts.pyramids.length;
  pyramids.replaceChildren(
    el("h2", { id: "pyramids" }, "Pyramids"),
    el(
      "ul",
      {},
      facts.pyramids.map((pyramid) =>
        el(
          "li",
          {},
          pyramid.units === null
            ? [foreign(pyramid.instance), el("span", { class: "faded" }, ` ${count(pyramid.annotated, "annotated summary", "annotated summaries")}; drop the pyramid to see them`)]
            : [
                el("a", { href: `/pyramid?${new URLSearchParams({ input: pyramid.instance })}` }, foreign(pyramid.instance)),
                el("span", { class: "faded" }, ` ${count(pyramid.units, "unit")}, ${count(pyramid.references, "reference")}, ${count(pyramid.annotated, "annotated summary", "annotated summaries")}`),
              ],
        ),
      ),
    ),
  );
}

// All rows that fit the query, in the order of the table.
function download(kind) {
  const { sort, descending, find } = state;
  const query = new URLSearchParams({ kind, sort, descending, find });
  for (const name of shownColumns(facts)) query.append("column", name);
  el("a", { href: `/export?${query}`, download: "" }).click();
}

let asked = 0,
  asking = 0;
async function read(input, system) {
  const mine = (asked += 1);
  try {
    const sample = await ask(`/sample?${new URLSearchParams({ input, system, other: state.other })}`);
    if (mine !== asked) return;
    heading.replaceChildren(foreign(sample.input), " · ", foreign(sample.system));
    view.replaceChildren(sampleView(sample, () => read(input, system)));
    document.body.classList.add("reading");
  } catch (error) {
    if (mine === asked) view.replaceChildren(el("p", { class: "trouble" }, error.message));
  }
}

function readNamed() {
  const { input, system } = state;
  if (!input || !system || !facts.summaries) return;
  read(input, system).then(() => rows.show(input, system).catch(complain));
}

async function take(files) {
  const errors = [];
  for (const file of files) {
    try {
      factsLine.textContent = `Reading ${file.name} …`;
      await give(file);
    } catch (error) {
      errors.push(error.message);
    }
  }
  await refresh();
  if (errors.length) trouble.textContent = errors.join("; ");
}

// While files are read or a run writes them, the page asks again.
async function refresh() {
  const { change: before, busy } = facts;
  facts = await ask("/facts");
  // Of two runs, regressions come first.
  if (before === undefined && facts.changes?.sort && !state.sort)
    change({ sort: facts.changes.sort, descending: facts.changes.descending ? "1" : "" });
  if (before === undefined && facts.changes && !state.other) change({ other: "@before" });
  downloads.hidden = !facts.summaries;
  document.body.classList.toggle("bare", facts.summaries === 0);
  drawPyramids();
  keys.draw();
  if (facts.change !== before) {
    chooser.draw();
    slices.draw(await rows.update());
  }
  // A sample opened early may lack what came later, such as references of another file.
  if (busy && !facts.busy && document.body.classList.contains("reading")) read(state.input, state.system);
  // A file may have been read to its end without another row.
  drawFacts(facts.summaries ? rows.count() : 0);
  clearTimeout(asking);
  if (facts.busy) asking = setTimeout(() => refresh().catch(complain), 1000);
}

async function restart() {
  const ready = await rows.restart();
  slices.draw(ready);
}

onStateChange(() => {
  reread();
  search.input.value = state.find;
  keys.draw();
  chooser.draw();
  restart();
  readNamed();
});
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
  el("header", { class: "top" }, brand(), themeButton(), el("h1", {}, "Summaries"), factsLine),
  el(
    "main",
    { id: "main" },
    el(
      "div",
      { class: "controls" },
      el("div", { class: "finder" }, field("find", search.input), search.list),
      el("button", { type: "button", class: "quiet", onclick: () => picker.click() }, "Open files …"),
      el("span", { class: "small faded" }, "or drop them here: summaries, scores, documents, pyramids; CSV, JSON, Parquet, logs of harnesses"),
      picker,
    ),
    trouble,
    pyramids,
    chooser.node,
    el("section", { class: "table", "aria-label": "Table" }, rows.node),
    downloads,
    slices.node,
    el("section", { class: "view", "aria-label": "One sample" }, heading, keys.node, keys.note, view),
  ),
  el("p", { id: "said", class: "unseen", role: "status" }),
);
view.append(el("p", { class: "faded" }, "Choose a row of the table, or press J."));
refresh().then(readNamed, complain);

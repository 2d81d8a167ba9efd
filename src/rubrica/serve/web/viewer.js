// Summaries of any number and pyramids, from files that are opened or dropped here.

import { el, field, say } from "./dom.js";
import { foreign } from "./foreign.js";
import { count } from "./format.js";
import { brand, themeButton } from "./shell.js";
import { onStateChange } from "./state.js";
import { rowsTable } from "./viewer-rows.js";
import { ask, change, give, reread, state } from "./viewer-state.js";
import { summaryView } from "./viewer-summary.js";

let facts = { files: [], columns: [], summaries: 0, pyramids: [] };
const search = el("input", { type: "search", id: "find", placeholder: "lead3 rouge-1.f1>40", value: state.find });
const told = el("p", { class: "facts" }),
  trouble = el("p", { class: "trouble", role: "alert" }),
  pyramids = el("section", { class: "pyramids", "aria-labelledby": "pyramids", hidden: true }),
  view = el("section", { class: "view", "aria-label": "One summary" });
const picker = el("input", { type: "file", multiple: true, class: "unseen", tabindex: "-1", "aria-hidden": "true" });
const rows = rowsTable({
  columns: () => facts.columns,
  counted: drawFacts,
  choose: (at) => read(`/summary/${at}`),
  failed: complain,
});

function complain(error) {
  trouble.textContent = error.message;
}

function drawFacts(shown) {
  const all = facts.summaries;
  const some = shown === all ? count(all, "summary", "summaries") : `${shown.toLocaleString("en-US")} of ${count(all, "summary", "summaries")}`;
  const parts = [
    ...(all || !facts.pyramids.length ? [some] : []),
    ...(facts.pyramids.length ? [count(facts.pyramids.length, "pyramid")] : []),
    facts.files.map((file) => file.name.split("/").pop()).join(" · ") || "no file yet",
  ];
  told.textContent = parts.join(" · ");
  say(some);
}

function drawPyramids() {
  pyramids.hidden = !facts.pyramids.length;
  pyramids.replaceChildren(
    el("h2", { id: "pyramids" }, "Pyramids"),
    el(
      "ul",
      {},
      facts.pyramids.map((one) =>
        el(
          "li",
          {},
          one.units === null
            ? [foreign(one.instance), el("span", { class: "faded" }, ` ${count(one.annotated, "annotated summary", "annotated summaries")}; drop the pyramid to see them`)]
            : [
                el("a", { href: `/pyramid?${new URLSearchParams({ input: one.instance })}` }, foreign(one.instance)),
                el("span", { class: "faded" }, ` ${count(one.units, "unit")}, ${count(one.references, "reference")}, ${count(one.annotated, "annotated summary", "annotated summaries")}`),
              ],
        ),
      ),
    ),
  );
}

let asked = 0;
async function read(path) {
  const mine = (asked += 1);
  try {
    const one = await ask(path);
    if (mine !== asked) return;
    change({ input: one.input, system: one.system });
    rows.mark(one.at);
    view.replaceChildren(...summaryView(one));
  } catch (error) {
    if (mine === asked) view.replaceChildren(el("p", { class: "trouble" }, error.message));
  }
}

function readNamed() {
  const { input, system } = state;
  if (input && system && facts.summaries) read(`/summary?${new URLSearchParams({ input, system })}`);
}

async function take(files) {
  trouble.textContent = "";
  for (const file of files) {
    try {
      told.textContent = `Reading ${file.name} …`;
      await give(file);
    } catch (error) {
      complain(error);
    }
  }
  await refresh();
}

async function refresh() {
  facts = await ask("/facts");
  rows.forget();
  document.body.classList.toggle("bare", facts.summaries === 0);
  drawPyramids();
  await rows.restart();
  drawFacts(state.find ? Number(rows.node.querySelector("table").getAttribute("aria-rowcount")) - 1 : facts.summaries);
}

let waiting = 0;
search.addEventListener("input", () => {
  change({ find: search.value });
  clearTimeout(waiting);
  waiting = setTimeout(rows.restart, 120);
});
onStateChange(() => {
  reread();
  search.value = state.find;
  rows.restart();
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
  el("header", { class: "top" }, brand(), themeButton(), el("h1", {}, "Summaries"), told),
  el(
    "main",
    { id: "main" },
    el(
      "div",
      { class: "controls" },
      field("find", search),
      el("button", { type: "button", class: "quiet", onclick: () => picker.click() }, "Open files …"),
      el("span", { class: "small faded" }, "or drop them here: JSON lines of summaries, scores, pyramids or annotations"),
      picker,
    ),
    trouble,
    pyramids,
    el("div", { class: "layout" }, el("section", { "aria-label": "Table" }, rows.node), view),
  ),
  el("p", { id: "said", class: "unseen", role: "status" }),
);
view.append(el("p", { class: "faded" }, "Choose a summary to read it."));
refresh().then(readNamed, complain);

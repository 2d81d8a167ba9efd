// Scores per slice: a table with intervals of the rows that fit the query, grouped by what is chosen.

import { el, field, option } from "../dom.js";
import { foreign } from "../foreign.js";
import { count, digitsFor, number } from "../format.js";
import { ask, change, state } from "./state.js";

const NO_SLICES = "";

// `measures()` are the columns of the table.
export function slicesView({ facts, measures }) {
  const by = el("select"),
    place = el("div");
  const node = el("section", { class: "slices", "aria-label": "Slices" }, el("div", { class: "controls" }, field("scores by", by)), place);
  let turn = 0;

  // `ready`: whether the query was understood.
  function draw(ready) {
    const { slices, summaries } = facts();
    node.hidden = !ready || !summaries || !measures().length;
    by.replaceChildren(
      option(NO_SLICES, "no slices", !state.slice),
      ...slices.map((name) => option(name, name, name === state.slice)),
    );
    return load();
  }

  async function load() {
    const mine = (turn += 1);
    if (!state.slice || node.hidden) {
      place.replaceChildren();
      return;
    }
    const query = new URLSearchParams({ by: state.slice, find: state.find });
    for (const name of measures()) query.append("measure", name);
    try {
      const found = await ask(`/slices?${query}`);
      if (mine === turn) place.replaceChildren(...slicesTable(found));
    } catch (error) {
      if (mine === turn) place.replaceChildren(el("p", { class: "faded" }, error.message));
    }
  }

  by.addEventListener("change", () => {
    change({ slice: by.value });
    load();
  });
  return { node, draw };
}

function slicesTable({ by, measures, slices, rows, looked_at, left_out }) {
  const digits = measures.map((_, at) => digitsFor(slices.map(({ scores }) => scores[at].value)));
  const head = ["rows", ...measures].map((name) => el("th", { scope: "col", class: "number" }, name));
  const body = slices.map((slice) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, foreign(slice.name)),
      el("td", { class: "number" }, slice.rows.toLocaleString("en-US")),
      slice.scores.map(({ value, lower, upper }, at) =>
        el(
          "td",
          { class: "number" },
          number(value, digits[at]),
          lower !== null && el("span", { class: "rank" }, `${number(lower, digits[at])} to ${number(upper, digits[at])}`),
        ),
      ),
    ),
  );
  const notes = [
    looked_at < rows && `A sample of ${looked_at.toLocaleString("en-US")} of ${count(rows, "row")}.`,
    left_out > 0 && `${count(left_out, "smaller slice")} left out.`,
    "Means with 95 % intervals over rows, which count as independent: filter by a system to compare like with like.",
  ];
  return [
    el(
      "div",
      { class: "scroller", tabindex: "0", role: "group", "aria-label": `Scores by ${by}` },
      el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, by), head)), el("tbody", {}, body)),
    ),
    el("p", { class: "small faded" }, notes.filter(Boolean).join(" ")),
  ];
}

// Metrics by human scores: a cell for each correlation, shaded by how well the two agree.

import { el } from "../dom.js";
import { number } from "../format.js";
import { COEFFICIENT_NAMES, change, data, humanNow, marked, rankingNow, spanText } from "./state.js";

const SHADES = 5;

// The columns: all human scores at the level that is shown; of a single human score, all levels.
export function heatColumns() {
  const now = rankingNow();
  return data.rankings.filter(
    (one) =>
      one.coefficient === now.coefficient &&
      (data.humans.length > 1 ? one.level === now.level : one.human === now.human),
  );
}

function heatTitle() {
  const now = rankingNow();
  const what = data.humans.length > 1 ? `human scores at the ${now.level} level` : `${marked(now.human)} at each level`;
  return `${COEFFICIENT_NAMES[now.coefficient]} with ${what}`;
}

// From how well a metric agrees with people, whatever its sign, to a class: shade-0 ... shade-5, or cool-1 ... cool-5.
function shadeOf({ value, sign }) {
  if (value === null) return "shade-0";
  const agreement = sign * value;
  const step = Math.min(SHADES, Math.ceil(Math.abs(agreement) * SHADES));
  return `${agreement < 0 ? "cool" : "shade"}-${step}`;
}

function heatCell(ranking, metric) {
  const standing = ranking.standings.find((one) => one.metric === metric);
  const clusters = new Set(ranking.standings.map((one) => one.cluster)).size;
  const details = [
    standing.lower !== null && spanText(standing, 2),
    clusters > 1 && standing.cluster !== null && `cluster ${standing.cluster}`,
  ].filter(Boolean);
  const best = clusters > 1 && standing.cluster === 1;
  return el(
    "td",
    { class: `number ${shadeOf(standing)}` },
    el(best ? "strong" : "span", {}, number(standing.value, 2)),
    details.length > 0 && el("span", { class: "span" }, details.join(" · ")),
  );
}

function heatHead(ranking, redraw) {
  if (data.humans.length < 2) return el("th", { scope: "col", class: "number" }, `${ranking.level} level`);
  const choose = () => {
    change({ human: ranking.human });
    redraw();
  };
  return el(
    "th",
    { scope: "col", class: "number" },
    el(
      "button",
      { type: "button", class: "choose", "aria-pressed": String(ranking.human === humanNow()), onclick: choose },
      el("bdi", {}, marked(ranking.human)),
    ),
  );
}

export function heatMap(redraw) {
  const columns = heatColumns();
  return el(
    "div",
    { class: "scroller", tabindex: "0", role: "group", "aria-label": heatTitle() },
    el(
      "table",
      { class: "heat" },
      el("caption", { class: "unseen" }, heatTitle()),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "metric"), columns.map((one) => heatHead(one, redraw)))),
      el(
        "tbody",
        {},
        rankingNow().standings.map(({ metric }) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, el("bdi", {}, marked(metric))),
            columns.map((one) => heatCell(one, metric)),
          ),
        ),
      ),
    ),
  );
}

export function heatNote() {
  const clustered = heatColumns().some((one) => new Set(one.standings.map((standing) => standing.cluster)).size > 1);
  const level = data.config.confidence ? `${data.config.confidence}\u00a0% interval` : "interval";
  return [
    `${heatTitle()}. The stronger the colour, the better the agreement; blue cells disagree. Below a value: its ${level}${clustered ? " and cluster; bold: the first cluster" : ""}.`,
    data.humans.length > 1 && "Click the name of a human score to order the metrics by it.",
  ]
    .filter(Boolean)
    .join(" ");
}

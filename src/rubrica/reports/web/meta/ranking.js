// Metrics in order: a forest of intervals, a table, and the tests of every two.

import { POINTED, chart } from "../charts.js";
import { el, inParts } from "../dom.js";
import { number, probability } from "../format.js";
import { COEFFICIENT_NAMES, data, marked, rankingNow, spanText } from "./state.js";
import { sortableTable } from "../table.js";

export function title(ranking) {
  return `${COEFFICIENT_NAMES[ranking.coefficient]} with ${marked(ranking.human)}, ${ranking.level} level`;
}

export const forest = chart(
  (width, colours) => {
    const ranking = rankingNow();
    const order = ranking.standings.map((one) => marked(one.metric));
    const values = ranking.standings
      .filter((one) => one.value !== null)
      .map((one) => ({ ...one, metric: marked(one.metric), tip: `${marked(one.metric)}: ${number(one.value, 3)}${one.lower === null ? "" : ` (${spanText(one)})`}` }));
    const y = { field: "metric", type: "nominal", sort: order, title: null, axis: { ticks: false, grid: true, labelPadding: 10 } };
    return {
      height: 24 * values.length,
      data: { values },
      layer: [
        { mark: { type: "rule", color: colours.faded, strokeDash: [3, 3] }, encoding: { x: { datum: 0 } } },
        {
          mark: { type: "rule", strokeWidth: 3, opacity: 0.5, strokeCap: "round" },
          encoding: { y, x: { field: "lower", type: "quantitative" }, x2: { field: "upper" } },
        },
        {
          mark: { type: "point", filled: true, size: 90, opacity: 1 },
          encoding: {
            ...POINTED,
            y,
            x: { field: "value", type: "quantitative", title: COEFFICIENT_NAMES[ranking.coefficient], scale: { nice: true } },
            shape: {
              field: "cluster",
              type: "nominal",
              legend: distinctClusters(ranking) > 1 ? { title: "cluster", orient: "bottom" } : null,
            },
          },
        },
      ],
    };
  },
  () => `Correlations with intervals: ${title(rankingNow())}. The table below has all numbers.`,
);

function distinctClusters(ranking) {
  return new Set(ranking.standings.map((one) => one.cluster)).size;
}

export function rankingTable() {
  const ranking = rankingNow();
  return sortableTable({
    caption: title(ranking),
    rows: ranking.standings,
    sort: { key: "value", descending: true },
    columns: [
      { key: "metric", label: "metric", value: (one) => one.metric, cell: (one) => el("bdi", {}, marked(one.metric)) },
      {
        key: "value",
        label: ranking.coefficient,
        number: true,
        // By agreement with people, as metrics are ranked: if lower is better, −0.9 comes before −0.1.
        value: (one) => (one.value === null ? null : one.sign * one.value),
        cell: (one) => number(one.value, 3),
      },
      {
        key: "interval",
        label: data.config.confidence ? `${data.config.confidence}\u00a0% interval` : "interval",
        number: true,
        value: (one) => one.lower,
        cell: (one) => spanText(one),
      },
      {
        key: "cluster",
        label: "cluster",
        number: true,
        descending: false,
        value: (one) => one.cluster,
        cell: (one) => String(one.cluster ?? "–"),
      },
      {
        key: "beats",
        label: "beats",
        number: true,
        value: (one) => one.beats.length,
        cell: (one) => el("span", { title: one.beats.join(", ") || null }, String(one.beats.length)),
      },
      {
        key: "n",
        label: "points",
        number: true,
        value: (one) => one.n,
        cell: (one) =>
          ranking.level === "summary" ? `${one.n} × ${one.defined} inputs` : String(one.n),
      },
    ],
  }).node;
}

// The smaller p, the stronger the colour: 0.1, 0.05, 0.01, 0.001.
function pShade(p) {
  return `shade-${[0.1, 0.05, 0.01, 0.001].filter((bound) => p <= bound).length}`;
}

function testCell(ranking, a, b) {
  const p = ranking.adjusted[a][b];
  if (a === b) return el("td", { class: "self" });
  if (p === null) return el("td", { class: "number" }, "–");
  const beats = ranking.standings[a].beats.includes(ranking.standings[b].metric);
  const verdict = `${ranking.standings[a].metric} agrees ${beats ? "significantly" : "not significantly"} better with people than ${ranking.standings[b].metric}`;
  return el(
    "td",
    {
      class: `number ${pShade(p)}${beats ? " beats" : ""}${edge(ranking, b)}`,
      title: `p = ${probability(ranking.p_values[a][b])}, adjusted ${probability(p)}`,
    },
    probability(p),
    " ",
    el("span", { class: "verdict better", role: "img", "aria-label": verdict }, beats ? "▲" : "·"),
  );
}

// A line where a cluster ends.
function edge(ranking, at) {
  const here = ranking.standings[at].cluster,
    next = ranking.standings[at + 1]?.cluster;
  return next !== undefined && next !== here ? " last" : "";
}

export function testMatrix() {
  const ranking = rankingNow();
  const names = ranking.standings.map((one) => one.metric);
  if (names.length < 2) return el("p", {}, "There is only one metric.");
  return el(
    "div",
    { class: "scroller", tabindex: "0", role: "group", "aria-label": "Tests of every two metrics" },
    el(
      "table",
      { class: "matrix tests" },
      el("caption", { class: "unseen" }, `Adjusted p: the row’s metric agrees better than the column’s (${title(ranking)})`),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "better ↓ than →"),
          names.map((name, at) =>
            el("th", { scope: "col", class: `number${edge(ranking, at)}` }, el("bdi", {}, inParts(marked(name)))),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        names.map((name, a) =>
          el(
            "tr",
            { class: edge(ranking, a).trim() || null },
            el(
              "th",
              { scope: "row" },
              el("bdi", {}, marked(name)),
              distinctClusters(ranking) > 1 &&
                el("span", { class: "tag" }, `cluster ${ranking.standings[a].cluster ?? "–"}`),
            ),
            names.map((_, b) => testCell(ranking, a, b)),
          ),
        ),
      ),
    ),
  );
}

export function testNote() {
  const ranking = rankingNow();
  const clusters =
    distinctClusters(ranking) > 1
      ? "Lines end clusters."
      : ranking.standings[0].cluster !== null && "All metrics are in one cluster: none is significantly better than one below it.";
  return `Adjusted p of “the row’s metric agrees better with people than the column’s”. ▲ significant (p ≤ ${Number(data.alpha.toPrecision(6))}), · not; the stronger the colour, the smaller p. ${clusters || ""}`.trim();
}

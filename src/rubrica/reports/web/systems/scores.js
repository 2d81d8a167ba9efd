// Tables of scores: the leaderboard, one measure in detail, every two systems.

import { el, inParts } from "../dom.js";
import { quoted } from "../foreign.js";
import { count, number, probability, signed } from "../format.js";
import { axis, extent, intervalPlot, stripPlot } from "../plots.js";
import {
  SYSTEMS,
  MEASURES,
  baselineNow,
  data,
  headline,
  inWords,
  interval,
  leadersOf,
  measureNow,
  orderInAddress,
  state,
  systemName,
  testOf,
  testsAgainst,
  valuesOf,
  verdict,
} from "./state.js";
import { sortableTable } from "../table.js";
import { tabToFirstPlot, withTip } from "../tips.js";

// Leaderboard

export function shownMeasures() {
  const wanted = new Set(state.columns.split("|"));
  const columns = MEASURES.filter((measure) => wanted.has(measure.name));
  return columns.length ? columns : headline;
}

export function leaderboard() {
  const shown = shownMeasures();
  const bests = new Map(shown.map((measure) => [measure.at, leadersOf(measure)]));
  const table = sortableTable({
    caption: "Systems and their scores",
    rows: SYSTEMS,
    sort: { key: measureNow().name, descending: !measureNow().lower_is_better },
    address: orderInAddress("board"),
    empty: () => `No system matches ${quoted(state.find.trim())}.`,
    onDraw: tabToFirstPlot,
    columns: [
      { key: "system", label: "system", value: (system) => system.name, cell: systemName },
      ...shown.map((measure) => {
        const all = SYSTEMS.flatMap((system) => {
          const { value, lower, upper } = interval(system, measure);
          return [value, lower, upper];
        });
        const scale = extent(all);
        return {
          key: measure.name,
          label: measure.label,
          number: true,
          descending: !measure.lower_is_better,
          value: (system) => interval(system, measure).value,
          cell: (system) => {
            const found = interval(system, measure);
            const best = SYSTEMS.length > 1 && bests.get(measure.at).includes(system);
            const words = inWords(measure, found);
            const score = el(
              "div",
              { class: best ? "score best" : "score" },
              intervalPlot(found, scale, words),
              el("span", { class: "value" }, number(found.value, measure.digits)),
            );
            return withTip(score, words);
          },
        };
      }),
    ],
  });
  const test = state.find.trim().toLowerCase();
  table.filter((system) => system.name.toLowerCase().includes(test));
  return table;
}

// One measure

export function measureTable() {
  const measure = measureNow(),
    baseline = baselineNow();
  const scale = extent(
    SYSTEMS.flatMap((system) => {
      const { lower, upper } = interval(system, measure);
      return [...valuesOf(system, measure), lower, upper];
    }),
  );
  const base = SYSTEMS.length > 1 ? interval(baseline, measure).value : null;
  const tests = testsAgainst(baseline, measure);
  const table = sortableTable({
    caption: `Systems by ${measure.name}${SYSTEMS.length > 1 ? `, compared with ${baseline.name}` : ""}`,
    rows: SYSTEMS,
    sort: { key: "mean", descending: !measure.lower_is_better },
    address: orderInAddress("detail"),
    onDraw: tabToFirstPlot,
    columns: [
      { key: "system", label: "system", value: (system) => system.name, cell: systemName },
      {
        key: "spread",
        label: "inputs, score and interval",
        value: (system) => {
          const { lower, upper } = interval(system, measure);
          return lower === null ? null : upper - lower;
        },
        cell: (system) => {
          const found = interval(system, measure),
            words = inWords(measure, found);
          return withTip(stripPlot(valuesOf(system, measure), found, scale, words, base), words);
        },
      },
      {
        key: "mean",
        label: "score",
        number: true,
        value: (system) => interval(system, measure).value,
        cell: (system) => number(interval(system, measure).value, measure.digits),
      },
      {
        key: "interval",
        label: `${data.resampling.confidence}\u00a0% interval`,
        number: true,
        value: (system) => interval(system, measure).lower,
        cell: (system) => {
          const { lower, upper } = interval(system, measure);
          return lower === null ? "–" : `${number(lower, measure.digits)} … ${number(upper, measure.digits)}`;
        },
      },
      {
        key: "difference",
        label: "difference",
        number: true,
        value: (system) => tests.get(system.at)?.difference ?? null,
        cell: (system) =>
          system.at === baseline.at
            ? "baseline"
            : signed(tests.get(system.at).difference, measure.digits),
      },
      {
        key: "p",
        label: "p",
        number: true,
        descending: false,
        value: (system) => tests.get(system.at)?.p ?? null,
        cell: (system) => probability(tests.get(system.at)?.p),
      },
      {
        key: "verdict",
        label: "adjusted p",
        number: true,
        descending: false,
        value: (system) => tests.get(system.at)?.p_adjusted ?? null,
        cell: (system) => {
          const test = tests.get(system.at);
          if (!test) return "–";
          const { mark, kind, told } = verdict(test, measure);
          return [
            probability(test.p_adjusted),
            " ",
            el("span", { class: `verdict ${kind}`, role: "img", "aria-label": told, title: told }, mark),
          ];
        },
      },
    ].filter(({ key }) => SYSTEMS.length > 1 || !["difference", "p", "verdict"].includes(key)),
  });
  const foot = el("div", { class: "axis-row", "aria-hidden": "true" }, axis(scale));
  table.node.querySelector("thead tr").children[1].append(foot);
  table.node.classList.add("strips");
  return table.node;
}

export function pairMatrix() {
  const measure = measureNow();
  const sign = measure.lower_is_better ? 1 : -1;
  const ranked = [...SYSTEMS].sort(
    (a, b) =>
      sign *
      ((interval(a, measure).value ?? -Infinity * sign) - (interval(b, measure).value ?? -Infinity * sign)),
  );
  return el(
    "div",
    { class: "scroller", tabindex: "0", role: "group", "aria-label": "Pairs of systems" },
    el(
      "table",
      { class: "matrix" },
      el("caption", { class: "unseen" }, `Difference in ${measure.name}: row minus column`),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "row − column"),
          ranked.map((system) => el("th", { scope: "col", class: "number" }, el("bdi", {}, inParts(system.name)))),
        ),
      ),
      el(
        "tbody",
        {},
        ranked.map((row) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, systemName(row)),
            ranked.map((column) => {
              const test = testOf(row, column, measure);
              if (!test) return el("td", { class: "self" });
              const { mark, kind, told } = verdict(test, measure);
              return el(
                "td",
                {
                  class: "number",
                  title: `p = ${probability(test.p)}, adjusted ${probability(test.p_adjusted)}, ${count(test.inputs, "shared input")}`,
                },
                signed(test.difference, measure.digits),
                " ",
                el("span", { class: `verdict ${kind}`, role: "img", "aria-label": told }, mark),
              );
            }),
          ),
        ),
      ),
    ),
  );
}

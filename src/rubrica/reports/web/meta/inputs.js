// Systems with their means, and inputs one by one: scores, ranks, texts and ROUGE matches.

import { el } from "../dom.js";
import { number } from "../format.js";
import { MEASURES, change, data, humanNow, measureNamed, metricNow, state } from "./state.js";
import { chosenMatches } from "../rouge/choice.js";
import { sortableTable } from "../table.js";
import { textBlock } from "../foreign.js";

export function systemsTable() {
  const shown = [...MEASURES.filter((one) => one.human), ...MEASURES.filter((one) => !one.human)];
  return sortableTable({
    caption: "Means of systems",
    rows: data.systems.map((name, at) => ({ name, at })),
    sort: { key: humanNow(), descending: !measureNamed(humanNow()).lower },
    columns: [
      { key: "system", label: "system", value: (row) => row.name, cell: (row) => el("bdi", {}, row.name) },
      ...shown.map((measure) => ({
        key: measure.name,
        label: `${measure.name}${measure.lower ? " ↓" : ""}`,
        number: true,
        descending: !measure.lower,
        value: (row) => data.means[measure.at][row.at].value,
        cell: (row) => {
          const { value, lower, upper } = data.means[measure.at][row.at];
          return [
            number(value, measure.digits),
            lower !== null &&
              el(
                "span",
                { class: "span" },
                `${number(lower, measure.digits)} … ${number(upper, measure.digits)}`,
              ),
          ];
        },
      })),
    ],
  }).node;
}

// Ranks of values, the best 1; equal ones share the mean of their ranks.
function ranksOf(values, lower) {
  return values.map((value) => {
    if (value === null) return null;
    const known = values.filter((one) => one !== null);
    const better = known.filter((one) => (lower ? one < value : one > value)).length;
    const equal = known.filter((one) => one === value).length;
    return better + (equal + 1) / 2;
  });
}

export function inputsTable() {
  const metric = measureNamed(metricNow()),
    human = measureNamed(humanNow());
  const tau = data.agreement[data.humans.indexOf(human.name)][metric.at];
  const column = (measure) => (row) => {
    const known = data.values[measure.at].map((one) => one[row.at]).filter((one) => one !== null);
    return known.length ? known.reduce((sum, one) => sum + one, 0) / known.length : null;
  };
  const mean = (measure) => ({
    key: `mean ${measure.name}`,
    label: `mean ${measure.name}`,
    number: true,
    value: column(measure),
    cell: (row) => number(column(measure)(row), measure.digits),
  });
  return sortableTable({
    caption: `Inputs by agreement of ${metric.name} with ${human.name}`,
    rows: data.inputs.map((name, at) => ({ name, at })),
    sort: { key: "tau", descending: metric.lower !== human.lower },
    limit: 25,
    details: inputDetails,
    columns: [
      { key: "input", label: "input", value: (row) => row.name, cell: (row) => el("bdi", {}, row.name) },
      {
        key: "tau",
        label: "τ-b across systems",
        number: true,
        descending: false,
        value: (row) => tau[row.at],
        cell: (row) => number(tau[row.at], 3),
      },
      mean(human),
      mean(metric),
    ],
  }).node;
}

function inputDetails(input) {
  const metric = measureNamed(metricNow()),
    human = measureNamed(humanNow());
  const own = (measure) => data.values[measure.at].map((row) => row[input.at]);
  const ranks = { metric: ranksOf(own(metric), metric.lower), human: ranksOf(own(human), human.lower) };
  const below = el("div", { class: "drill" });
  const table = sortableTable({
    caption: `Systems on ${input.name}`,
    rows: data.systems
      .map((name, at) => ({ name, at, metric: own(metric)[at], human: own(human)[at] }))
      .filter((row) => row.metric !== null || row.human !== null),
    sort: { key: "human", descending: !human.lower },
    columns: [
      {
        key: "system",
        label: "system",
        value: (row) => row.name,
        cell: (row) =>
          data.texts
            ? el(
                "button",
                { type: "button", class: "open", onclick: () => read(row.at) },
                el("bdi", {}, row.name),
              )
            : el("bdi", {}, row.name),
      },
      ...[
        { key: "human", measure: human },
        { key: "metric", measure: metric },
      ].map(({ key, measure }) => ({
        key,
        label: measure.name,
        number: true,
        descending: !measure.lower,
        value: (row) => row[key],
        cell: (row) => [
          number(row[key], measure.digits),
          el("span", { class: "span" }, `rank ${ranks[key][row.at] ?? "–"}`),
        ],
      })),
      {
        key: "apart",
        label: "rank by people − by metric",
        number: true,
        value: (row) => apart(row.at),
        cell: (row) => number(apart(row.at), 1),
      },
    ],
  }).node;

  function apart(at) {
    return ranks.human[at] === null || ranks.metric[at] === null ? null : ranks.human[at] - ranks.metric[at];
  }

  function read(system) {
    change({ input: input.name, system: data.systems[system] });
    below.replaceChildren(el("h3", {}, el("bdi", {}, data.systems[system])), summaryView(input, system));
  }

  const remembered = data.systems.indexOf(state.system);
  if (data.texts && state.input === input.name && remembered >= 0) read(remembered);
  return el("div", { class: "drill-down" }, table, below);
}

// The text with its ROUGE matches where they were counted, else as it is.
function summaryView(input, system) {
  const row = data.matches?.rows.find(
    (one) => one.instance === input.name && one.system === data.systems[system],
  );
  if (!row) return textBlock(data.texts[system][input.at], data.languages?.[system][input.at]);
  const signature = data.matches.variants[0].signatures[0];
  return el("div", {}, chosenMatches(data.matches, row, { state, change }), el("p", { class: "small faded" }, signature));
}

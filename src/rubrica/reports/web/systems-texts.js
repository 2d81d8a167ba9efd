// Tables of inputs and texts: the hardest inputs, lengths and copying, equal outputs.

import { el } from "./dom.js";
import { count, number, percent } from "./format.js";
import { SYSTEMS, data, measureNow, systemName } from "./systems-state.js";
import { sortableTable } from "./table.js";
import { foreign, textBlock } from "./foreign.js";

// Inputs

function inputRows() {
  const measure = measureNow();
  const sign = measure.lower_is_better ? -1 : 1;
  return data.inputs.map((name, at) => {
    const scored = SYSTEMS.map((system) => ({
      system,
      value: data.values[system.at][at][measure.at],
    })).filter((one) => one.value !== null);
    scored.sort((a, b) => sign * (b.value - a.value));
    const mean = scored.length ? scored.reduce((sum, one) => sum + one.value, 0) / scored.length : null;
    return {
      name,
      at,
      mean,
      scored,
      spread: scored.length ? Math.abs(scored[0].value - scored.at(-1).value) : null,
    };
  });
}

export function inputTable() {
  const measure = measureNow();
  const who = (one) =>
    one
      ? [
          el("bdi", {}, one.system.name),
          " ",
          el("span", { class: "faded" }, number(one.value, measure.digits)),
        ]
      : "–";
  const table = sortableTable({
    caption: `Inputs by ${measure.name}`,
    rows: inputRows(),
    sort: { key: "mean", descending: measure.lower_is_better },
    limit: 25,
    details: data.texts && inputTexts,
    columns: [
      { key: "input", label: "input", value: (row) => row.name, cell: (row) => el("bdi", {}, row.name) },
      {
        key: "mean",
        label: "mean of systems",
        number: true,
        value: (row) => row.mean,
        cell: (row) => number(row.mean, measure.digits),
      },
      {
        key: "spread",
        label: "best − worst",
        number: true,
        value: (row) => row.spread,
        cell: (row) => number(row.spread, measure.digits),
      },
      {
        key: "best",
        label: "best",
        value: (row) => row.scored[0]?.system.name ?? null,
        cell: (row) => who(row.scored[0]),
      },
      {
        key: "worst",
        label: "worst",
        value: (row) => row.scored.at(-1)?.system.name ?? null,
        cell: (row) => who(row.scored.at(-1)),
      },
    ],
  });
  return table.node;
}

function inputTexts(row) {
  const measure = measureNow();
  return row.scored.map(({ system, value }) =>
    el(
      "div",
      { class: "reading" },
      el(
        "h3",
        {},
        el("bdi", {}, system.name),
        " ",
        el("span", { class: "faded" }, number(value, measure.digits)),
      ),
      textBlock(data.texts[system.at][row.at], data.languages?.[system.at][row.at]),
    ),
  );
}

// Texts

export function factsTable() {
  const rows = SYSTEMS.map((system) => ({ system, facts: data.facts[system.at] })).filter((row) => row.facts);
  const has = (key) => rows.some((row) => row.facts[key] !== null);
  const fact = (key, label, shown) => ({
    key,
    label,
    number: true,
    value: (row) => row.facts[key],
    cell: (row) => shown(row.facts[key]),
  });
  return sortableTable({
    caption: "Lengths and copying",
    rows,
    sort: { key: "words", descending: true },
    columns: [
      {
        key: "system",
        label: "system",
        value: (row) => row.system.name,
        cell: (row) => systemName(row.system),
      },
      fact("summaries", "summaries", (value) => String(value)),
      fact("empty", "empty", (value) => String(value)),
      fact("words", "words", (value) => number(value, 1)),
      has("sentences") && fact("sentences", "sentences", (value) => number(value, 1)),
      has("relative_length") && fact("relative_length", "÷ reference", (value) => number(value, 2)),
      fact("repeated", "repeated 3-grams", percent),
      has("novel") && fact("novel", "novel 2-grams", percent),
      has("copied") && fact("copied", "longest copy", (value) => `${number(value, 1)} words`),
    ].filter(Boolean),
  }).node;
}

// Without texts: systems that no measure tells apart on some inputs.
export function equalScoresList() {
  if (!data.equal_scores.length) return el("p", {}, "No two systems have the same scores on an input.");
  return el(
    "ul",
    { class: "duplicates" },
    data.equal_scores.slice(0, 50).map((one) =>
      el(
        "li",
        {},
        one.systems.map((system, at) => [at > 0 && (at === one.systems.length - 1 ? " and " : ", "), el("strong", {}, foreign(system))]),
        ` on ${one.inputs.length.toLocaleString("en-US")} of ${count(data.inputs.length, "input")}: `,
        one.inputs.slice(0, 12).map((input, at) => [at > 0 && ", ", foreign(input)]),
        one.inputs.length > 12 && ` and ${(one.inputs.length - 12).toLocaleString("en-US")} more`,
      ),
    ),
  );
}

function languageOfKey([input, system]) {
  return data.languages?.[data.systems.indexOf(system)]?.[data.inputs.indexOf(input)];
}

export function duplicateList() {
  return data.duplicates.length === 0
    ? el("p", {}, "No two summaries have the same text.")
    : el(
        "ul",
        { class: "duplicates" },
        data.duplicates.slice(0, 50).map((one) =>
          el(
            "li",
            {},
            el(
              "p",
              {},
              el("strong", {}, count(one.summaries.length, "summary", "summaries")),
              ": ",
              one.summaries
                .slice(0, 12)
                .map(([input, system], at) => [at > 0 && ", ", el("bdi", {}, `${input} / ${system}`)]),
              one.summaries.length > 12 && ` and ${one.summaries.length - 12} more`,
            ),
            textBlock(one.text, languageOfKey(one.summaries[0])),
          ),
        ),
      );
}

// Tables of inputs and texts: the hardest inputs, lengths and copying, equal outputs.

import { el } from "../dom.js";
import { count, number, percent } from "../format.js";
import { MEASURES, SYSTEMS, data, measureNow, orderInAddress, systemName } from "./state.js";
import { sortableTable } from "../table.js";
import { foreign, textBlock } from "../foreign.js";

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
      ? el(
          "span",
          { class: "who" },
          el("bdi", {}, one.system.name),
          " ",
          el("span", { class: "faded" }, number(one.value, measure.digits)),
        )
      : "–";
  const table = sortableTable({
    caption: `Inputs by ${measure.name}`,
    rows: inputRows(),
    sort: { key: "mean", descending: measure.lower_is_better },
    address: orderInAddress("inputs"),
    limit: 25,
    details: inputDetails,
    columns: [
      { key: "input", label: "input", value: (row) => row.name, cell: (row) => el("bdi", {}, row.name) },
      {
        key: "mean",
        label: SYSTEMS.length > 1 ? "mean of systems" : measure.name,
        number: true,
        value: (row) => row.mean,
        cell: (row) => number(row.mean, measure.digits),
      },
      SYSTEMS.length > 1 && {
        key: "spread",
        label: "best − worst",
        number: true,
        value: (row) => row.spread,
        cell: (row) => number(row.spread, measure.digits),
      },
      SYSTEMS.length > 1 && {
        key: "best",
        label: "best",
        value: (row) => row.scored[0]?.system.name ?? null,
        cell: (row) => who(row.scored[0]),
      },
      SYSTEMS.length > 1 && {
        key: "worst",
        label: "worst",
        value: (row) => row.scored.at(-1)?.system.name ?? null,
        cell: (row) => who(row.scored.at(-1)),
      },
    ].filter(Boolean),
  });
  return table.node;
}

// Everything about one input: its source, its references, all scores, and the summaries with the best first.
function inputDetails(row) {
  return [...sourceAndReferences(row), inputScores(row), ...(data.texts ? summariesOf(row) : [])];
}

function sourceAndReferences(row) {
  const { document, references, reference_languages } = data.input_texts?.[row.at] ?? { document: null, references: [] };
  const nodes = references.map((text, at) =>
    reading(references.length > 1 ? `Reference ${at + 1} of ${references.length}` : "Reference", textBlock(text, reference_languages[at])),
  );
  if (document === null) return nodes;
  const label = `Source document of ${row.name}`;
  const box = el("div", { class: "source", tabindex: "0", role: "group", "aria-label": label }, textBlock(document));
  return [reading("Source document", box), ...nodes];
}

function reading(title, content) {
  return el("div", { class: "reading" }, el("h3", {}, title), content);
}

function inputScores(row) {
  const order = row.scored.map(({ system }) => system);
  const rows = [...order, ...SYSTEMS.filter((system) => !order.includes(system))];
  const valueOf = (system, measure) => data.values[system.at][row.at][measure.at];
  const table = sortableTable({
    caption: `All scores of ${row.name}`,
    rows,
    sort: { key: null, descending: false },
    columns: [
      { key: "system", label: "system", value: (system) => system.name, cell: systemName },
      ...MEASURES.map((measure) => ({
        key: measure.name,
        label: measure.label,
        number: true,
        descending: !measure.lower_is_better,
        value: (system) => valueOf(system, measure),
        cell: (system) => number(valueOf(system, measure), measure.digits),
      })),
    ],
  });
  const block = reading("All scores", table.node);
  block.classList.add("wide");
  return block;
}

function summariesOf(row) {
  const measure = measureNow();
  return row.scored.map(({ system, value }) =>
    reading(
      [el("bdi", {}, system.name), " ", el("span", { class: "faded" }, number(value, measure.digits))],
      textBlock(data.texts[system.at][row.at], data.languages?.[system.at][row.at]),
    ),
  );
}

// Texts

// Whether some system has this fact.
export function areKnown(key) {
  return data.facts.some((facts) => facts && facts[key] !== null);
}

export function factsTable() {
  const rows = SYSTEMS.map((system) => ({ system, facts: data.facts[system.at] })).filter((row) => row.facts);
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
    address: orderInAddress("texts"),
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
      areKnown("sentences") && fact("sentences", "sentences", (value) => number(value, 1)),
      areKnown("relative_length") && fact("relative_length", "÷ reference", (value) => number(value, 2)),
      fact("repeated", "repeated 3-grams", percent),
      areKnown("novel") && fact("novel", "novel 2-grams", percent),
      areKnown("copied") && fact("copied", "longest copy", (value) => `${number(value, 1)} words`),
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

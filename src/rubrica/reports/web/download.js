// Files made in the page: the numbers it shows, to take along.

import { el } from "./dom.js";

function csvCell(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  // Spreadsheets run cells that begin like formulas; an apostrophe keeps them text.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(rows) {
  return rows.map((row) => row.map(csvCell).join(",") + "\n").join("");
}

export function downloadButton(label, name, type, make) {
  return el("button", { type: "button", class: "quiet", onclick: () => save(name, type, make()) }, label);
}

// The numbers of a chart, below it; `make` gives the text of the file.
export function chartData(label, name, make) {
  return el("p", { class: "downloads chart-data" }, downloadButton(`${label} (CSV)`, name, "text/csv", make));
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

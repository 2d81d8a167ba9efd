// Paper has no scroll bars: what is larger than a page is made smaller before it is printed.

// A4 or Letter within the margins that base.css sets, in CSS pixels; the height below a page's head.
export const PAPER_WIDE = 690;
const PAPER_HIGH = 640;

// The zoom at which a table fits the page. Letters do not shrink evenly (their widths are rounded to pixels), so the
// width is measured as it will be printed, at the zoom found so far, until it fits.
function fitOf(table) {
  const before = table.style.width;
  table.style.width = "1px";
  table.classList.add("on-paper");
  let fit = 1;
  for (let round = 0; round < 5; round++) {
    table.style.setProperty("--fit", fit.toFixed(3));
    const wide = table.getBoundingClientRect().width;
    if (wide <= PAPER_WIDE) break;
    fit *= (0.99 * PAPER_WIDE) / wide;
  }
  table.classList.remove("on-paper");
  table.style.width = before;
  return fit;
}

export function fitToHeight(node, height) {
  node.style.setProperty("--fit", Math.min(1, PAPER_HIGH / height).toFixed(3));
}

// Letters of tables that are shrunk further cannot be read.
const LEAST_FIT = 0.55;

// The columns after the first, in groups that fit the page beside the first with readable letters.
function columnGroups(table) {
  const before = table.style.width;
  table.style.width = "1px";
  table.style.setProperty("--fit", "1");
  table.classList.add("on-paper");
  const widths = [...table.tHead.rows[0].cells].map((cell) => cell.getBoundingClientRect().width);
  table.classList.remove("on-paper");
  table.style.width = before;
  const groups = [];
  let room = -1;
  widths.slice(1).forEach((width, at) => {
    if (width > room) {
      groups.push([]);
      room = PAPER_WIDE / (LEAST_FIT + 0.1) - widths[0];
    }
    groups.at(-1).push(at + 1);
    room -= width;
  });
  return groups;
}

// A copy of a table with its first column and some others. What is open below a row is in the first part only.
function partOf(table, columns, isFirst) {
  const part = table.cloneNode(true);
  part.classList.add("part");
  for (const node of part.querySelectorAll("[id]")) node.removeAttribute("id");
  for (const row of [...part.rows]) {
    const [cell] = row.cells;
    if (cell.colSpan > 1) {
      if (isFirst) cell.colSpan = columns.length + 1;
      else row.remove();
    } else [...row.cells].forEach((one, at) => at === 0 || columns.includes(at) || one.remove());
  }
  return part;
}

function removeParts() {
  for (const part of document.querySelectorAll("table.part")) part.remove();
  for (const table of document.querySelectorAll("table.in-parts")) table.classList.remove("in-parts");
}

function fitTable(table) {
  const fit = fitOf(table);
  const groups = fit < LEAST_FIT && table.tHead ? columnGroups(table) : [];
  if (groups.length > 1) {
    const parts = groups.map((columns, at) => partOf(table, columns, at === 0));
    table.after(...parts);
    const fits = parts.map(fitOf);
    for (const part of parts) part.style.setProperty("--fit", Math.min(...fits).toFixed(3));
    table.classList.add("in-parts");
  }
  table.style.setProperty("--fit", fit.toFixed(3));
}

// Wide tables are printed in parts, below each other.
export function fitTablesToPaper() {
  removeParts();
  for (const node of document.querySelectorAll(".sortable")) node.dispatchEvent(new Event("showall"));
  for (const table of document.querySelectorAll(".scroller > table:not(.large)")) fitTable(table);
}

addEventListener("afterprint", removeParts);

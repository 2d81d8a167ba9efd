// Paper has no scroll bars: what is larger than a page is made smaller before it is printed.

// A4 or Letter within the margins that base.css sets, in CSS pixels; the height below a page's head.
export const PAPER_WIDE = 690;
const PAPER_HIGH = 640;

function leastWidth(table) {
  // Tokens are printed in tiny letters, which cannot be measured on the screen.
  if (table.classList.contains("tokens")) return 100 + 20 * table.rows[0].cells.length;
  const before = table.style.width;
  table.style.width = "1px";
  table.classList.add("on-paper");
  const found = table.offsetWidth;
  table.classList.remove("on-paper");
  table.style.width = before;
  return found;
}

export function fitToHeight(node, height) {
  node.style.setProperty("--fit", Math.min(1, PAPER_HIGH / height).toFixed(3));
}

export function fitTablesToPaper() {
  for (const table of document.querySelectorAll(".scroller > table"))
    table.style.setProperty("--fit", Math.min(1, PAPER_WIDE / leastWidth(table)).toFixed(3));
}

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

export function fitTablesToPaper() {
  for (const node of document.querySelectorAll(".sortable")) node.dispatchEvent(new Event("showall"));
  for (const table of document.querySelectorAll(".scroller > table:not(.large)"))
    table.style.setProperty("--fit", fitOf(table).toFixed(3));
}

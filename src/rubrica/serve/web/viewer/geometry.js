// Where rows lie in a table of any length. Browsers cut boxes of more than some 17 million pixels, so that of a longer
// table is as tall as they allow, and a pixel of scrolling moves it by more than one.

export const ROW = 34;
const TALLEST = 16_000_000;

function scaleOf(total, seen) {
  const height = total * ROW;
  return height <= TALLEST ? 1 : (height - seen) / (TALLEST - seen);
}

// The first row in view when the table is scrolled to `top` and `seen` pixels of it are visible.
export function rowAtTop(total, seen, top) {
  return Math.min(Math.max(0, total - 1), Math.floor((top * scaleOf(total, seen) + 0.5) / ROW));
}

// How far to scroll so that a row is the first in view.
export function topOfRow(total, seen, row) {
  const scale = scaleOf(total, seen);
  return scale === 1 ? row * ROW : Math.ceil((row * ROW) / scale);
}

// The heights above and below the rows from `first` to `last`, which are drawn when `top` is scrolled to.
export function spacers(total, seen, top, first, last) {
  const height = Math.min(TALLEST, total * ROW);
  const above = scaleOf(total, seen) === 1 ? first * ROW : Math.max(0, top - (rowAtTop(total, seen, top) - first) * ROW);
  return [above, Math.max(0, height - above - (last - first) * ROW)];
}

// Tables that sort by any column and stay tables: headers are buttons, the order is announced.

import { el, say } from "./dom.js";

// columns: {key, label, value(row), cell(row), number, descending}; rows: any objects. With `details`
// the first cell of a row opens what details(row) draws, in a row below. With `address` ({text, save}) the order is
// that of `text`, such as `rouge-1.f1.desc`, and the reader's choice is saved. `empty()` says why no row is left.
export function sortableTable({
  caption,
  columns,
  rows,
  sort,
  address = null,
  details = null,
  limit = 200,
  empty = () => "No rows.",
  onDraw = (/** @type {Element} */ _node) => {},
}) {
  const order = orderFrom(address?.text ?? "", columns) ?? { ...sort };
  const body = el("tbody");
  const more = el("p", { class: "more" });
  let shown = limit;
  let kept = rows,
    sorted = rows;
  const heads = columns.map((column) => {
    const button = el(
      "button",
      { type: "button", class: "sort", onclick: () => sortBy(column) },
      column.label,
    );
    return el("th", { scope: "col", class: column.number ? "number" : null }, button);
  });

  function sortBy(column) {
    const first = column.descending ?? Boolean(column.number);
    order.descending = order.key === column.key ? !order.descending : first;
    order.key = column.key;
    draw();
    address?.save(`${order.key}.${order.descending ? "desc" : "asc"}`);
    say(`Sorted by ${column.label}, ${order.descending ? "descending" : "ascending"}`);
  }

  function draw() {
    // Without a key, rows keep the order they came in.
    const column = order.key === null ? null : (columns.find((one) => one.key === order.key) ?? columns[0]);
    columns.forEach((one, at) => {
      const direction = order.descending ? "descending" : "ascending";
      heads[at].setAttribute("aria-sort", one === column ? direction : "none");
    });
    sorted = column ? sortedBy(kept, column.value, order.descending) : kept;
    body.replaceChildren(...sorted.slice(0, shown).map(rowOf));
    more.replaceChildren(...(sorted.length ? [] : [el("span", { class: "faded empty" }, empty())]));
    if (sorted.length > shown) {
      const rest = sorted.length - shown;
      const button = el(
        "button",
        {
          type: "button",
          class: "quiet",
          onclick: () => {
            shown += 10 * limit;
            draw();
          },
        },
        `Show more (${rest.toLocaleString("en-US")} left)`,
      );
      more.append(button);
    }
    onDraw(node);
  }

  // Paper has no button for more. Rows are added, so that what is open stays open.
  function showAll() {
    if (sorted.length <= shown) return;
    body.append(...sorted.slice(shown).map(rowOf));
    shown = sorted.length;
    more.replaceChildren();
    onDraw(node);
  }

  function rowOf(row) {
    const node = el("tr");
    columns.forEach((column, at) => {
      const content = column.cell ? column.cell(row) : column.value(row);
      const kind = column.number ? "number" : null;
      if (at > 0) node.append(el("td", { class: kind }, content));
      else
        node.append(el("th", { scope: "row", class: kind }, details ? opener(node, row, content) : content));
    });
    return node;
  }

  function opener(node, row, content) {
    let below = null;
    const button = el("button", { type: "button", class: "open", "aria-expanded": "false" }, content);
    button.addEventListener("click", () => {
      if (below) below.remove();
      below = below
        ? null
        : el("tr", { class: "below" }, el("td", { colspan: columns.length }, details(row)));
      if (below) node.after(below);
      button.setAttribute("aria-expanded", String(below !== null));
    });
    return button;
  }

  const scroller = el(
    "div",
    { class: "scroller", tabindex: "0", role: "group", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, heads)), body),
  );
  const node = el("div", { class: "sortable", onshowall: showAll }, scroller, more);
  draw();
  return {
    node,
    order,
    filter(test) {
      kept = rows.filter(test);
      draw();
      return kept.length;
    },
  };
}

// Null where the text names no column.
function orderFrom(text, columns) {
  const [, key, direction] = text.match(/^(.+)\.(asc|desc)$/) ?? [];
  return columns.some((column) => column.key === key) ? { key, descending: direction === "desc" } : null;
}

// Undefined values come last in either direction; equal ones keep their order.
export function sortedBy(rows, value, descending) {
  const sign = descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const a = value(one),
      b = value(other);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  });
}

// The numbers of small plots, shown when a plot is pointed at or has the focus.

import { el } from "./dom.js";

// Plots already have these words as their names, so screen readers skip the bubble.
const bubble = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export function withTip(node, text) {
  node.dataset.tip = text;
  return node;
}

// One plot of a table is a tab stop; arrow keys reach the others.
export function tabToFirstPlot(node) {
  node.querySelectorAll("td .plot").forEach((plot, at) => plot.setAttribute("tabindex", at === 0 ? "0" : "-1"));
}

function showTip(event) {
  const node = event.target.closest?.("[data-tip]");
  if (!node) {
    hideTip();
    return;
  }
  showBeside(node.dataset.tip, node.getBoundingClientRect());
}

// Above a place on the screen, or below it where there is no room.
function showBeside(text, { left, top, bottom }) {
  if (!bubble.isConnected) document.getElementById("main").append(bubble);
  bubble.textContent = text;
  bubble.hidden = false;
  const own = bubble.getBoundingClientRect();
  const start = Math.min(left, document.documentElement.clientWidth - own.width - 8);
  bubble.style.left = `${Math.max(8, start)}px`;
  bubble.style.top = `${top > own.height + 8 ? top - own.height - 4 : bottom + 4}px`;
}

export function tipAt(text, x, y) {
  showBeside(text, { left: x, top: y - 8, bottom: y + 16 });
}

export function hideTip() {
  bubble.hidden = true;
}

function moveFocus(event) {
  if (event.key === "Escape") hideTip();
  const plot = event.target.closest?.(".plot[tabindex]"),
    step = STEPS[event.key];
  if (!plot || !step) return;
  event.preventDefault();
  const row = plot.closest("tr"),
    at = [...row.querySelectorAll(".plot")].indexOf(plot);
  const rows = [...row.parentNode.children];
  rows[rows.indexOf(row) + step[0]]?.querySelectorAll(".plot")[at + step[1]]?.focus();
}

export function listenForTips() {
  for (const event of ["pointerover", "focusin"]) document.addEventListener(event, showTip);
  for (const event of ["focusout", "pointerleave"]) document.addEventListener(event, hideTip);
  document.addEventListener("scroll", hideTip, true);
  document.addEventListener("keydown", moveFocus);
}

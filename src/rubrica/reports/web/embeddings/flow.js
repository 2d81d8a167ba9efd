// The flow: the tokens of both texts in two columns, and between them bands as wide as what goes there.

import { closenessOf, kindWords, shadeOf } from "./alignment-model.js";
import { el, svg } from "../dom.js";
import { foreign, quoted } from "../foreign.js";
import { number, percent } from "../format.js";
import { fitToHeight } from "../printing.js";

// The least height of a token, so that it can be read and touched; the width of the drawing's own units.
const LEAST = 24;
const WIDE = 1000;

function sumOf(links) {
  return links.reduce((sum, link) => sum + link.amount, 0);
}

// Tokens of one side from top to bottom, each with its links, place and height.
function columnOf(pair, side, scale, order) {
  let top = 0;
  const nodes = new Map();
  for (const at of order) {
    const links = pair.links.filter((link) => link[side] === at);
    const flow = sumOf(links) * scale;
    const height = Math.max(LEAST, flow);
    nodes.set(at, { at, side, links, top, height, next: top + (height - flow) / 2 });
    top += height + 2;
  }
  return { nodes, height: top };
}

// The reference's tokens next to their partners, which saves crossings; those without any come last.
function untangled(pair) {
  const middle = (at) => {
    const links = pair.links.filter((link) => link.reference === at);
    const all = sumOf(links);
    return all ? links.reduce((sum, link) => sum + link.amount * link.summary, 0) / all : Infinity;
  };
  const places = pair.alignment.reference.map((_, at) => middle(at));
  return [...places.keys()].sort((a, b) => (places[a] === places[b] ? a - b : places[a] - places[b]));
}

function bandPath(link, ours, theirs, scale) {
  const wide = Math.max(1, link.amount * scale);
  const [a, b] = [ours.next, theirs.next];
  ours.next += link.amount * scale;
  theirs.next += link.amount * scale;
  const bend = WIDE / 2;
  return `M0 ${a}C${bend} ${a} ${bend} ${b} ${WIDE} ${b}v${wide}C${bend} ${b + wide} ${bend} ${a + wide} 0 ${a + wide}z`;
}

function nodeWords(pair, node) {
  const { alignment } = pair;
  const other = node.side === "summary" ? "reference" : "summary";
  const name = quoted(alignment[node.side][node.at]);
  if (!node.links.length) return `${name} in the ${node.side} goes with no token`;
  const words = kindWords(node.links[0].kind);
  const partners = [...node.links]
    .sort((a, b) => b.amount - a.amount)
    .slice(0, 6)
    .map((link) => `${quoted(alignment[other][link[other]])} (${percent(link.amount)}, ${alignment.measure} ${number(closenessOf(pair, link), 3)})`);
  const rest = node.links.length - partners.length;
  const verb = node.side === "summary" ? words.verb : words.back;
  return `${name} in the ${node.side} ${verb} ${partners.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

// With `inOrder` the reference's tokens stay as in the text, instead of next to their partners.
export function flow(pair, info, inOrder = false) {
  const { alignment } = pair;
  const size = Math.max(alignment.summary.length, alignment.reference.length);
  const scale = Math.max(LEAST * size, 260);
  const order = inOrder ? alignment.reference.map((_, at) => at) : untangled(pair);
  const ours = columnOf(pair, "summary", scale, alignment.summary.map((_, at) => at)),
    theirs = columnOf(pair, "reference", scale, order);
  const height = Math.max(ours.height, theirs.height);
  const shade = shadeOf(pair);

  const place = new Map(order.map((at, rank) => [at, rank]));
  const sorted = [...pair.links].sort((a, b) => a.summary - b.summary || place.get(a.reference) - place.get(b.reference));
  // What enters a token of the reference is stacked in the order in which it leaves the summary.
  const bands = sorted.map((link) => {
    const path = svg("path", { d: bandPath(link, ours.nodes.get(link.summary), theirs.nodes.get(link.reference), scale), class: "band" });
    path.style.opacity = String(0.2 + 0.65 * shade(closenessOf(pair, link)));
    return { link, path };
  });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDE} ${height}`, height, preserveAspectRatio: "none", class: "bands", "aria-hidden": "true" },
    bands.map((band) => band.path),
  );

  const columns = [ours, theirs].map((column, number_) => {
    const side = number_ ? "reference" : "summary";
    const box = el("div", { class: `column ${side}`, role: "group", "aria-label": `Tokens of the ${side}` });
    box.style.height = `${height}px`;
    for (const node of column.nodes.values()) {
      node.button = el(
        "button",
        { type: "button", class: node.links.length ? "node" : "node alone", tabindex: "-1", "data-side": side, "data-at": String(node.at) },
        foreign(alignment[side][node.at], pair.languages[side]),
      );
      node.button.style.top = `${node.top}px`;
      node.button.style.height = `${node.height}px`;
      box.append(node.button);
    }
    return box;
  });
  columns[0].querySelector("button")?.setAttribute("tabindex", "0");

  const sides = { summary: ours.nodes, reference: theirs.nodes };
  const other = { summary: "reference", reference: "summary" };
  const label = `${bands.length} links from ${alignment.summary.length} tokens of the summary to ${alignment.reference.length} of the reference; arrow keys read them, and the table below lists them`;
  const box = el("div", { class: "flow", role: "group", "aria-label": label }, columns[0], drawing, columns[1]);

  function light(node) {
    box.classList.toggle("pointed", node !== null);
    for (const { link, path } of bands) path.classList.toggle("lit", node !== null && link[node.side] === node.at);
    for (const nodes of Object.values(sides))
      for (const one of nodes.values()) {
        const partner = node !== null && (one === node || (one.side !== node.side && one.links.some((link) => link[node.side] === node.at)));
        one.button.classList.toggle("lit", partner);
      }
    info.textContent = node === null ? info.dataset.idle : nodeWords(pair, node);
    info.classList.toggle("live", node !== null);
  }
  const nodeAt = (target) => {
    const found = target.closest?.("button.node");
    return found ? sides[found.dataset.side].get(Number(found.dataset.at)) : null;
  };
  box.addEventListener("pointerover", (event) => {
    const node = nodeAt(event.target);
    const band = bands.find((one) => one.path === event.target);
    if (node) light(node);
    else if (band) light(sides.summary.get(band.link.summary));
    else light(nodeAt(document.activeElement));
  });
  box.addEventListener("pointerleave", () => light(box.contains(document.activeElement) ? nodeAt(document.activeElement) : null));
  box.addEventListener("focusin", (event) => {
    const node = nodeAt(event.target);
    if (!node) return;
    for (const one of box.querySelectorAll("button.node[tabindex='0']")) one.setAttribute("tabindex", "-1");
    node.button.setAttribute("tabindex", "0");
    light(node);
  });
  box.addEventListener("focusout", () => light(null));
  box.addEventListener("keydown", (event) => {
    const node = nodeAt(event.target);
    if (!node) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    let next = null;
    if (step) {
      const column = [...sides[node.side].values()];
      next = column[column.indexOf(node) + step];
    } else if (event.key === (node.side === "summary" ? "ArrowRight" : "ArrowLeft") && node.links.length) {
      const best = node.links.reduce((most, link) => (link.amount > most.amount ? link : most));
      next = sides[other[node.side]].get(best[other[node.side]]);
    } else return;
    event.preventDefault();
    next?.button.focus();
  });
  const scroller = el("div", { class: "scroller flow-scroller" }, el("div", { class: "flow-heads", "aria-hidden": "true" }, el("span", {}, "summary"), el("span", {}, "reference")), box);
  fitToHeight(scroller, height);
  return scroller;
}

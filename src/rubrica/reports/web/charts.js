// Charts by Vega-Lite in the page's own colours; drawn again when the theme or the width changes, and for paper.

import { el } from "./dom.js";
import { PAPER_WIDE } from "./printing.js";
import { hideTip, tipAt } from "./tips.js";

// Told apart by people with every kind of colour vision, too (tests/unit/reports/test_palettes.py).
const CATEGORIES = {
  light: ["#a04b0a", "#00776c", "#481152", "#7591ab", "#b38711", "#253f95", "#79080d", "#8559ba"],
  dark: ["#eda762", "#53a6b2", "#696bbe", "#f4ed7d", "#b4beff", "#b3476c", "#9a8914", "#85fffd"],
};

// A colour of the style sheet as the browser resolves it, light or dark; paper is always light.
function colourOf(name, onPaper) {
  const probe = el("span", { class: "unseen" });
  document.body.append(probe);
  if (onPaper) probe.style.colorScheme = "light";
  probe.style.color = `var(--${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function isDarkColour(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).map(Number);
  return red + green + blue < 384;
}

function palette(onPaper) {
  return {
    ink: colourOf("ink", onPaper),
    faded: colourOf("faded", onPaper),
    line: colourOf("line", onPaper),
    accent: colourOf("accent", onPaper),
    categories: CATEGORIES[isDarkColour(colourOf("paper", onPaper)) ? "dark" : "light"],
  };
}

function configOf(colours, width) {
  const text = {
    labelColor: colours.ink,
    labelFontSize: 12,
    labelLimit: Math.max(90, width * 0.4),
    titleColor: colours.faded,
    titleFontSize: 12,
    titleFontWeight: 500,
  };
  return {
    background: null,
    font: getComputedStyle(document.body).fontFamily,
    view: { stroke: null },
    axis: { ...text, gridColor: colours.line, domainColor: colours.line, tickColor: colours.line },
    axisX: { tickCount: Math.max(3, Math.round(width / 110)) },
    axisY: { tickCount: 6 },
    legend: { ...text, symbolStrokeColor: colours.ink },
    mark: { color: colours.accent },
    rule: { color: colours.accent },
    text: { color: colours.ink, fontSize: 12 },
    range: { category: colours.categories },
    aria: false,
  };
}

// What a panel leaves of the paper's width.
const IN_PANEL = PAPER_WIDE - 42;

// Shows the field `tip` of what is pointed at.
export const POINTED = { tooltip: { field: "tip", type: "nominal" } };

// A place for a chart; `make(width, colours)` gives its specification, `told` says in words what it shows.
export function chart(make, told) {
  const node = el("div", { class: "chart", role: "img" });
  let drawn = null,
    turn = 0,
    width = 0;

  async function draw(onPaper = false) {
    if (!node.isConnected || !node.clientWidth) return;
    const mine = (turn += 1);
    width = node.clientWidth;
    const wide = onPaper ? IN_PANEL : width,
      colours = palette(onPaper);
    node.setAttribute("aria-label", told());
    const place = el("div");
    const spec = {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      autosize: { type: "fit-x", contains: "padding" },
      width: wide,
      ...make(wide, colours),
    };
    if (!spec.data.values.length) {
      node.replaceChildren(el("p", { class: "faded" }, "No value is defined here."));
      return;
    }
    const options = {
      ast: true,
      actions: false,
      defaultStyle: false,
      renderer: "svg",
      tooltip: (_handler, event, _item, text) => (text ? tipAt(text, event.clientX, event.clientY) : hideTip()),
      config: configOf(colours, wide),
      logLevel: 0,
    };
    const made = await window.vegaEmbed(place, spec, options);
    if (mine !== turn) {
      made.finalize();
      return;
    }
    drawn?.finalize();
    drawn = made;
    place.querySelector("svg")?.setAttribute("aria-hidden", "true");
    node.replaceChildren(place);
    node.dataset.drawn = String(turn);
  }

  new ResizeObserver(() => {
    if (Math.abs(node.clientWidth - width) > 1) draw();
  }).observe(node);
  new MutationObserver(() => draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
  // Nothing here waits for more than promises, which are kept before the page is printed.
  addEventListener("beforeprint", () => draw(true));
  addEventListener("afterprint", () => draw());
  return { node, draw: () => draw() };
}

// Charts by Vega-Lite in the page's own colours; drawn again when the theme or the width changes.

import { el } from "./dom.js";

const CATEGORIES = {
  light: ["#9c3d22", "#1f6f8b", "#5b7a1f", "#6b4a9e", "#b8860b", "#a0306b", "#2b6e5b", "#555555"],
  dark: ["#e6926c", "#6cc0dc", "#b3d36b", "#b79ae6", "#e6c34d", "#e687bd", "#6fd0b3", "#bbbbbb"],
};

// A colour of the style sheet as the browser resolves it, light or dark.
function colourOf(name) {
  const probe = el("span", { class: "unseen" });
  document.body.append(probe);
  probe.style.color = `var(--${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function looksDark() {
  const [red, green, blue] = colourOf("paper").match(/[\d.]+/g).map(Number);
  return red + green + blue < 384;
}

export function palette() {
  return {
    ink: colourOf("ink"),
    faded: colourOf("faded"),
    line: colourOf("line"),
    accent: colourOf("accent"),
    sheet: colourOf("sheet"),
    categories: CATEGORIES[looksDark() ? "dark" : "light"],
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

// A place for a chart; `make(width, colours)` gives its specification, `told` says in words what it shows.
export function chart(make, told) {
  const node = el("div", { class: "chart", role: "img" });
  let drawn = null,
    turn = 0,
    width = 0;

  async function draw() {
    if (!node.isConnected || !node.clientWidth) return;
    const mine = (turn += 1);
    width = node.clientWidth;
    const colours = palette();
    node.setAttribute("aria-label", told());
    const place = el("div");
    const spec = {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      autosize: { type: "fit-x", contains: "padding" },
      width: node.clientWidth,
      ...make(node.clientWidth, colours),
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
      tooltip: false,
      config: configOf(colours, node.clientWidth),
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
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return { node, draw };
}

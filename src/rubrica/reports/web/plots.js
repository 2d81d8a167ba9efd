// Small plots: a dot with its interval, and a strip of all values. Drawn to scale, read in words too.

import { svg } from "./dom.js";
import { number } from "./format.js";

// The extent of some numbers with a little air; undefined ones do not count.
export function extent(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const air = (high - low || Math.abs(high) || 1) * 0.04;
  return [low - air, high + air];
}

// The distance of round ticks within an extent.
function tickStep([low, high], wanted = 7) {
  const rough = (high - low) / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((k) => k * unit).find((one) => one >= rough);
}

function ticks([low, high]) {
  const step = tickStep([low, high]);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1)
    found.push(Number((at * step).toPrecision(12)));
  return found;
}

const WIDTH = 1000;

function place(value, [low, high]) {
  return ((value - low) / (high - low)) * WIDTH;
}

// Lines stay thin however wide the plot gets: its x is stretched, its strokes are not.
function frame(height, name, ...marks) {
  return svg(
    "svg",
    {
      class: "plot",
      viewBox: `0 0 ${WIDTH} ${height}`,
      preserveAspectRatio: "none",
      height,
      role: "img",
      "aria-label": name,
    },
    marks,
  );
}

function line(path, kind) {
  return svg("path", { d: path, class: kind, "vector-effect": "non-scaling-stroke" });
}

// A round dot in a stretched plot: a line without length and with round ends.
function dot(x, y, kind) {
  return line(`M${x.toFixed(1)} ${y}h0.01`, kind);
}

export function intervalPlot({ value, lower, upper }, scale, name) {
  if (value === null) return frame(14, name);
  const marks = [];
  if (lower !== null)
    marks.push(line(`M${place(lower, scale).toFixed(1)} 7H${place(upper, scale).toFixed(1)}`, "interval"));
  marks.push(dot(place(value, scale), 7, "dot"));
  return frame(14, name, marks);
}

// Ticks of many values would be one black bar.
const MAX_TICKS = 150;
const BINS = 80;

function ticksPath(values, scale) {
  return values.map((value) => `M${place(value, scale).toFixed(1)} 6v12`).join("");
}

function histogram(values, scale) {
  const bins = new Array(BINS).fill(0);
  for (const value of values) bins[Math.min(BINS - 1, Math.floor((place(value, scale) / WIDTH) * BINS))] += 1;
  const most = bins.reduce((high, one) => Math.max(high, one), 1);
  const wide = WIDTH / BINS;
  const bars = bins.map((one, at) =>
    one ? `M${at * wide} 20v${((-18 * one) / most).toFixed(2)}h${wide}V20z` : "",
  );
  return svg("path", { d: bars.join(""), class: "histogram" });
}

export function stripPlot(values, { value, lower, upper }, scale, name, baseline) {
  const known = values.filter((one) => one !== null);
  const marks = [...ticks(scale).map((tick) => line(`M${place(tick, scale).toFixed(1)} 0V34`, "grid"))];
  if (baseline !== null) marks.push(line(`M${place(baseline, scale).toFixed(1)} 0V34`, "baseline"));
  marks.push(known.length > MAX_TICKS ? histogram(known, scale) : line(ticksPath(known, scale), "strip"));
  if (value !== null) {
    if (lower !== null)
      marks.push(line(`M${place(lower, scale).toFixed(1)} 26H${place(upper, scale).toFixed(1)}`, "interval"));
    marks.push(dot(place(value, scale), 26, "dot"));
  }
  return frame(34, name, marks);
}

export function axis(scale) {
  const digits = Math.max(0, -Math.floor(Math.log10(tickStep(scale)) + 1e-9));
  const marks = ticks(scale).map((tick) => {
    const label = svg("text", {
      x: `${(place(tick, scale) / WIDTH) * 100}%`,
      y: 11,
      "text-anchor": "middle",
    });
    label.textContent = number(tick, digits);
    return label;
  });
  return svg("svg", { class: "axis", height: 14, "aria-hidden": "true" }, marks);
}

// Small plots: a dot with its interval, and a strip of all values. Drawn to scale, read in words too.

import { svg } from "./dom.js";

// The extent of some numbers with a little air; undefined ones do not count.
export function extent(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (!known.length) return [0, 1];
  const low = Math.min(...known), high = Math.max(...known);
  const air = (high - low || Math.abs(high) || 1) * 0.04;
  return [low - air, high + air];
}

// Round ticks within an extent.
export function ticks([low, high], wanted = 5) {
  const rough = (high - low) / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * unit).find((one) => one >= rough);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}

const WIDTH = 1000;

function place(value, [low, high]) {
  return ((value - low) / (high - low)) * WIDTH;
}

// Lines stay thin however wide the plot gets: its x is stretched, its strokes are not.
function frame(height, name, ...marks) {
  return svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", height, role: "img", "aria-label": name }, marks);
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
  if (lower !== null) marks.push(line(`M${place(lower, scale).toFixed(1)} 7H${place(upper, scale).toFixed(1)}`, "interval"));
  marks.push(dot(place(value, scale), 7, "dot"));
  return frame(14, name, marks);
}

export function stripPlot(values, { value, lower, upper }, scale, name, baseline) {
  const known = values.filter((one) => one !== null);
  const strip = known.map((one) => `M${place(one, scale).toFixed(1)} 6v12`).join("");
  const marks = [...ticks(scale).map((tick) => line(`M${place(tick, scale).toFixed(1)} 0V34`, "grid"))];
  if (baseline !== null) marks.push(line(`M${place(baseline, scale).toFixed(1)} 0V34`, "baseline"));
  marks.push(line(strip, "strip"));
  if (value !== null) {
    if (lower !== null) marks.push(line(`M${place(lower, scale).toFixed(1)} 26H${place(upper, scale).toFixed(1)}`, "interval"));
    marks.push(dot(place(value, scale), 26, "dot"));
  }
  return frame(34, name, marks);
}

export function axis(scale, digits) {
  const marks = ticks(scale).map((tick) => {
    const label = svg("text", { x: `${(place(tick, scale) / WIDTH) * 100}%`, y: 11, "text-anchor": "middle" });
    label.textContent = tick.toFixed(Math.abs(tick) < 1 && tick !== 0 ? Math.min(digits, 2) : 0);
    return label;
  });
  return svg("svg", { class: "axis", height: 14, "aria-hidden": "true" }, marks);
}

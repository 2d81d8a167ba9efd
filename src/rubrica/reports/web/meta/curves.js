// How well metrics order the best systems and those that are close: a curve for each, none hidden.

import { POINTED, chart } from "../charts.js";
import { number } from "../format.js";
import { curveNow, data, humanNow, marked } from "./state.js";

const SHAPES = ["circle", "square", "triangle-up", "cross", "diamond", "triangle-right", "triangle-down", "triangle-left"];
const DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4]];

// A colour, a shape and a dash for each metric. They go round at different speeds, so that no two of
// 64 metrics look the same. The legend is one list of all three, without outlines, which
// the dashes would fray.
function looks(categories) {
  const round = (list, step) => data.metrics.map((_, at) => list[(at + step * Math.floor(at / categories.length)) % list.length]);
  return { color: round(categories, 0), shape: round(SHAPES, 1), strokeDash: round(DASHES, 0) };
}

// Metrics that order systems alike have the same curve: [{metrics, points}], in the metrics' order.
function sameCurves(key) {
  const found = new Map();
  for (const one of data.curves.filter((curve) => curve.human === humanNow())) {
    const points = one[key].filter(([, y]) => y !== null).map(([x, y]) => [key === "close" ? 100 * x : x, y]);
    if (!points.length) continue;
    const same = JSON.stringify(points);
    if (!found.has(same)) found.set(same, { metrics: [], points });
    found.get(same).metrics.push(one.metric);
  }
  return [...found.values()];
}

// “a = b = c” on as many lines as it takes.
function legendText(metrics, letters) {
  const lines = [marked(metrics[0])];
  for (const name of metrics.slice(1).map(marked)) {
    const longer = `${lines.at(-1)} = ${name}`;
    if (longer.length <= letters) lines[lines.length - 1] = longer;
    else lines.push(`= ${name}`);
  }
  return lines;
}

// For each place the number of curves that are drawn over it later.
function depths(curves, placesOf) {
  const left = new Map();
  for (const place of curves.flatMap(placesOf)) left.set(place, (left.get(place) ?? 0) + 1);
  return (place) => {
    left.set(place, left.get(place) - 1);
    return Math.min(left.get(place), 5);
  };
}

const THIN = 2,
  FAINT = 0.25,
  LARGE = 3.8,
  SMALL = 2;
const pointName = ([x, y]) => `${x} ${y}`;
const stretchName = (from, to) => `${pointName(from)} ${pointName(to)}`;
const stretches = ({ points }) => points.slice(1).map((to, at) => [points[at], to]);

// The points of all curves, then the stretches between them. If all are to be told apart, a shape that others cover is
// larger and a stretch wider (and not dashed), so that a rim of it is seen.
function marks(curves, names, xName) {
  const now = curveNow();
  const isShown = (metrics) => now === "all" || metrics.includes(now);
  const rims = now === "all" ? 1 : 0;
  const underPoint = depths(curves, ({ points }) => points.map(pointName));
  const underStretch = depths(curves, (one) => stretches(one).map(([from, to]) => stretchName(from, to)));
  return curves.flatMap((one, at) => [
    ...one.points.map((point) => {
      const radius = isShown(one.metrics) ? LARGE + 2.2 * rims * underPoint(pointName(point)) : SMALL;
      return {
        curve: names[at],
        x: point[0],
        y: point[1],
        size: Math.PI * radius ** 2,
        strength: isShown(one.metrics) ? 1 : FAINT,
        tip: `${one.metrics.map(marked).join(", ")}: ${number(point[1], 3)}, ${xName} ${number(point[0], 0)}`,
      };
    }),
    ...stretches(one).map(([from, to]) => ({
      curve: names[at],
      x: from[0],
      y: from[1],
      x2: to[0],
      y2: to[1],
      strength: isShown(one.metrics) ? 1 : FAINT,
      width: THIN + 3 * rims * underStretch(stretchName(from, to)),
    })),
  ]);
}

// Whole numbers for the axis, at most as many as there is room for.
function wholeTicks(curves, width) {
  const found = [...new Set(curves.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => b - a);
  const step = Math.ceil(found.length / Math.max(3, Math.round(width / 50)));
  return found.filter((_, at) => at % step === 0);
}

function curveChart(key, name, reverse, told) {
  return chart(
    (width, colours) => {
      // The highlighted curve is drawn over the others.
      const curves = sameCurves(key).sort((a, b) => Number(a.metrics.includes(curveNow())) - Number(b.metrics.includes(curveNow()))),
        ranges = looks(colours.categories);
      const labels = curves.map(({ metrics }) => legendText(metrics, Math.max(20, Math.floor(width / 9))));
      const names = labels.map((lines) => lines.join("\n"));
      const longest = Math.max(0, ...labels.flat().map((line) => line.length));
      const legend = data.metrics.length > 1 && {
        orient: "bottom",
        columns: Math.max(1, Math.floor(width / (60 + 6.5 * longest))),
        title: null,
        symbolStrokeWidth: 0,
        symbolOpacity: 1,
        symbolSize: 90,
        labelExpr: "split(datum.label, '\\n')",
        labelLimit: width,
        rowPadding: 5,
      };
      const look = (channel) => ({
        [channel]: {
          field: "curve",
          type: "nominal",
          sort: null,
          scale: { domain: names, range: curves.map(({ metrics }) => ranges[channel][data.metrics.indexOf(metrics[0])]) },
          legend: legend || null,
        },
      });
      const ends = { x2: { field: "x2" }, y2: { field: "y2" } };
      const exact = (field) => ({ field, type: "quantitative", scale: null, legend: null });
      return {
        height: 260,
        data: { values: marks(curves, names, name) },
        layer: [
          {
            transform: [{ filter: `datum.width > ${THIN}` }],
            mark: "rule",
            encoding: { ...ends, strokeWidth: exact("width") },
          },
          {
            transform: [{ filter: `datum.width === ${THIN}` }],
            mark: { type: "rule", strokeWidth: THIN },
            encoding: { ...ends, ...look("strokeDash") },
          },
          {
            transform: [{ filter: "isValid(datum.size)" }],
            mark: { type: "point", filled: true },
            encoding: { ...POINTED, ...look("shape"), size: exact("size") },
          },
        ],
        encoding: {
          x: {
            field: "x",
            type: "quantitative",
            title: name,
            sort: reverse ? "descending" : "ascending",
            scale: { zero: false },
            axis: { format: "d", grid: false, ...(key === "top" ? { values: wholeTicks(curves, width) } : {}) },
          },
          y: { field: "y", type: "quantitative", title: "Kendall’s τ-b", scale: { zero: false, nice: true } },
          opacity: exact("strength"),
          ...look("color"),
        },
      };
    },
    () => `${told} ${humanNow()}. ${curveWords(key)}The numbers can be downloaded below.`,
  );
}

// Where each curve begins and ends; metrics with the same curve share a sentence.
function curveWords(key) {
  const at = ([x, y]) => `${number(y, 2)} at ${number(x, 0)}${key === "close" ? " percent" : ""}`;
  return sameCurves(key)
    .map(({ metrics, points }) => `${metrics.join(", ")}: ${[...new Set([at(points[0]), at(points.at(-1))])].join(", ")}. `)
    .join("");
}

export const topCurve = curveChart("top", "the best k systems", true, "Kendall’s tau among the best k systems by");
export const closeCurve = curveChart(
  "close",
  "closest percent of pairs",
  false,
  "Kendall’s tau over the closest pairs of systems, with",
);

// Metric against people, point by point.

import { chart } from "../charts.js";
import { csv } from "../download.js";
import { number } from "../format.js";
import { data, humanNow, measureNamed, metricNow, rankingNow, spanText } from "./state.js";
import { title } from "./ranking.js";

// More points than this are thinned out evenly: nobody sees more.
const MAX_POINTS = 4000;

function systemPoints(metric, human) {
  return data.systems
    .map((system, s) => {
      const x = data.means[metric.at][s],
        y = data.means[human.at][s];
      return { system, x: x.value, x0: x.lower, x1: x.upper, y: y.value, y0: y.lower, y1: y.upper };
    })
    .filter((one) => one.x !== null && one.y !== null);
}

function labelLimit(width) {
  return Math.max(90, width * 0.3);
}

// Names of as many systems as there is room for; those go first whom metric and people rank most
// differently. A name stands left of its point where the chart ends at the right.
function named(points, width, height) {
  const placeOf = (key) => {
    const values = points.map((one) => one[key]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (one) => (one[key] - low) / (high - low || 1);
  };
  const [x, y] = [placeOf("x"), placeOf("y")];
  const rank = (key) => {
    const order = points.map((_, at) => at).sort((a, b) => points[a][key] - points[b][key]);
    return new Map(order.map((at, place) => [points[at], place]));
  };
  const [byMetric, byPeople] = [rank("x"), rank("y")];
  const apart = (one) => Math.abs(byMetric.get(one) - byPeople.get(one));
  const longest = labelLimit(width),
    taken = [];
  for (const one of [...points].sort((a, b) => apart(b) - apart(a))) {
    const long = Math.min(7 * one.system.length, longest) + 12;
    one.side = x(one) * width * 0.85 + long > width * 0.92 ? "right" : "left";
    const left = x(one) * width * 0.85 - (one.side === "right" ? long : 0);
    const box = [left, y(one) * height * 0.85, left + long, y(one) * height * 0.85 + 15];
    const fits = box[0] >= 0 && box[2] <= width;
    one.label = fits && taken.every((other) => box[0] > other[2] || box[2] < other[0] || box[1] > other[3] || box[3] < other[1]) ? one.system : "";
    if (one.label) taken.push(box);
  }
  return points;
}

function summaryPoints(metric, human, centred) {
  const points = [];
  data.inputs.forEach((input, i) => {
    const cells = data.systems
      .map((system, s) => ({ system, input, x: data.values[metric.at][s][i], y: data.values[human.at][s][i] }))
      .filter((one) => one.x !== null && one.y !== null);
    const mean = (key) => (centred ? cells.reduce((sum, one) => sum + one[key], 0) / cells.length : 0);
    const [x, y] = [mean("x"), mean("y")];
    for (const one of cells) points.push({ ...one, x: one.x - x, y: one.y - y });
  });
  return points;
}

function thinned(points) {
  const step = Math.ceil(points.length / MAX_POINTS) || 1;
  return points.filter((_, at) => at % step === 0);
}

// Every point, also those that the chart has no room for.
export function pointsCsv() {
  const metric = measureNamed(metricNow()),
    human = measureNamed(humanNow()),
    { level } = rankingNow();
  if (level === "system") {
    const rows = systemPoints(metric, human).map((one) => [one.system, one.x, one.x0, one.x1, one.y, one.y0, one.y1]);
    const bounds = (name) => [name, `${name} lower`, `${name} upper`];
    return csv([["system", ...bounds(metric.name), ...bounds(human.name)], ...rows]);
  }
  const rows = summaryPoints(metric, human, level === "summary").map((one) => [one.system, one.input, one.x, one.y]);
  return csv([["system", "input", metric.name, human.name], ...rows]);
}

function axisOf(field, name) {
  return { field, type: "quantitative", title: name, scale: { zero: false, nice: true } };
}

export function standingNow() {
  return rankingNow().standings.find((one) => one.metric === metricNow());
}

export const scatter = chart(
  (width, colours) => {
    const metric = measureNamed(metricNow()),
      human = measureNamed(humanNow());
    const { level } = rankingNow();
    const height = Math.min(460, Math.max(280, width * 0.6));
    if (level === "system") {
      const x = axisOf("x", metric.name),
        y = axisOf("y", human.name);
      return {
        height,
        data: { values: named(systemPoints(metric, human), width, height) },
        layer: [
          {
            transform: [{ filter: "isValid(datum.x0)" }],
            mark: { type: "rule", opacity: 0.35, strokeWidth: 2 },
            encoding: { x: { ...x, field: "x0" }, x2: { field: "x1" }, y },
          },
          {
            transform: [{ filter: "isValid(datum.y0)" }],
            mark: { type: "rule", opacity: 0.35, strokeWidth: 2 },
            encoding: { y: { ...y, field: "y0" }, y2: { field: "y1" }, x },
          },
          { mark: { type: "point", filled: true, size: 80, opacity: 1 }, encoding: { x, y } },
          ...["left", "right"].map((align) => ({
            transform: [{ filter: `datum.side === '${align}'` }],
            mark: { type: "text", align, dx: align === "left" ? 7 : -7, dy: -8, color: colours.ink, limit: labelLimit(width) },
            encoding: { x, y, text: { field: "label" } },
          })),
        ],
      };
    }
    const less = level === "summary" ? ", less its input’s mean" : "";
    const many = data.systems.length > 8;
    return {
      height,
      data: { values: thinned(summaryPoints(metric, human, level === "summary")) },
      mark: { type: "point", filled: true, opacity: 0.6, size: 40 },
      encoding: {
        x: axisOf("x", metric.name + less),
        y: axisOf("y", human.name + less),
        ...(many
          ? {}
          : {
              color: { field: "system", type: "nominal", legend: { orient: "bottom", columns: width < 500 ? 2 : 4 } },
              shape: { field: "system", type: "nominal" },
            }),
      },
    };
  },
  () => {
    const { value } = standingNow();
    return `${metricNow()} against ${humanNow()}, a point for each ${rankingNow().level === "system" ? "system" : "summary"}: ${title(rankingNow())} is ${number(value, 3)}. All points can be downloaded below.`;
  },
);

export function scatterNote() {
  const one = standingNow();
  const interval = one.lower === null ? "" : ` (${spanText(one)})`;
  const bars =
    rankingNow().level === "system"
      ? ` Bars are ${data.resampling.confidence}\u00a0% bootstrap intervals of the means over inputs. If not all names fit, the chart names the systems that metric and people rank most differently.`
      : "";
  return `${title(rankingNow())}: ${number(one.value, 3)}${interval}.${bars}`;
}

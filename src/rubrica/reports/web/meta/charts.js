// Metric against people, point by point.

import { POINTED, chart } from "../charts.js";
import { csv } from "../download.js";
import { number } from "../format.js";
import { data, humanNow, marked, measureNamed, metricNow, rankingNow, spanText } from "./state.js";
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

// The ends of an axis that shows all points and their intervals, with some air.
/** @returns {[number, number]} */
function domainOf(points, key) {
  const values = points.flatMap((one) => [one[key], one[`${key}0`], one[`${key}1`]]).filter((value) => value !== null);
  const low = Math.min(...values),
    high = Math.max(...values);
  const air = 0.04 * (high - low) || 0.04 * Math.abs(high) || 1;
  return [low - air, high + air];
}

// Right and above, left and above, right and below, left and below.
const PLACES = [[1, -1], [-1, -1], [1, 1], [-1, 1]];
const LETTER_WIDE = 7,
  NAME_HIGH = 15,
  RADIUS = 6;

// The axis takes this much of the width, and the drawing the rest.
const AXIS_WIDE = 55;

// Names of as many systems as there is room for, none over another or over a point; those go first whom metric and
// people rank most differently. The same as rubrica/reports/plots/names.py.
function named(points, width, height) {
  const [left, right] = domainOf(points, "x"),
    [bottom, top] = domainOf(points, "y");
  const drawn = width - AXIS_WIDE;
  const at = points.map(({ x, y }) => [(drawn * (x - left)) / (right - left), (height * (top - y)) / (top - bottom)]);
  const numbers = points.map((_, number) => number);
  const ranks = (key) => {
    const order = [...numbers].sort((a, b) => points[a][key] - points[b][key]);
    return numbers.map((number) => order.indexOf(number));
  };
  const [byMetric, byPeople] = [ranks("x"), ranks("y")];
  const apart = (one) => Math.abs(byMetric[one] - byPeople[one]);
  const taken = at.map(([x, y]) => [x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS]);
  const free = (box) => taken.every((other) => box[0] > other[2] || box[2] < other[0] || box[1] > other[3] || box[3] < other[1]);
  const longest = Math.max(90, drawn * 0.45);
  for (const one of [...numbers].sort((a, b) => apart(b) - apart(a))) {
    const point = points[one];
    const long = Math.min(LETTER_WIDE * point.system.length, longest);
    const boxOf = (place) => {
      const [side, half] = PLACES[place];
      const x = at[one][0] + (side > 0 ? RADIUS + 1 : -RADIUS - 1 - long);
      const y = at[one][1] + (half > 0 ? 1 : -1 - NAME_HIGH);
      return [x, y, x + long, y + NAME_HIGH];
    };
    const inside = (box) => box[0] >= 0 && box[2] <= drawn && box[1] >= 0 && box[3] <= height;
    point.place = PLACES.findIndex((_, place) => inside(boxOf(place)) && free(boxOf(place)));
    point.limit = longest;
    if (point.place >= 0) taken.push(boxOf(point.place));
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

function axisOf(field, name, domain = null) {
  return { field, type: "quantitative", title: name, scale: domain ? { domain, nice: false } : { zero: false, nice: true } };
}

function tipOf(points, metric, human) {
  const interval = (low, high, { digits }) => (low === null || low === undefined ? "" : ` (${number(low, digits)} … ${number(high, digits)})`);
  for (const one of points)
    one.tip = `${one.system}${one.input === undefined ? "" : `, ${one.input}`}: ${marked(metric.name)} ${number(one.x, metric.digits)}${interval(one.x0, one.x1, metric)}, ${marked(human.name)} ${number(one.y, human.digits)}${interval(one.y0, one.y1, human)}`;
  return points;
}

function standingNow() {
  return rankingNow().standings.find((one) => one.metric === metricNow());
}

export const scatter = chart(
  (width, colours) => {
    const metric = measureNamed(metricNow()),
      human = measureNamed(humanNow());
    const { level } = rankingNow();
    const height = Math.min(460, Math.max(280, width * 0.6));
    if (level === "system") {
      const points = tipOf(named(systemPoints(metric, human), width, height), metric, human);
      const x = axisOf("x", marked(metric.name), points.length ? domainOf(points, "x") : null),
        y = axisOf("y", marked(human.name), points.length ? domainOf(points, "y") : null);
      return {
        height,
        data: { values: points },
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
          { mark: { type: "point", filled: true, size: 80, opacity: 1 }, encoding: { x, y, ...POINTED } },
          ...PLACES.map(([side, half], place) => ({
            transform: [{ filter: `datum.place === ${place}` }],
            mark: {
              type: "text",
              align: side > 0 ? "left" : "right",
              baseline: half > 0 ? "top" : "bottom",
              dx: (RADIUS + 1) * side,
              dy: half,
              color: colours.ink,
              limit: points[0]?.limit,
            },
            encoding: { x, y, text: { field: "system" } },
          })),
        ],
      };
    }
    const less = level === "summary" ? ", less its input’s mean" : "";
    const many = data.systems.length > 8;
    return {
      height,
      data: { values: tipOf(thinned(summaryPoints(metric, human, level === "summary")), metric, human) },
      mark: { type: "point", filled: true, opacity: 0.6, size: 40 },
      encoding: {
        ...POINTED,
        x: axisOf("x", marked(metric.name) + less),
        y: axisOf("y", marked(human.name) + less),
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
      ? ` Bars are ${data.resampling.confidence}\u00a0% bootstrap intervals of the means over inputs. If not all names fit, the chart names the systems that metric and people rank most differently; point at others to see theirs.`
      : "";
  return `${title(rankingNow())}: ${number(one.value, 3)}${interval}.${bars}`;
}

import uPlot from "../../vendor/uplot/uPlot.esm.js";
import { colour } from "../theme.js";

const charts = new Map();
const HEIGHT = 168;
const CLOCKS = { min: new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }), s: new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }) };

/** Labels of ticks; with seconds if ticks are less than a minute apart. */
const clock = (_, ticks) => {
  const near = ticks.length > 1 && ticks[1] - ticks[0] < 60;
  return ticks.map((tick) => CLOCKS[near ? "s" : "min"].format(tick * 1000));
};

/**
 * Draw a chart into an element, or update its data.
 * @param {string} id of the element
 * @param {{label: string, colour: string, right?: boolean}[]} series; `right` has an axis of its own
 * @param {number[][]} data times in epoch seconds, then the values per series
 * @param {(value: number) => string} words formats a value
 */
export function drawChart(id, series, data, words) {
  const element = document.getElementById(id);
  if (!element) return;
  const key = [words.name, ...series.map(({ label }) => label)].join("|");
  const drawn = charts.get(id);
  if (drawn && drawn.key === key && drawn.element === element) {
    drawn.chart.setData(data);
    return;
  }
  drawn?.chart.destroy();
  element.replaceChildren();
  const chart = new uPlot(options(element, series, words), data, element);
  charts.set(id, { key, element, chart });
}

/** Redraw all charts after a change of the theme or the width. */
export function redrawCharts() {
  for (const { chart, element } of charts.values()) {
    if (element.isConnected) chart.setSize({ width: element.clientWidth, height: HEIGHT });
  }
}

export function dropCharts() {
  for (const { chart } of charts.values()) chart.destroy();
  charts.clear();
}

window.addEventListener("resize", redrawCharts);

/** The range from the first to the last time, at least a minute. */
const wide = (_, first, last) => (first == null ? [0, 60] : [Math.min(first, last - 60), last]);

const fromZero = (_, least, most) => [Math.min(0, least ?? 0), (most || 1) * 1.1];

/** The colour and the label of one of two axes, which tell them apart. */
const named = ([line], both) => (both ? { stroke: () => colour(line.colour), label: line.label, labelSize: 16, labelFont: "11px system-ui, sans-serif", labelGap: 0 } : {});

function options(element, series, words) {
  const axis = {
    stroke: () => colour("--muted"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const both = series.some(({ right }) => right);
  return {
    width: element.clientWidth || 400,
    height: HEIGHT,
    cursor: { y: false, points: { size: 6 } },
    legend: { show: series.length > 1, live: true },
    padding: [8, both ? 0 : 18, 0, 0],
    scales: { x: { range: wide }, y: { range: fromZero }, right: { range: fromZero } },
    axes: [
      { ...axis, size: 26, space: 72, values: clock },
      { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => words(tick)), ...named(series.filter(({ right }) => !right), both) },
      ...(both ? [{ ...axis, scale: "right", side: 1, size: 58, grid: { show: false }, values: (_, ticks) => ticks.map((tick) => words(tick)), ...named(series.filter(({ right }) => right), both) }] : []),
    ],
    series: [
      { label: "time", value: (_, at) => (at == null ? "" : new Date(at * 1000).toLocaleTimeString("en-GB")) },
      ...series.map((line) => ({
        label: line.label,
        scale: line.right ? "right" : "y",
        stroke: () => colour(line.colour),
        fill: series.length === 1 ? () => colour(`${line.colour}-soft`) : undefined,
        width: 1.5,
        // Also draw points if there are few, since single points between breaks form no line.
        points: { show: (_, at, first, last) => last - first < 12, size: 5 },
        value: (_, value) => (value == null ? "" : words(value)),
      })),
    ],
  };
}

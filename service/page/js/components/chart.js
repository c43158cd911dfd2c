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
 * @param {{label: string, colour: string}[]} series
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

function options(element, series, words) {
  const axis = {
    stroke: () => colour("--muted"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: element.clientWidth || 400,
    height: HEIGHT,
    cursor: { y: false, points: { size: 6 } },
    legend: { show: series.length > 1, live: true },
    padding: [8, 18, 0, 0],
    scales: { x: { range: wide }, y: { range: (_, least, most) => [Math.min(0, least ?? 0), (most || 1) * 1.1] } },
    axes: [
      { ...axis, size: 26, values: clock },
      { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => words(tick)) },
    ],
    series: [
      { label: "time", value: (_, at) => (at == null ? "" : new Date(at * 1000).toLocaleTimeString("en-GB")) },
      ...series.map((line) => ({
        label: line.label,
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

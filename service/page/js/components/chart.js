import uPlot from "../../vendor/uplot/uPlot.esm.js";
import { colour } from "../theme.js";

const charts = new Map();
const HEIGHT = 168;
const CLOCKS = { min: new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }), s: new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }) };

/** Times of ticks; with seconds where they are less than a minute apart. */
const clock = (_, ticks) => {
  const near = ticks.length > 1 && ticks[1] - ticks[0] < 60;
  return ticks.map((each) => CLOCKS[near ? "s" : "min"].format(each * 1000));
};

/**
 * Draw a chart into an element, or give the one that is there its new points.
 * @param {string} id of the element
 * @param {{label: string, colour: string}[]} series
 * @param {number[][]} data times in seconds, then the values of each series
 * @param {(value: number) => string} words a value for people
 */
export function drawChart(id, series, data, words) {
  const element = document.getElementById(id);
  if (!element) return;
  const key = [words.name, ...series.map((each) => each.label)].join("|");
  const found = charts.get(id);
  if (found && found.key === key && found.element === element) {
    found.chart.setData(data);
    return;
  }
  found?.chart.destroy();
  element.replaceChildren();
  const chart = new uPlot(options(element, series, words), data, element);
  charts.set(id, { key, element, chart });
}

/** Draw all anew: the colours or the width of the page changed. */
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

/** From the first time to the last, a minute at least. */
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
      { ...axis, size: 58, values: (_, ticks) => ticks.map((each) => words(each)) },
    ],
    series: [
      { label: "time", value: (_, at) => (at == null ? "" : new Date(at * 1000).toLocaleTimeString("en-GB")) },
      ...series.map((each) => ({
        label: each.label,
        stroke: () => colour(each.colour),
        fill: series.length === 1 ? () => colour(`${each.colour}-soft`) : undefined,
        width: 1.5,
        // A line needs two points: few, and those alone between breaks, are drawn as such.
        points: { show: (_, at, first, last) => last - first < 12, size: 5 },
        value: (_, value) => (value == null ? "" : words(value)),
      })),
    ],
  };
}

import * as api from "../api.js";
import { drawChart, dropCharts, redrawCharts } from "../components/chart.js";
import { problemBox } from "../components/problem.js";
import { bytes, count, millis, rate, short } from "../format.js";
import { html, nothing } from "../lit.js";
import { byTable, paced, perSecond, pointOf } from "../points.js";
import { createStore } from "../store.js";

const RANGES = [[0.25, "15 min"], [1, "1 h"], [6, "6 h"], [24, "24 h"]];
const COLOURS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];

/** Figures of the run over the last hours. */
export function liveTab(context, pipeline) {
  const store = createStore({ hours: 1, points: null, problem: null, size: false });
  const { name } = pipeline.get();

  async function load() {
    const { hours } = store.get();
    try {
      const found = await api.history(name, hours);
      if (store.get().hours === hours) store.set({ points: found.points.map(pointOf), problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  return {
    store,
    start: load,
    stop: dropCharts,
    repaint: redrawCharts,
    render: ({ hours, problem, points, size }, { last, live, events, words }) => {
      const none = points && !merged(points, events, hours).length;
      return html`<div class="live-head">
          <div role="group" aria-label="Time shown" class="segments">
            ${RANGES.map(([each, words]) => html`<button type="button" aria-pressed=${each === hours ? "true" : "false"}
              @click=${() => { store.set({ hours: each }); load(); }}>${words}</button>`)}
          </div>
          <span class="spacer"></span>
          <span class="live-sign ${live ? "on" : ""}">${live ? "Live" : "Not connected"}</span>
        </div>
        ${problemBox(problem)}
        ${none ? html`<p class="empty">No micro-batch in this time.</p>` : nothing}
        <div class="charts" ?hidden=${none}>
          ${chart("chart-rows", "Rows per second", last ? `${rate(perSecond(last, last.rows_in))} in, ${rate(perSecond(last, last.rows_out))} out` : "")}
          ${chart("chart-time", "Time of a micro-batch", last ? millis(last.duration_ms) : "")}
          ${chart("chart-lag", "Lag by source", last ? byTable(last.by_source).filter((each) => each.lag != null).map((each) => `${each.name} ${short(each.lag)}`).join(", ") : "", last && last.by_source.every((each) => each.lag == null) ? "These sources do not say how much they still have." : "")}
          ${chart("chart-state", size ? "State size by operator" : "State rows by operator", last ? (size ? bytes : short)(sum(last.by_operator, size ? "state_bytes" : "state_rows")) : "", last && !last.by_operator.length ? "No operator keeps state." : "", measures(size, store))}
        </div>
        ${last ? tables(last, words) : nothing}`;
    },
    drawn: ({ points, hours, size }, { events, words }) => {
      const all = merged(points ?? [], events, hours);
      if (all.length) draw(all, words, size);
    },
  };
}

const chart = (id, title, says, none = "", more = nothing) => html`<section class="chart">
  <h2>${title} ${more}<span class="muted">${says}</span></h2>
  ${none ? html`<p class="muted">${none}</p>` : nothing}
  <div id=${id} role="img" aria-label="${title}: ${says || none}" ?hidden=${none !== ""}></div>
</section>`;

/** What is drawn of state: how many rows, or how large. */
const measures = (size, store) => html`<span class="segments small" role="group" aria-label="State in">
  ${[[false, "rows"], [true, "bytes"]].map(([each, words]) => html`<button type="button" aria-pressed=${each === size ? "true" : "false"} @click=${() => store.set({ size: each })}>${words}</button>`)}
</span>`;

const sum = (parts, key) => (parts ?? []).reduce((total, each) => total + (each[key] ?? 0), 0);

/** Old points and what came since, each micro-batch once, of the time that is shown. */
function merged(points, events, hours) {
  const since = Date.now() - hours * 3600000;
  const all = new Map([...points, ...events].map((point) => [point.at, point]));
  return paced([...all.values()].filter((point) => Date.parse(point.at) >= since).sort((a, b) => Date.parse(a.at) - Date.parse(b.at)));
}

/** With a hole in front of each point that comes after a break, or is alone: nothing is known of that time. */
const holed = (points) => points.flatMap((point, at) => (point.broken || (at === 0 && points.length === 1) ? [{ at: point.at, hole: true, alone: at === 0 }, point] : [point]));

function draw(found, words, size) {
  const points = holed(found);
  const times = points.map((point) => Date.parse(point.at) / 1000 - (point.alone ? 60 : point.hole ? 0.001 : 0));
  drawChart("chart-rows", [series("in", 0), series("out", 1)],
    [times, points.map((each) => perSecond(each, each.rows_in)), points.map((each) => perSecond(each, each.rows_out))], rate);
  drawChart("chart-time", [series("time", 0)], [times, points.map((each) => each.duration_ms ?? null)], millis);
  by("chart-lag", points.map((each) => ({ tables: each.hole ? [] : byTable(each.by_source) })), times, "tables", (each) => each.name, "lag");
  by("chart-state", points, times, "by_operator", (each) => words.get(each.uid) ?? each.uid, size ? "state_bytes" : "state_rows", size ? bytes : short);
}

const series = (label, at) => ({ label, colour: COLOURS[at % COLOURS.length] });

function by(id, points, times, parts, nameOf, key, spoken = short) {
  const names = [...new Set(points.flatMap((point) => (point[parts] ?? []).map(nameOf)))].slice(0, COLOURS.length);
  const values = names.map((name) => points.map((point) => point[parts]?.find((each) => nameOf(each) === name)?.[key] ?? null));
  drawChart(id, names.map(series), [times, ...values], spoken);
}

function tables(last, words) {
  return html`<div class="live-tables">
    <section><h2>Sources</h2><table class="wide-table"><thead><tr><th scope="col">Table</th><th scope="col" class="number">Rows, last batch</th><th scope="col" class="number">Lag</th></tr></thead>
      <tbody>${byTable(last.by_source).map((each) => html`<tr><th scope="row" title=${each.title}>${each.name}</th><td class="number">${count(each.rows)}</td><td class="number">${count(each.lag)}</td></tr>`)}</tbody></table></section>
    <section><h2>State</h2><table class="wide-table"><thead><tr><th scope="col">Operator</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Size</th></tr></thead>
      <tbody>${(last.by_operator ?? []).map((each) => html`<tr><th scope="row">${words.get(each.uid) ?? each.uid}</th><td class="number">${count(each.state_rows)}</td><td class="number">${bytes(each.state_bytes)}</td></tr>`)}</tbody></table></section>
  </div>`;
}

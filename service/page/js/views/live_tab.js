import * as api from "../api.js";
import { drawChart, dropCharts, redrawCharts } from "../components/chart.js";
import { problemBox } from "../components/problem.js";
import { bytes, count, growth, millis, percent, rate, short } from "../format.js";
import { html, nothing } from "../lit.js";
import { byTable, paced, perSecond, pointOf } from "../points.js";
import { createStore } from "../store.js";

const RANGES = [[0.25, "15 min"], [1, "1 h"], [6, "6 h"], [24, "24 h"]];
const COLOURS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"];

/** Metrics of the run over the last hours. */
export function liveTab(context, pipeline) {
  const store = createStore({ hours: 1, points: null, problem: null, size: false });
  const { name } = pipeline.get();

  async function load() {
    const { hours } = store.get();
    try {
      const { points } = await api.history(name, hours);
      if (store.get().hours === hours) store.set({ points: points.map(pointOf), problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  return {
    store,
    start: load,
    stop: dropCharts,
    repaint: redrawCharts,
    render: ({ hours, problem, points, size }, { last, live, events, words, figures }) => {
      const none = points && !merged(points, events, hours).length;
      return html`<div class="live-head">
          <div role="group" aria-label="Time range" class="segments">
            ${RANGES.map(([range, words]) => html`<button type="button" aria-pressed=${range === hours ? "true" : "false"}
              @click=${() => { store.set({ hours: range }); load(); }}>${words}</button>`)}
          </div>
          <span class="spacer"></span>
          <span class="live-sign ${live ? "on" : ""}">${live ? "Live" : "Not connected"}</span>
        </div>
        ${problemBox(problem)}
        ${none ? html`<p class="empty">No micro-batch in this time range.</p>` : nothing}
        <div class="charts" ?hidden=${none}>
          ${chart("chart-rows", "Rows per second", figures?.figures ? `${rate(figures.figures.in_per_second)} in, ${rate(figures.figures.out_per_second)} out` : "")}
          ${chart("chart-time", "Micro-batch duration", last ? millis(last.duration_ms) : "")}
          ${chart("chart-lag", "Lag by source", last ? byTable(last.by_source).filter(({ lag }) => lag != null).map(({ name, lag }) => `${name} ${short(lag)}`).join(", ") : "", last && last.by_source.every(({ lag }) => lag == null) ? "These sources report no lag." : "")}
          ${chart("chart-state", size ? "State size by operator" : "State rows by operator", last ? (size ? bytes : short)(sum(last.by_operator, size ? "state_bytes" : "state_rows")) : "", last && !last.by_operator.length ? "No operator has state." : "", measures(size, store))}
        </div>
        ${figures?.figures ? summary(figures) : nothing}
        ${last ? tables(last, words, figures?.figures) : nothing}`;
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

/** Selection of the state metric: rows or bytes. */
const measures = (size, store) => html`<span class="segments small" role="group" aria-label="State in">
  ${[[false, "rows"], [true, "bytes"]].map(([choice, words]) => html`<button type="button" aria-pressed=${choice === size ? "true" : "false"} @click=${() => store.set({ size: choice })}>${words}</button>`)}
</span>`;

const sum = (parts, key) => (parts ?? []).reduce((total, part) => total + (part[key] ?? 0), 0);

/** History and new events of the time range, without duplicates. */
function merged(points, events, hours) {
  const since = Date.now() - hours * 3600000;
  const all = new Map([...points, ...events].map((point) => [point.at, point]));
  return paced([...all.values()].filter((point) => Date.parse(point.at) >= since).sort((a, b) => Date.parse(a.at) - Date.parse(b.at)));
}

/** Insert a gap before each point after a break, or before a single point. */
const holed = (points) => points.flatMap((point, at) => (point.broken || (at === 0 && points.length === 1) ? [{ at: point.at, hole: true, alone: at === 0 }, point] : [point]));

function draw(batches, words, size) {
  const points = holed(batches);
  const times = points.map((point) => Date.parse(point.at) / 1000 - (point.alone ? 60 : point.hole ? 0.001 : 0));
  drawChart("chart-rows", [series("in", 0), { ...series("out", 1), right: true }],
    [times, points.map((point) => perSecond(point, point.rows_in)), points.map((point) => perSecond(point, point.rows_out))], rate);
  drawChart("chart-time", [series("time", 0)], [times, points.map((point) => point.duration_ms ?? null)], millis);
  by("chart-lag", points.map((point) => ({ tables: point.hole ? [] : byTable(point.by_source) })), times, "tables", (table) => table.name, "lag");
  by("chart-state", points, times, "by_operator", ({ uid }) => words.get(uid) ?? uid, size ? "state_bytes" : "state_rows", size ? bytes : short);
}

const series = (label, at) => ({ label, colour: COLOURS[at % COLOURS.length] });

function by(id, points, times, parts, nameOf, key, spoken = short) {
  const names = [...new Set(points.flatMap((point) => (point[parts] ?? []).map(nameOf)))].slice(0, COLOURS.length);
  const values = names.map((name) => points.map((point) => point[parts]?.find((part) => nameOf(part) === name)?.[key] ?? null));
  drawChart(id, names.map(series), [times, ...values], spoken);
}

/** Percentiles of the last 15 minutes, and the size of the checkpoint. */
function summary({ figures, checkpoint_bytes }) {
  const row = (words, value, title = "") => (value ? html`<tr><th scope="row" title=${title}>${words}</th><td class="number">${millis(value.p50)}</td><td class="number">${millis(value.p99)}</td></tr>` : nothing);
  return html`<div class="live-tables">
    <section><h2>Last 15 minutes</h2><table class="wide-table percentiles"><thead><tr><th scope="col">Time</th><th scope="col" class="number">p50</th><th scope="col" class="number">p99</th></tr></thead>
      <tbody>${row("Micro-batch", figures.batch_ms)}
        ${row("End-to-end delay (estimate)", figures.delay_ms, "From a row's arrival at its source until it is written, backlog included")}</tbody></table></section>
    <section><h2>Checkpoint</h2><table class="wide-table"><tbody>
      <tr><th scope="row">Size</th><td class="number">${bytes(checkpoint_bytes)}</td></tr>
      ${figures.watermark_lag_ms == null ? nothing : html`<tr><th scope="row">Watermark behind</th><td class="number">${millis(figures.watermark_lag_ms)}</td></tr>`}
    </tbody></table></section>
  </div>`;
}

function tables(last, words, figures) {
  const now = new Map((figures?.operators ?? []).map((operator) => [operator.uid, operator]));
  return html`<div class="live-tables">
    <section><h2>Sources</h2><table class="wide-table"><thead><tr><th scope="col">Table</th><th scope="col" class="number">Rows, last batch</th><th scope="col" class="number">Lag</th></tr></thead>
      <tbody>${byTable(last.by_source).map((table) => html`<tr><th scope="row" title=${table.title}>${table.name}</th><td class="number">${count(table.rows)}</td><td class="number">${count(table.lag)}</td></tr>`)}</tbody></table></section>
    <section class="operators"><h2>State</h2><table class="wide-table"><thead><tr><th scope="col">Operator</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Size</th><th scope="col" class="number">Growth</th><th scope="col" class="number">Busy</th><th scope="col" class="number">Hottest key</th><th scope="col" class="number">Late</th></tr></thead>
      <tbody>${(last.by_operator ?? []).map((state) => html`<tr><th scope="row">${words.get(state.uid) ?? state.uid}</th><td class="number">${count(state.state_rows)}</td><td class="number">${bytes(state.state_bytes)}</td>${seen(now.get(state.uid))}</tr>`)}</tbody></table></section>
  </div>`;
}

const seen = (figures) => html`<td class="number">${growth(figures?.rows_per_hour, short)}</td>
  <td class=${figures?.busiest ? "number busiest-share" : "number"}>${percent(figures?.busy)}</td>
  <td class="number" title=${figures?.hot_keys[0]?.key ?? ""}>${percent(figures?.hot_keys[0]?.share)}</td><td class="number">${count(figures?.late)}</td>`;

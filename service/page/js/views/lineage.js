import * as api from "../api.js";
import { arrange, focusOperator, graphView, showOperator } from "../components/graph.js";
import { close as closeIcon } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { poll } from "../events.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";

const GRAPH = "lineage-graph";
const EVERY = 15000;

/** Tables, and the pipelines that write and read them. */
export function lineageView() {
  const store = createStore({ lineage: null, selected: null, problem: null });
  let end = () => {};

  async function load() {
    try {
      const lineage = await api.lineage();
      // Keep the drawing, and its position, while it is the same.
      if (JSON.stringify(lineage) !== JSON.stringify(store.get().lineage)) store.set({ lineage });
      store.set({ problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  function choose(id, { keep = false } = {}) {
    store.set({ selected: id });
    requestAnimationFrame(() => {
      showOperator(GRAPH, id);
      if (!keep) document.getElementById("panel-title")?.focus({ preventScroll: true });
    });
  }

  function close() {
    const { selected } = store.get();
    store.set({ selected: null });
    requestAnimationFrame(() => focusOperator(GRAPH, selected));
  }

  return {
    store,
    start: () => { end = poll(load, EVERY); },
    stop: () => end(),
    render: ({ lineage, selected, problem }) => html`<div class="page-head"><h1>Lineage</h1></div>
      ${problemBox(problem)}
      ${lineage == null ? (problem ? nothing : html`<p class="muted loading">Loading…</p>`) : body(lineage, selected, choose, close)}`,
    drawn: () => arrange(GRAPH),
  };
}

function body({ graph, tables, pipelines, pending }, selected, choose, close) {
  if (!graph.nodes.length) return html`<div class="empty"><p>No pipeline has a version in force.</p></div>`;
  const table = tables.find(({ id }) => id === selected);
  const name = Object.keys(pipelines).find((pipeline) => pipelines[pipeline] === selected);
  return html`${pending ? html`<p class="note">${pending} more pipelines are being read.</p>` : nothing}
    <div class="plan ${table || name ? "with-panel" : ""}">
      ${graphView({ id: GRAPH, graph, label: `Lineage of ${Object.keys(pipelines).length} pipelines and ${tables.length} tables`, selected, choose, legend: false })}
      ${table ? panel("table", table.name, close, tablePanel(table)) : nothing}
      ${name ? panel("pipeline", name, close, pipelinePanel(name, tables)) : nothing}
    </div>
    ${listed(tables)}`;
}

const links = (names) => (names.length ? names.map((name, at) => html`${at ? ", " : ""}<a href=${to(["pipelines", name])}>${name}</a>`) : html`<span class="muted">no pipeline</span>`);

const panel = (kind, title, close, content) => html`<aside class="panel" aria-labelledby="panel-title" @keydown=${(event) => { if (event.key === "Escape") close(); }}>
  <div class="panel-head"><div><p class="panel-kind">${kind}</p><h2 id="panel-title" tabindex="-1">${title}</h2></div>
    <button type="button" class="quiet square" aria-label="Close" @click=${close}>${closeIcon}</button></div>
  ${content}
</aside>`;

const tablePanel = (table) => html`<p class="panel-what">${table.connector}, ${table.namespace}</p>
  <section><h3>Written by</h3><p>${links(table.written_by)}</p></section>
  <section><h3>Read by</h3><p>${links(table.read_by)}</p></section>`;

const pipelinePanel = (name, tables) => html`<p class="panel-what"><a href=${to(["pipelines", name])}>Open the pipeline</a></p>
  <section><h3>Reads</h3>${tables.filter(({ read_by }) => read_by.includes(name)).map((table) => html`<p><code>${table.name}</code></p>`)}</section>
  <section><h3>Writes</h3>${tables.filter(({ written_by }) => written_by.includes(name)).map((table) => html`<p><code>${table.name}</code></p>`)}</section>`;

const listed = (tables) => html`<section class="lineage-tables"><h2>Tables <span class="muted">${tables.length}</span></h2>
  <table class="wide-table"><thead><tr><th scope="col">Table</th><th scope="col">System</th><th scope="col">Written by</th><th scope="col">Read by</th></tr></thead>
    <tbody>${tables.map((table) => html`<tr><th scope="row">${table.name}</th><td>${table.namespace}</td><td>${links(table.written_by)}</td><td>${links(table.read_by)}</td></tr>`)}</tbody></table></section>`;

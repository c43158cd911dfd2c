import * as api from "../api.js";
import { alertBox, firingAlerts } from "../components/alerts.js";
import { STATE_NAMES, stateLine, stateWords } from "../components/badges.js";
import { plus, search as searchIcon } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { poll } from "../events.js";
import { clipped, rate, short } from "../format.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";
import { newPipeline } from "./new_pipeline.js";

const EVERY = 5000;
const PAGE = 100;

/** All pipelines with their status. */
export function pipelinesView(context) {
  const store = createStore({ items: null, next: null, total: null, q: "", state: "", problem: null });
  let end = () => {};
  let requests = 0;

  async function load({ more = false } = {}) {
    const request = ++requests;
    const { q, state, items, next } = store.get();
    try {
      // Reload everything shown so far in one request.
      const limit = more ? PAGE : Math.max(PAGE, Math.min(items?.length ?? 0, 500));
      const page = await api.pipelines(q, state, more ? next : "", limit);
      if (request !== requests) return;
      const all = more ? [...items, ...page.items] : page.items;
      store.set({ items: all, next: page.cursor, total: page.total, counts: page.counts, problem: null });
      store.set({ alerts: await firingAlerts() });
    } catch (problem) {
      if (request === requests) store.set({ problem });
    }
  }

  let timer = 0;
  function type(q) {
    store.set({ q });
    clearTimeout(timer);
    timer = setTimeout(load, 150);
  }

  function keys(event) {
    if (event.key !== "/" || event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    document.getElementById("search")?.focus();
  }

  return {
    store,
    start() {
      end = poll(load, EVERY);
      document.addEventListener("keydown", keys);
    },
    stop() {
      end();
      document.removeEventListener("keydown", keys);
    },
    render: (state) => html`<div class="page-head">
        <h1>Pipelines ${state.total != null ? html`<span class="muted">${state.total}</span>` : nothing}</h1>
        <span class="spacer"></span>
        <label class="search">${searchIcon}<span class="visually-hidden">Search pipelines</span>
          <input id="search" type="search" placeholder="Search" autocomplete="off" .value=${state.q}
            @input=${(event) => type(event.target.value)} /><kbd aria-hidden="true">/</kbd></label>
        <label class="filter"><span class="visually-hidden">State</span>
          <select @change=${(event) => { store.set({ state: event.target.value }); load(); }}>
            <option value="">All states</option>
            ${STATE_NAMES.map((name) => html`<option value=${name}>${stateWords(name)}</option>`)}
          </select></label>
        ${context.may("editor") ? html`<button type="button" class="primary" @click=${newPipeline}>${plus}New</button>` : nothing}
      </div>
      ${problemBox(state.problem)} ${alertBox(state.alerts)}
      ${state.items == null ? (state.problem ? nothing : html`<p class="muted loading">Loading…</p>`) : list(state)}
      ${state.next ? html`<p class="more"><button type="button" @click=${() => load({ more: true })}>Show more</button></p>` : nothing}`,
  };
}

function list({ items, q, state }) {
  if (!items.length) {
    return html`<div class="empty">
      <p>${q || state ? "No matching pipelines." : "No pipelines yet."}</p>
      ${q || state ? nothing : html`<p class="muted">Add one with a SQL program, or run <code>plan-service sync FOLDER</code>.</p>`}
    </div>`;
  }
  return html`<table class="pipelines-table">
    <thead><tr>
      <th scope="col">Pipeline</th><th scope="col">State</th><th scope="col" class="number">Version</th>
      <th scope="col" class="number">Rows in</th><th scope="col" class="number">Lag</th>
    </tr></thead>
    <tbody>${items.map(row)}</tbody>
  </table>`;
}

function row(item) {
  const says = item.message
    ? html`<p class="row-says state-${item.state}">${clipped(item.message, 280)}${item.remedy ? html` <span class="remedy">${clipped(item.remedy, 160)}</span>` : nothing}</p>`
    : nothing;
  const waits = item.in_force && item.version && item.in_force !== item.version;
  return html`<tr>
    <th scope="row"><a href=${to(["pipelines", item.name])}>${item.name}</a>
      ${item.description ? html`<span class="row-what" title=${item.description}>${clipped(item.description, 140)}</span>` : nothing}${says}</th>
    <td>${stateLine(item)}</td>
    <td class="number" data-label="Version">${item.version || item.in_force || "–"}${waits ? html` <span class="muted">→ ${item.in_force}</span>` : nothing}</td>
    <td data-label="Rows in" class=${item.rows_per_second == null ? "number unknown" : "number"}>${rate(item.rows_per_second)}</td>
    <td data-label="Lag" class=${item.lag == null ? "number unknown" : "number"}>${short(item.lag)}</td>
  </tr>`;
}

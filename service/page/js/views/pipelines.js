import * as api from "../api.js";
import { alertBox, alertsOf } from "../components/alerts.js";
import { STATE_NAMES, stateSince, stateWords } from "../components/badges.js";
import { plus, search as searchIcon } from "../components/icons.js";
import { loadProblemBox } from "../components/problem.js";
import { poll } from "../events.js";
import { ago, bytes, clipped, rate, short, when } from "../format.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";

const EVERY = 5000;
/** The number of pipelines that the first request shows at once, and the number of a page. */
const FIRST = 100;
const PAGE = 1000;
const NAME = { key: "name", words: "Pipeline" };
/** Columns after the name: sort key, words, and the direction of the first click. */
const COLUMNS = [
  { key: "state", words: "State" },
  { words: "Version", number: true },
  { key: "rows_per_second", words: "Rows in", number: true, descending: true },
  { key: "lag", words: "Lag", number: true, descending: true },
  { key: "state_bytes", words: "State size", number: true, descending: true },
  { key: "state_growth", words: "Growth", number: true, descending: true },
  { key: "last_error_at", words: "Last error", descending: true },
  { key: "until", words: "Next start" },
  { key: "owner", words: "Owner" },
];

/** All pipelines with their status. */
export function pipelinesView(context) {
  const store = createStore({ items: null, next: null, total: null, q: "", state: "", owner: "", tag: "", sort: "name", tags: {}, owners: {}, problem: null });
  let end = () => {};
  let requests = 0;

  async function load({ more = false } = {}) {
    const request = ++requests;
    const { q, state, owner, tag, sort, items, next } = store.get();
    try {
      const page = await api.pipelines({ q, state, owner, tag, sort, cursor: more ? next : "", limit: items ? PAGE : FIRST });
      if (request !== requests) return;
      const all = more ? [...items, ...page.items] : page.items;
      store.set({ items: all, next: page.cursor, total: page.total, tags: page.tags, owners: page.owners, problem: null });
      if (!items && page.cursor) return load();
      store.set({ alerts: (await alertsOf()).alerts });
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

  function choose(part) {
    store.set(part);
    load();
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
    resume: load,
    render: (state) => html`<div class="page-head">
        <h1>Pipelines ${state.total != null ? html`<span class="muted">${state.total}</span>` : nothing}</h1>
        <span class="spacer"></span>
        <label class="search">${searchIcon}<span class="visually-hidden">Search pipelines</span>
          <input id="search" type="search" placeholder="Search" autocomplete="off" .value=${state.q}
            @input=${(event) => type(event.target.value)} /><kbd aria-hidden="true">/</kbd></label>
        ${filter("State", "All states", state.state, STATE_NAMES.map((name) => [name, stateWords(name)]), (value) => choose({ state: value }))}
        ${filter("Owner", "All owners", state.owner, Object.keys(state.owners).map((name) => [name, name]), (value) => choose({ owner: value }))}
        ${filter("Tag", "All tags", state.tag, Object.keys(state.tags).map((name) => [name, name]), (value) => choose({ tag: value }))}
        ${sorting(state.sort, choose)}
        ${context.may("editor") ? html`<a class="button primary" href=${to(["new"])}>${plus}New</a>` : nothing}
      </div>
      ${loadProblemBox(state.problem)} ${alertBox(state.alerts)}
      ${state.items == null ? (state.problem?.status ? nothing : html`<p class="muted loading">Loading…</p>`) : list(state, choose)}
      ${state.next ? html`<p class="more"><button type="button" @click=${() => load({ more: true })}>Show more</button></p>` : nothing}`,
  };
}

/** A selection; nothing if there is nothing to select. */
function filter(words, all, value, options, choose) {
  if (!options.length) return nothing;
  return html`<label class="filter"><span class="visually-hidden">${words}</span>
    <select @change=${(event) => choose(event.target.value)}>
      <option value="">${all}</option>
      ${options.map(([key, text]) => html`<option value=${key} .selected=${key === value}>${text}</option>`)}
    </select></label>`;
}

/** The sort key of a column in the direction of the first click. */
const sortOf = ({ key, descending }) => (descending ? `-${key}` : key);

/** The selection of a column on narrow screens, which show no headers. */
function sorting(sort, choose) {
  return html`<div class="filter narrow-only">
    <select aria-label="Sort by" @change=${(event) => choose({ sort: event.target.value })}>
      ${[NAME, ...COLUMNS].filter(({ key }) => key).map((column) => html`<option value=${sortOf(column)} .selected=${sortOf(column) === sort}>By ${column.words.toLowerCase()}</option>`)}
    </select></div>`;
}

/** The header of a sortable column. */
function heading(column, sort, choose) {
  const { key, words, number } = column;
  const by = sort.replace(/^-/, "");
  const down = sort.startsWith("-");
  const next = by !== key ? sortOf(column) : down ? key : `-${key}`;
  return html`<th scope="col" class=${number ? "number" : ""} aria-sort=${by === key ? (down ? "descending" : "ascending") : nothing}>
    ${key ? html`<button type="button" class="sort" @click=${() => choose({ sort: next })}>${words}${by === key ? html`<span aria-hidden="true">${down ? "↓" : "↑"}</span>` : nothing}</button>` : words}</th>`;
}

function list({ items, q, state, owner, tag, sort }, choose) {
  if (!items.length) {
    const filtered = q || state || owner || tag;
    return html`<div class="empty">
      <p>${filtered ? "No matching pipelines." : "No pipelines yet."}</p>
      ${filtered ? nothing : html`<p class="muted">Add one with a SQL program, or run <code>plan-service sync FOLDER</code>.</p>`}
    </div>`;
  }
  // Columns without any value have no use.
  const empty = new Set(["state_bytes", "state_growth", "last_error_at", "until", "owner"].filter((key) => sort.replace(/^-/, "") !== key && !items.some((item) => item[key])));
  const columns = COLUMNS.filter(({ key }) => !empty.has(key));
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label="Pipelines"><table class="pipelines-table">
    <thead><tr>${heading(NAME, sort, choose)}${columns.map((column) => heading(column, sort, choose))}</tr></thead>
    <tbody>${items.map((item) => row(item, columns, choose))}</tbody>
  </table></div>`;
}

function row(item, columns, choose) {
  const says = item.message
    ? html`<p class="row-says state-${item.state}">${clipped(item.message, 280)}${item.remedy ? html` <span class="remedy">${clipped(item.remedy, 160)}</span>` : nothing}</p>`
    : nothing;
  return html`<tr>
    <th scope="row"><a href=${to(["pipelines", item.name])}>${item.name}</a>
      ${item.description ? html`<span class="row-what" title=${item.description}>${clipped(item.description, 140)}</span>` : nothing}
      ${item.tags.map((tag) => html`<button type="button" class="tag" title="Show the pipelines with this tag" @click=${() => choose({ tag })}>${tag}</button>`)}${says}</th>
    ${columns.map((column) => cell(item, column))}
  </tr>`;
}

function cell(item, { key = "version", words, number }) {
  const value = CELLS[key](item);
  if (key === "state") return html`<td>${value}</td>`;
  return html`<td data-label=${words} class="${number ? "number" : ""} ${value == null ? "unknown" : ""}">${value ?? "–"}</td>`;
}

/** The content of a cell; null if it is unknown. */
const CELLS = {
  state: stateSince,
  version: (item) => {
    const waits = item.in_force && item.version && item.in_force !== item.version;
    return html`${item.version || item.in_force || "–"}${waits ? html` <span class="muted">→ ${item.in_force}</span>` : nothing}`;
  },
  rows_per_second: (item) => (item.rows_per_second == null ? null : rate(item.rows_per_second)),
  lag: (item) => (item.lag == null ? null : short(item.lag)),
  state_bytes: (item) => (item.state_bytes == null ? null : bytes(item.state_bytes)),
  state_growth: (item) => (item.state_growth == null ? null : `${item.state_growth < 0 ? "−" : "+"}${bytes(Math.abs(item.state_growth))}/h`),
  last_error_at: (item) => (item.last_error_at ? html`<span title=${item.last_error}>${ago(item.last_error_at)}</span>` : null),
  until: (item) => (item.until ? html`<count-down title=${when(item.until)} to=${item.until}></count-down>` : null),
  owner: (item) => item.owner || null,
};

import * as api from "../api.js";
import { alertBox, alertsOf } from "../components/alerts.js";
import { sinceWords, STATE_NAMES, stateBadge, stateWords } from "../components/badges.js";
import { plus, search as searchIcon } from "../components/icons.js";
import { loadProblemBox } from "../components/problem.js";
import { poll } from "../events.js";
import { ago, bytes, clipped, growth, rate, short, when } from "../format.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";

const EVERY = 5000;
/** The number of pipelines of a request. */
const PAGE = 1000;
/** Columns: class, sort key, words, and the direction of the first click. An optional column is hidden if it is empty. */
const COLUMNS = [
  { of: "name", key: "name", words: "Pipeline" },
  { of: "state", key: "state", words: "State" },
  { of: "version", words: "Version" },
  { of: "rate", key: "rows_per_second", words: "Rows in", descending: true },
  { of: "lag", key: "lag", words: "Lag", descending: true },
  { of: "size", key: "state_bytes", words: "State size", descending: true, optional: true },
  { of: "growth", key: "state_growth", words: "Growth", descending: true, optional: true },
  { of: "error", key: "last_error_at", words: "Last error", descending: true, optional: true },
  { of: "until", key: "until", words: "Next start", optional: true },
  { of: "owner", key: "owner", words: "Owner", optional: true },
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
      const [page, { alerts }] = await Promise.all([api.pipelines({ q, state, owner, tag, sort, cursor: more ? next : "", limit: PAGE }), alertsOf()]);
      if (request !== requests) return;
      const all = more ? [...items, ...page.items] : page.items;
      store.set({ items: all, next: page.cursor, total: page.total, tags: page.tags, owners: page.owners, alerts, problem: null });
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
      ${COLUMNS.filter(({ key }) => key).map((column) => html`<option value=${sortOf(column)} .selected=${sortOf(column) === sort}>By ${column.words.toLowerCase()}</option>`)}
    </select></div>`;
}

/** The header of a column; a button if the column sorts. */
function heading(column, sort, choose) {
  const { of, key, words } = column;
  const by = sort.replace(/^-/, "");
  const down = sort.startsWith("-");
  const next = by !== key ? sortOf(column) : down ? key : `-${key}`;
  return html`<th scope="col" role="columnheader" class=${of} aria-sort=${by === key ? (down ? "descending" : "ascending") : nothing}>
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
  const hidden = COLUMNS.filter(({ key, optional }) => optional && sort.replace(/^-/, "") !== key && !items.some((item) => item[key]));
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label="Pipelines"><table role="table" class="pipelines-table ${hidden.map(({ of }) => `without-${of}`).join(" ")}">
    <thead role="rowgroup"><tr role="row">${COLUMNS.map((column) => heading(column, sort, choose))}</tr></thead>
    <tbody role="rowgroup">${items.map((item) => row(item, choose))}</tbody>
  </table></div>`;
}

/** One template with few parts, and line breaks inside tags only: a list has up to 1,000 rows. Empty cells are unknown values.
 *  Roles are written out, since some browsers take them from the display of a table's parts. */
const row = (item, choose) => html`<tr role="row"><th scope="row" role="rowheader"><a
    href=${to(["pipelines", item.name])} .textContent=${item.name}></a>${rowDetails(item, choose)}</th><td role="cell"
    class="state">${stateBadge(item.state)}<span class="since" .textContent=${sinceWords(item)}></span></td><td role="cell"
    class="version" data-label="Version" .textContent=${versionWords(item)}></td><td role="cell"
    class="rate" data-label="Rows in" .textContent=${item.rows_per_second == null ? "" : rate(item.rows_per_second)}></td><td role="cell"
    class="lag" data-label="Lag" .textContent=${item.lag == null ? "" : short(item.lag)}></td><td role="cell"
    class="size" data-label="State size" .textContent=${item.state_bytes == null ? "" : bytes(item.state_bytes)}></td><td role="cell"
    class="growth" data-label="Growth" .textContent=${item.state_growth == null ? "" : growth(item.state_growth, bytes)}></td><td role="cell"
    class="error" data-label="Last error" .title=${item.last_error ?? ""} .textContent=${item.last_error_at ? ago(item.last_error_at) : ""}></td><td role="cell"
    class="until" data-label="Next start">${item.until ? html`<count-down title=${when(item.until)} to=${item.until}></count-down>` : nothing}</td><td role="cell"
    class="owner" data-label="Owner" .textContent=${item.owner ?? ""}></td>${item.message ? says(item) : nothing}</tr>`;

/** The version, and the one of the next start if it differs. */
function versionWords({ version, in_force }) {
  return in_force && version && in_force !== version ? `${version} → ${in_force}` : String(version || in_force || "");
}

/** Description and tags. */
function rowDetails({ description, tags }, choose) {
  if (!description && !tags.length) return nothing;
  return html`${description ? html`<span class="row-what" title=${description} .textContent=${clipped(description, 140)}></span>` : nothing}${tags.map((tag) => html`<button
    type="button" class="tag" title="Show the pipelines with this tag" .textContent=${tag} @click=${() => choose({ tag })}></button>`)}`;
}

/** The message, below the cells. */
const says = ({ message, remedy, state }) => html`<td role="cell" class="says"><p class="row-says state-${state}">${clipped(message, 280)}${remedy ? html` <span class="remedy">${clipped(remedy, 160)}</span>` : nothing}</p></td>`;

import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { fieldsView } from "../components/state_value.js";
import { poll } from "../events.js";
import { bytes, count, ttl, when } from "../format.js";
import { goesOn } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { createStore } from "../store.js";

const EVERY = 1000;

/** The state of the operators: figures of the run, one pass over all entries, and the entries of a key. */
export function stateTab(context, pipeline) {
  const { name } = pipeline.get();
  const store = createStore({ job: null, problem: null, uid: "", key: {}, asked: null });
  let end = () => {};

  /** Follow the last job, also of another client, until it ends. */
  async function watch() {
    try {
      const job = await api.stateJob(name);
      store.set({ job });
      if (!goesOn(job)) end();
    } catch (problem) {
      end();
      if (problem.status !== 404) store.set({ problem });
    }
  }

  function follow() {
    end();
    end = poll(watch, EVERY);
  }

  async function begin(question) {
    store.set({ problem: null, asked: question });
    try {
      store.set({ job: await api.beginStateJob(name, question) });
    } catch (problem) {
      store.set({ problem });
    }
    follow();
  }

  const cancel = async () => store.set({ job: await api.cancelStateJob(name).catch(() => store.get().job) });

  return {
    store,
    start: follow,
    stop: () => end(),
    render: (state, { pipeline: current, graph, last }) => {
      if (current && !current.version) return html`<p class="empty">The pipeline has no state, since it has never run.</p>`;
      const stateful = (graph?.nodes ?? []).filter((node) => node.keeps_state && node.uid);
      if (graph && !stateful.length) return html`<p class="empty">No operator of the plan keeps state.</p>`;
      const busy = goesOn(state.job);
      return html`${overview(stateful, last)}
        <div class="state-ask">
          ${lookUp(state, stateful, store, busy, begin)}
          <section class="card"><h2>All entries</h2>
            <p class="muted">One pass over the state: ages, expired entries, and the next expiry. The run continues.</p>
            <div class="actions"><button type="button" ?disabled=${busy} @click=${() => begin({})}>Count all entries</button></div></section>
        </div>
        ${problemBox(state.problem)} ${jobView(state.job, cancel)}`;
    },
  };
}

/** Rows and bytes after the last micro-batch, without reading the state. */
function overview(nodes, last) {
  const figures = new Map((last?.by_operator ?? []).map((operator) => [operator.uid, operator]));
  return html`<table class="wide-table state-table">
    <thead><tr><th scope="col">Operator</th><th scope="col">Key</th><th scope="col">TTL</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Size</th></tr></thead>
    <tbody>${nodes.map((node) => html`<tr><th scope="row">${node.words}</th><td>${columnsOf(node).join(", ") || "–"}</td>
      <td>${node.state.map((entry) => entry.effective_ttl || ttl(entry.ttl_ms)).join(", ") || "–"}</td>
      <td class="number">${count(figures.get(node.uid)?.state_rows)}</td><td class="number">${bytes(figures.get(node.uid)?.state_bytes)}</td></tr>`)}</tbody>
  </table>`;
}

/** The key columns of an operator's first input. */
const columnsOf = (node) => node.keys[0]?.columns ?? [];

function lookUp({ uid, key }, nodes, store, busy, begin) {
  const keyed = nodes.filter((node) => columnsOf(node).length);
  const node = keyed.find((candidate) => candidate.uid === uid) ?? keyed[0];
  if (!node) return nothing;
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    begin({ operator: node.uid, key: columnsOf(node).map((column) => `${column}=${form.get(column)}`) });
  };
  return html`<form class="card" @submit=${submit}><h2>Look a key up</h2>
    <label class="field"><span>Operator</span><select @change=${(event) => store.set({ uid: event.target.value, key: {} })}>
      ${keyed.map((candidate) => html`<option value=${candidate.uid} ?selected=${candidate === node}>${candidate.words}</option>`)}</select></label>
    ${columnsOf(node).map((column) => html`<label class="field"><span>${column}</span>
      <input name=${column} autocomplete="off" placeholder="NULL for no value" .value=${key[column] ?? ""} @input=${(event) => store.set({ key: { ...store.get().key, [column]: event.target.value } })} /></label>`)}
    <div class="actions"><button type="submit" class="primary" ?disabled=${busy}>Look up</button></div>
  </form>`;
}

function jobView(job, cancel) {
  if (!job) return nothing;
  if (job.state === "running") {
    return html`<div class="card state-job" role="status"><p>${job.of ? `Reading the state: ${job.done} of ${job.of} tasks` : "Starting Spark…"} · ${Math.round(job.seconds)} s</p>
      ${job.of ? html`<progress aria-label="Progress" max=${job.of} value=${job.done}></progress>` : html`<progress aria-label="Progress"></progress>`}
      <div class="actions"><button type="button" @click=${cancel}>Cancel</button></div></div>`;
  }
  if (job.state === "cancelled") return html`<p class="note">Cancelled after ${Math.round(job.seconds)} s.</p>`;
  if (job.state === "failed") return problemBox(job);
  return job.result.entries ? keys(job.result.entries) : report(job.result.state);
}

const time = (ms) => (ms == null ? "–" : when(new Date(ms).toISOString()));

function keys({ words, keys: entries, batch }) {
  return html`<section class="state-keys" aria-label="Entries of the key"><h2>${words}</h2>
    <p class="muted">After micro-batch ${batch}</p>
    ${entries.length ? entries.map(({ key, timer, fields }) => html`<article class="card"><h3>Key <code>${key}</code></h3>
        ${timer == null ? nothing : html`<p class="muted">Next timer ${time(timer)}</p>`}${fieldsView(fields)}</article>`)
      : html`<p class="empty">The operator has no entries of this key.</p>`}</section>`;
}

function report({ operators, batch, at }) {
  return html`<section aria-label="All entries"><h2>All entries</h2><p class="muted">After micro-batch ${batch}, at ${time(at)}</p>
    <table class="wide-table state-table">
      <thead><tr><th scope="col">Operator</th><th scope="col">Rows of</th><th scope="col" class="number">Entries</th><th scope="col" class="number">Expired</th>
        <th scope="col">Oldest write</th><th scope="col">Next expiry</th><th scope="col" class="number">Size</th></tr></thead>
      <tbody>${operators.map((operator) => operator.parts.map((part, at_) => html`<tr>
        <th scope="row">${at_ ? nothing : operator.words}</th><td>${part.of || part.name || "–"}</td><td class="number">${count(part.entries)}</td>
        <td class="number">${count(part.expired)}</td><td>${time(part.oldestWrite)}</td><td>${time(part.nextExpiry)}</td>
        <td class="number">${at_ ? nothing : bytes(operator.bytes)}</td></tr>`))}</tbody>
    </table></section>`;
}

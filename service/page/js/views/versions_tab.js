import * as api from "../api.js";
import { diffView, verdictLine } from "../components/diff.js";
import { tell } from "../components/dialog.js";
import { loadProblemBox, problemBox } from "../components/problem.js";
import { when } from "../format.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";
import { confirmInForce } from "./in_force.js";
import { showProgram } from "./program_dialog.js";

const KINDS = { program: "program", "ttl-edit": "TTL edit", import: "import", plan: "plan" };

/** The history, and the differences between any two versions. */
export function versionsTab(context, pipeline, { load: reload }) {
  const store = createStore({ items: null, next: null, from: null, until: null, diff: null, problem: null, diffProblem: null });
  const { name } = pipeline.get();

  async function load(more = false) {
    const { items, next } = store.get();
    try {
      const page = await api.versions(name, more ? next : "");
      const all = more ? [...items, ...page.items] : page.items;
      store.set({ items: all, next: page.cursor, problem: null });
      const { from, until } = store.get();
      if (from == null && all.length) compare(all[1]?.number ?? all[0].number, all[0].number);
      else if (from != null) compare(from, until);
    } catch (problem) {
      store.set({ problem });
    }
  }

  async function compare(from, until) {
    store.set({ from, until, diff: null, diffProblem: null });
    if (from === until) return;
    const still = () => store.get().from === from && store.get().until === until;
    try {
      const diff = await api.diff(name, from, until);
      if (still()) store.set({ diff });
    } catch (diffProblem) {
      if (still()) store.set({ diffProblem });
    }
  }

  async function use(number) {
    if (!(await confirmInForce(number))) return;
    try {
      await api.putInForce(name, number, pipeline.get().pipeline.etag);
      tell(`Version ${number} is in force`);
    } catch (problem) {
      store.set({ problem });
    }
    await reload();
    load();
  }

  return {
    store,
    start: () => load(),
    resume: () => load(),
    render: (state, { pipeline: current }) => html`${loadProblemBox(state.problem)}
      <div class="versions">
        <div class="versions-list">${state.items ? list(state, current, compare, context.may("editor") ? use : null, name) : html`<p class="muted loading">Loading…</p>`}
          ${state.next ? html`<p class="more"><button type="button" @click=${() => load(true)}>Show more</button></p>` : nothing}</div>
        <section class="versions-diff" aria-live="polite">${difference(state)}</section>
      </div>`,
  };
}

function list({ items, from, until }, pipeline, compare, use, name) {
  const pick = (group, item, chosen, act) => html`<input type="radio" name=${group} .checked=${item.number === chosen}
    aria-label="${group === "from" ? "Compare from" : "Compare to"} version ${item.number}" @change=${() => act(item.number)} />`;
  return html`<table class="versions-table">
    <thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Version</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
    <tbody>${items.map((item) => html`<tr class=${item.number === until ? "chosen" : item.number === from ? "chosen-from" : ""}>
      <td>${pick("from", item, from, (number) => compare(number, until))}</td>
      <td>${pick("to", item, until, (number) => compare(from, number))}</td>
      <td><p><strong>${item.number}</strong> <span class="badge plain">${KINDS[item.kind] ?? item.kind}</span>
          ${item.number === pipeline?.in_force ? html`<span class="badge in-force">in force</span>` : nothing}</p>
        ${item.comment ? html`<p>${item.comment}</p>` : nothing}
        <p class="muted">${item.created_by} · ${when(item.created_at)}</p></td>
      <td class="number"><a href=${api.planAddress(name, item.number)} download="${name}-${item.number}.json">JSON<span class="visually-hidden"> of version ${item.number}</span></a>
        ${item.language ? html`<button type="button" class="quiet" @click=${() => showProgram(name, item.number)}>Program<span class="visually-hidden"> of version ${item.number}</span></button>` : nothing}
        ${use && item.language ? html`<a href=${to(["pipelines", name, "edit"], { version: item.number })}>Edit<span class="visually-hidden"> version ${item.number}</span></a>` : nothing}
        ${use && item.number !== pipeline?.in_force ? html`<button type="button" class="quiet" @click=${() => use(item.number)}>Put into force<span class="visually-hidden">: version ${item.number}</span></button>` : nothing}</td>
    </tr>`)}</tbody></table>`;
}

function difference({ items, from, until, diff, diffProblem }) {
  if (from == null) return nothing;
  if (items.length < 2) return html`<p class="muted">The differences to a second version will be shown here.</p>`;
  const title = html`<h2>From version ${from} to ${until}</h2>`;
  if (from === until) return html`${title}<p class="muted">Choose two different versions.</p>`;
  if (diffProblem) return html`${title}${problemBox(diffProblem)}`;
  return html`${title}${diff ? html`${diff.same ? nothing : verdictLine(diff)}${diffView(diff)}` : html`<p class="muted loading">Comparing…</p>`}`;
}

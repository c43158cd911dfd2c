/** The parts of the editor's page: its head, the program, and what the compiler says of it. */

import { changesOf, diffView, verdictLine } from "../components/diff.js";
import { graphView } from "../components/graph.js";
import { check as checkIcon, play, warning } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { programInput } from "../components/program.js";
import { placeOf } from "../components/sql_editor.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { rowsView } from "./editor_rows.js";
import { testsView } from "./editor_tests.js";

export const GRAPH = "editor-graph";
/** Tabs that do not show the compiled program. */
const OWN = new Set(["rows", "tests"]);
const NO_GRAPH = { nodes: [], edges: [] };

/** The pipeline, and the ways to go on with its program. */
export function editorHead(state, mayRun, { save, saveAndStart, migrate, set }) {
  const { name, pipeline, fresh, description, draft, busy, base } = state;
  const ready = draft.compiled && !draft.fault && !draft.checking && !busy && (name || fresh.trim());
  const hasState = Boolean(pipeline?.version);
  return html`<form class="page-head editor-head" @submit=${(event) => event.preventDefault()}>
    <div>
      <p class="crumb"><a href=${to(["pipelines"])}>Pipelines</a>${name ? html` / <a href=${to(["pipelines", name])}>${name}</a>` : nothing}</p>
      <h1>${name ? html`Edit ${name}` : "New pipeline"}</h1>
      ${base ? html`<p class="muted">From version ${base}${base === pipeline.in_force ? ", in force" : `; version ${pipeline.in_force} is in force`}</p>` : nothing}
    </div>
    ${name ? nothing : html`<label class="field"><span>Name</span>
        <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" maxlength="128" autocomplete="off" placeholder="orders-by-country"
          title="Letters, digits, dots, dashes and underscores" .value=${fresh} @input=${(event) => set({ fresh: event.target.value })} /></label>
      <label class="field editor-what"><span>Description <span class="muted">optional</span></span>
        <input name="description" maxlength="500" autocomplete="off" .value=${description} @input=${(event) => set({ description: event.target.value })} /></label>`}
    <span class="spacer"></span>
    <span class="run-actions">
      <button type="button" ?disabled=${!ready} @click=${save}>${busy === "save" ? "Saving…" : name && pipeline?.in_force ? "Save as a version" : "Save"}</button>
      ${!mayRun ? nothing : hasState
        ? html`<button type="button" class="primary" ?disabled=${!ready || draft.compiled.diff?.same} @click=${migrate}>${play}Save and migrate…</button>`
        : html`<button type="button" class="primary" ?disabled=${!ready} @click=${saveAndStart}>${play}${busy === "start" ? "Starting…" : "Save and start"}</button>`}
    </span>
  </form>`;
}

/** The program, and beside it the compiler's results. */
export function editorBody(state, acts) {
  return html`${problemBox(state.problem)}
    ${state.restored ? html`<p class="note">Unsaved changes are restored. <button type="button" class="quiet" @click=${acts.discard}>Discard them</button></p>` : nothing}
    <div class="editor-columns">
      <section class="editor-program" aria-label="Program">${programInput(state.program, acts.edit, { keywords: state.keywords, fault: placeOf(state.draft.fault), save: acts.save, preview: () => acts.rows.begin() })}
        ${status(state.draft)}</section>
      <section class="editor-side" aria-label="Results">${side(state, acts)}</section>
    </div>`;
}

function status(draft) {
  const { fault, compiled, checking } = draft;
  const place = placeOf(fault);
  if (fault) {
    const show = () => document.querySelector("sql-editor")?.show(place);
    return html`<div class="editor-status bad" role="status">${warning}<div>
      ${place ? html`<button type="button" class="quiet place" @click=${show}>Line ${place.line}, column ${place.column}</button>` : nothing}
      <span>${fault.message}</span>
      ${!place && fault.where ? html`<p><code>${fault.where}</code></p>` : nothing}
      ${fault.remedy ? html`<p class="muted">${fault.remedy}</p>` : nothing}</div></div>`;
  }
  if (checking && !compiled) return html`<div class="editor-status muted" role="status">Compiling…</div>`;
  if (!compiled) return html`<div class="editor-status muted" role="status">Write a program; it is compiled as you type.</div>`;
  return html`<div class="editor-status good" role="status">${checkIcon}<div>${checking ? "Compiling…" : "Compiles"}:
      ${compiled.operators} operators, ${compiled.stateful} with state
      ${compiled.warnings.map((text) => html`<p class="warn">${text}</p>`)}</div></div>`;
}

function side(state, { set, rows, tests }) {
  const { compiled, fault } = state.draft;
  const show = (key) => {
    set({ side: key });
    if (key === "rows") rows.list();
  };
  const mayPreview = state.program.language === "sql";
  const tabs = { plan: "Plan", ...(compiled?.diff ? { changes: "Changes" } : {}), ...(mayPreview ? { rows: "Rows" } : {}), tests: "Tests" };
  const chosen = tabs[state.side] ? state.side : "plan";
  return html`<div class="editor-side-head">
      <div class="segments" role="group" aria-label="Results">
        ${Object.entries(tabs).map(([key, words]) => html`<button type="button" aria-pressed=${key === chosen ? "true" : "false"} @click=${() => show(key)}>${words}</button>`)}
      </div>
      ${fault && compiled && !OWN.has(chosen) ? html`<span class="muted">of the last program that compiled</span>` : nothing}
    </div>
    ${chosen === "rows" ? rowsView(state, rows) : chosen === "tests" ? testsView(state.tests, tests) : !compiled ? html`<p class="empty muted">The plan will be shown here.</p>` : chosen === "plan" ? plan(state, compiled, set) : html`${compiled.diff.same ? nothing : verdictLine(compiled.diff)}${diffView(compiled.diff)}`}`;
}

function plan({ selected }, { graph, diff }, set) {
  const changes = diff ? changesOf(diff, NO_GRAPH, graph).now : undefined;
  return graphView({ id: GRAPH, graph, label: `Plan of the program, ${graph.nodes.length} operators`, selected, choose: (id) => set({ selected: id }), changes, down: true });
}

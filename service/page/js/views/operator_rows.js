/** Rows in the panel of an operator: the first rows of a table, or rows that pass the operator while the pipeline runs. */

import * as api from "../api.js";
import { followedJob, goesOn, NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { rowsOfJob } from "./rows_of_job.js";

const WAITING = { preview: "Starting Spark…", tap: "Waiting for rows" };

/** @param {string} name the pipeline */
export function operatorRows(name, store) {
  const jobs = {
    preview: { begin: ({ node, version }) => api.beginPreview({ over: name, version, node }), get: api.preview, cancel: api.cancelPreview },
    tap: { begin: ({ node, input }) => api.beginTap(name, node, input), get: () => api.tap(name), cancel: () => api.closeTap(name) },
  };
  let question = { kind: "tap" };
  const requests = {
    begin(next) {
      question = next;
      return jobs[question.kind].begin(question);
    },
    get: () => jobs[question.kind].get(),
    cancel: () => jobs[question.kind].cancel(),
  };
  const job = followedJob(requests, (rows) => store.set({ rows: { ...rows, waiting: WAITING[question.kind], input: question.input } }));
  return {
    ...job,
    close() {
      job.stop();
      store.set({ rows: NO_JOB });
    },
  };
}

/**
 * @param {object} node the operator
 * @param {object[]} inputs the operators that feed it, by port
 * @param {number} version the version of the plan
 * @param {boolean} runs true while this version runs
 */
export function operatorRowsView({ node, inputs, version, runs }, rows, { begin, cancel }) {
  if (!node.readable && !runs) return nothing;
  const question = { node: Number(node.id), version };
  const preview = html`<button type="button" @click=${() => begin({ ...question, kind: "preview" })}>Preview rows</button>`;
  const tap = (event) => {
    event.preventDefault();
    const { value } = event.target.elements.input ?? { value: "" };
    begin({ ...question, kind: "tap", input: value === "" ? undefined : Number(value) });
  };
  const form = html`<form @submit=${tap}>
    ${node.role === "operator" ? edgeChoice(inputs, rows.input) : nothing} <button>Show passing rows</button></form>`;
  return html`<section class="tap"><h3>Rows</h3>
    ${rows.starting || goesOn(rows.job) ? nothing : html`${node.readable ? preview : nothing} ${runs ? form : nothing}`}
    ${rowsOfJob(rows, cancel, rows.waiting)}</section>`;
}

const edgeChoice = (inputs, chosen) => html`<select name="input" aria-label="Side of the operator">
  <option value="">Emitted</option>
  ${inputs.map(({ words }, at) => html`<option value=${at} ?selected=${at === chosen}>From ${words}</option>`)}</select>`;

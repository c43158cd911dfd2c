/** Rows in the panel of a source or sink: the first rows of its table, or those that enter it while the pipeline runs. */

import * as api from "../api.js";
import { followedJob, goesOn, NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { rowsOfJob } from "./rows_of_job.js";

const WAITING = { preview: "Starting Spark…", tap: "Waiting for rows" };

/** @param {string} name the pipeline */
export function operatorRows(name, store) {
  const jobs = {
    preview: { begin: (node, version) => api.beginPreview({ over: name, version, node }), get: api.preview, cancel: api.cancelPreview },
    tap: { begin: (node) => api.beginTap(name, node), get: () => api.tap(name), cancel: () => api.closeTap(name) },
  };
  let kind = "tap";
  const requests = {
    begin(question) {
      ({ kind } = question);
      return jobs[kind].begin(question.node, question.version);
    },
    get: () => jobs[kind].get(),
    cancel: () => jobs[kind].cancel(),
  };
  const job = followedJob(requests, (rows) => store.set({ rows: { ...rows, waiting: WAITING[kind] } }));
  return {
    ...job,
    close() {
      job.stop();
      store.set({ rows: NO_JOB });
    },
  };
}

/**
 * @param {object} node the source or sink
 * @param {number} version the version of the plan
 * @param {boolean} runs true while this version runs
 */
export function operatorRowsView({ node, version, runs }, rows, { begin, cancel }) {
  const hasTap = runs && node.role === "sink";
  if (!node.readable && !hasTap) return nothing;
  const button = (kind, words) => html`<button type="button" @click=${() => begin({ kind, node: Number(node.id), version })}>${words}</button>`;
  const buttons = html`${node.readable ? button("preview", "Preview rows") : nothing} ${hasTap ? button("tap", "Show passing rows") : nothing}`;
  return html`<section class="tap"><h3>Rows</h3>
    ${rows.starting || goesOn(rows.job) ? nothing : buttons}
    ${rowsOfJob(rows, cancel, rows.waiting)}</section>`;
}

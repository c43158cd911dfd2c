/** The tap of a sink: rows that enter it, shown in its panel while the pipeline runs. */

import * as api from "../api.js";
import { followedJob, goesOn, NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { rowsOfJob } from "./rows_of_job.js";

/** @param {string} name the pipeline */
export function sinkTap(name, store) {
  const requests = { begin: (node) => api.beginTap(name, node), get: () => api.tap(name), cancel: () => api.closeTap(name) };
  const rows = followedJob(requests, (tap) => store.set({ tap }));
  return {
    ...rows,
    close() {
      rows.stop();
      store.set({ tap: NO_JOB });
    },
  };
}

export function tapView(node, tap, { begin, cancel }) {
  if (node.role !== "sink") return nothing;
  const busy = tap.starting || goesOn(tap.job);
  return html`<section class="tap"><h3>Rows</h3>
    ${busy ? nothing : html`<button type="button" @click=${() => begin(Number(node.id))}>Show passing rows</button>`}
    ${rowsOfJob(tap, cancel, "Waiting for rows")}</section>`;
}

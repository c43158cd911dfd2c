/** Rows that arrive in a job of the service: a preview, or a tap of a run. */

import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { rowsTable } from "../components/rows_table.js";
import { poll } from "../events.js";
import { count } from "../format.js";
import { html, nothing } from "../lit.js";

const EVERY = 500;
export const NO_PREVIEW = { job: null, problem: null, starting: false };

/** Requests of a preview. */
export const PREVIEW = { begin: api.beginPreview, get: api.preview, cancel: api.cancelPreview };
/** Requests of a tap of a run. */
export const tapOf = (name) => ({ begin: (node) => api.beginTap(name, node), get: () => api.tap(name), cancel: () => api.closeTap(name) });

/**
 * @param {{begin: Function, get: Function, cancel: Function}} requests
 * @param {(preview: object) => void} set called with each change of `NO_PREVIEW`
 */
export function rowsPreview(requests, set) {
  let end = () => {};
  let job = null;

  function show(now) {
    job = now;
    set({ ...NO_PREVIEW, job });
    if (job.state !== "running") end();
  }

  async function watch() {
    try {
      show(await requests.get());
    } catch (problem) {
      end();
      set({ ...NO_PREVIEW, problem });
    }
  }

  const cancel = async () => {
    if (job?.state === "running") show(await requests.cancel().catch(() => job));
  };

  return {
    async begin(question) {
      end();
      set({ ...NO_PREVIEW, starting: true });
      try {
        await cancel();
        show(await requests.begin(question));
        end = poll(watch, EVERY);
      } catch (problem) {
        set({ ...NO_PREVIEW, problem });
      }
    },
    cancel,
    stop() {
      end();
      if (job?.state === "running") requests.cancel().catch(() => {});
    },
  };
}

/** Progress, error or rows of a job. */
export function previewView({ job, problem, starting }, cancel, waiting = "Starting Spark…") {
  if (problem) return problemBox(problem);
  if (starting || job?.state === "running") {
    const words = starting ? "Asking…" : job.done || (job.of && !job.result) ? `Reading: ${count(job.done)} rows` : waiting;
    return html`<div class="card rows-job" role="status"><p>${words}${job ? html` · ${Math.round(job.seconds)} s` : nothing}</p>
      <progress aria-label="Progress"></progress>
      ${job ? html`<div class="actions"><button type="button" @click=${cancel}>${job.result ? "Stop" : "Cancel"}</button></div>` : nothing}</div>
      ${job?.done && job.result ? rowsTable({ ...job.result, ended: "end" }, "Rows") : nothing}`;
  }
  if (!job) return nothing;
  if (job.state === "failed") return problemBox(job);
  if (job.state === "cancelled") return html`<p class="note">Cancelled after ${Math.round(job.seconds)} s.</p>`;
  return rowsTable(job.result, "Rows");
}

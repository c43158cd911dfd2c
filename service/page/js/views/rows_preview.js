/** Previews: the first rows of a statement or table, read in a job of the service. */

import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { rowsTable } from "../components/rows_table.js";
import { poll } from "../events.js";
import { count } from "../format.js";
import { html, nothing } from "../lit.js";

const EVERY = 500;
export const NO_PREVIEW = { job: null, problem: null, starting: false };

/** @param {(preview: object) => void} set called with each change of `NO_PREVIEW` */
export function rowsPreview(set) {
  let end = () => {};
  let job = null;

  function show(now) {
    job = now;
    set({ ...NO_PREVIEW, job });
    if (job.state !== "running") end();
  }

  async function watch() {
    try {
      show(await api.preview());
    } catch (problem) {
      end();
      set({ ...NO_PREVIEW, problem });
    }
  }

  const cancel = async () => {
    if (job?.state === "running") show(await api.cancelPreview().catch(() => job));
  };

  return {
    async begin(question) {
      end();
      set({ ...NO_PREVIEW, starting: true });
      try {
        await cancel();
        show(await api.beginPreview(question));
        end = poll(watch, EVERY);
      } catch (problem) {
        set({ ...NO_PREVIEW, problem });
      }
    },
    cancel,
    stop() {
      end();
      if (job?.state === "running") api.cancelPreview().catch(() => {});
    },
  };
}

/** Progress, error or rows of a preview. */
export function previewView({ job, problem, starting }, cancel) {
  if (problem) return problemBox(problem);
  if (starting || job?.state === "running") {
    const words = starting ? "Compiling…" : job.of ? `Reading: ${count(job.done)} rows` : "Starting Spark…";
    return html`<div class="card rows-job" role="status"><p>${words}${job ? html` · ${Math.round(job.seconds)} s` : nothing}</p>
      <progress aria-label="Progress"></progress>
      ${job ? html`<div class="actions"><button type="button" @click=${cancel}>Cancel</button></div>` : nothing}</div>`;
  }
  if (!job) return nothing;
  if (job.state === "failed") return problemBox(job);
  if (job.state === "cancelled") return html`<p class="note">Cancelled after ${Math.round(job.seconds)} s.</p>`;
  return rowsTable(job.result, "Rows");
}

/** Rows of a job: a preview, or a tap of a run. */

import { problemBox } from "../components/problem.js";
import { rowsTable } from "../components/rows_table.js";
import { count } from "../format.js";
import { goesOn } from "../jobs.js";
import { html, nothing } from "../lit.js";

/** Progress, error or rows of a job. */
export function rowsOfJob({ job, problem, starting }, cancel, waiting = "Starting Spark…") {
  if (problem) return problemBox(problem);
  if (starting || goesOn(job)) {
    const words = starting ? "Starting…" : job.done || (job.of && !job.result) ? `Reading: ${count(job.done)} rows` : waiting;
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

/** Examples of a change: the smallest inputs for which the new program differs, searched on request. */

import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { followedJob, goesOn, NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";

const REQUESTS = {
  begin: ({ name, change }) => api.beginExamples(name, change),
  get: ({ id }) => api.examples(id),
  cancel: ({ id }) => api.cancelExamples(id),
};

/**
 * The search of examples of a comparison.
 * @param {object} store the tab's, whose `examples` this is
 */
export function examplesOf(store) {
  const job = followedJob(REQUESTS, (examples) => store.set({ examples }));
  return { begin: (name, change) => job.begin({ name, change }), cancel: job.cancel, stop: job.stop };
}

/** The button, and the result of the last search. */
export function examplesView({ job, problem, starting }, { begin, cancel }) {
  const busy = starting || goesOn(job);
  return html`<section class="examples">
    <div class="actions">
      <button type="button" ?disabled=${busy} @click=${begin}>Show an example</button>
      ${busy ? html`<button type="button" class="quiet" @click=${cancel}>Cancel</button>` : nothing}
      <span class="muted" role="status">${status(job, starting)}</span>
    </div>
    ${problemBox(problem ?? (job?.state === "failed" ? new api.Problem(0, { detail: job.message, where: job.where, remedy: job.remedy }) : null))}
    ${job?.result ? job.result.examples.map(example) : nothing}
  </section>`;
}

function status(job, starting) {
  if (!job) return starting ? "Starting…" : "Input for which the new program differs from a run from scratch";
  if (goesOn(job)) return job.state === "waiting" ? "Waiting for other tests…" : "Searching…";
  if (!job.result) return "";
  const { inputs, examples, missing } = job.result;
  const none = missing.length ? `; no example of ${missing.join(", ")}` : "";
  return `No ${examples.length ? "other " : ""}difference in ${inputs} random inputs${none}`;
}

const example = ({ parts, test }) => html`<details open>
  <summary>Example of <strong>${parts.join(", ")}</strong></summary>
  <pre class="program-text" tabindex="0" role="group" aria-label=${`Example of ${parts.join(", ")}`}>${test}</pre>
</details>`;

/** Shadow runs: a version beside the run, over the rows that come next; both outputs are compared. */

import * as api from "../api.js";
import { confirm } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { count } from "../format.js";
import { followedJob, goesOn } from "../jobs.js";
import { html, nothing } from "../lit.js";

const REQUESTS = {
  begin: ({ name, question }) => api.beginShadow(name, question).then((job) => ({ ...job, name })),
  get: ({ name }) => api.shadow(name).then((job) => ({ ...job, name })),
  cancel: ({ name }) => api.endShadow(name).then((job) => ({ ...job, name })),
};

const TAKE_OVER = "Stop the old run and take over";
const DURATIONS = { 0: "The rows available now", 60: "1 minute", 600: "10 minutes", 3600: "1 hour", 86400: "1 day" };
const OUTCOMES = {
  equal: "Equal: each key that either program wrote has the same row in the end",
  "differs as named": "Differs as named: the keys and columns that differ are among those of the comparison above",
  "differs otherwise": "Differs otherwise: look at the examples before you start the program",
};
const OTHERWISE = "differs otherwise";
const REFUSED = "It cannot take over, as it differs otherwise than the comparison above says. The run goes on as it was. Look at the examples, or migrate all the same.";

/** The effect of a takeover on the run, state and sinks. */
const effectOf = (base, { version, generation, corrects }) => `The run of version ${base} stops behind its last micro-batch. The state of the shadow becomes generation ${generation} of the checkpoint, and version ${version} runs on it. All sinks go over at that one micro-batch: rows before it are from version ${base}, rows behind it from version ${version}, and each row is written once. ${corrects ? "Tables get the rows in which the past differs; other rows there are deleted. " : ""}The previous state is retained: you can roll back.`;

/**
 * Ask before a shadow takes over.
 * @param {string} name of the pipeline
 * @param {number} base the version that runs
 * @param {object} job the shadow run
 * @returns {Promise<boolean>}
 */
export const confirmTakeover = (name, base, job) => confirm(`Stop version ${base} of ${name}?`, effectOf(base, job), TAKE_OVER, { danger: true });

/**
 * The shadow run of a version.
 * @param {object} store the tab's, whose `shadow` this is
 */
export function shadowOf(store) {
  const job = followedJob(REQUESTS, (shadow) => store.set({ shadow }));
  return { begin: (name, question) => job.begin({ name, question }), cancel: job.cancel, keep: job.keep, stop: job.stop };
}

/**
 * The form, and the report so far.
 * @param {object} state the state of the job
 * @param {{diff: object, base: number, target: number|null, begin: (question: object) => void, cancel: () => void, takeOver: (job: object) => void, busy: boolean}} act
 */
export function shadowView({ job, problem, starting }, { diff, base, target, begin, cancel, takeOver, busy: acting }) {
  const busy = starting || goesOn(job);
  const reset = diff.operators.filter(({ newNode, verdict }) => newNode != null && verdict === "incompatible").map(({ uid }) => uid);
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const seconds = Number(form.get("seconds"));
    const correct = form.has("correct");
    begin({ version: target, partial: true, correct, reset: correct ? [] : reset, promote: correct || form.has("promote"), share: Number(form.get("share")), ...(seconds ? { seconds } : {}) });
  };
  const report = job?.result ?? job?.so_far;
  return html`<section class="shadow" aria-labelledby="shadow-title"><h3 id="shadow-title">Compare on live rows</h3>
    <p class="muted">The new program runs on a copy of the checkpoint, over the rows that come next, and what both programs write is compared. The run, its state and all sinks stay as they are.</p>
    ${target ? nothing : html`<p class="note">Save the program as a version first.</p>`}
    ${reset.length ? html`<p class="note">Operators whose state cannot be migrated start empty on the copy: ${reset.join(", ")}</p>` : nothing}
    <form class="actions" @submit=${submit}>
      <label class="field"><span>Duration</span><select name="seconds">${Object.entries(DURATIONS).map(([seconds, words]) => html`<option value=${seconds}>${words}</option>`)}</select></label>
      <label class="field"><span>Share of the time in %</span><input name="share" type="number" min="1" max="100" .defaultValue=${"100"} /></label>
      <label class="choice"><input name="promote" type="checkbox" /><span>Promote: follow the run after the comparison, so that the new program can take over</span></label>
      <label class="choice"><input name="correct" type="checkbox" /><span>Correct the past when it takes over: changed operators are filled from history, and the tables compared, beside the run</span></label>
      <button type="submit" ?disabled=${busy || !target}>Compare</button>
      ${busy ? html`<button type="button" class="quiet" @click=${cancel}>End now</button>` : nothing}
      <span class="muted" role="status">${status(job, starting)}</span>
    </form>
    ${problemBox(problem ?? (job?.state === "failed" ? new api.Problem(0, { detail: job.message, remedy: job.remedy }) : null))}
    ${report ? reportView(report) : nothing}
    ${report && job.promotes ? takeoverView(job, report, base, takeOver, acting) : nothing}
  </section>`;
}

/** The takeover of a shadow that follows the run, with its effect; or the reason why it cannot take over. */
function takeoverView(job, { outcome, promoted }, base, takeOver, busy) {
  if (promoted) return html`<p class="note">Generation ${promoted} is in force.</p>`;
  if (outcome === OTHERWISE) return html`<p class="note">${REFUSED}</p>`;
  if (!job.follows) return nothing;
  return html`<section class="takeover" aria-labelledby="takeover-title"><h4 id="takeover-title">The shadow follows the run</h4>
    <p>${effectOf(base, job)}</p><p class="muted"><em>End now</em> leaves the run as it is.</p>
    <div class="actions"><button type="button" class="danger" ?disabled=${busy} @click=${() => takeOver(job)}>${TAKE_OVER}</button></div>
  </section>`;
}

function status(job, starting) {
  if (!job) return starting ? "Starting…" : "";
  const rounds = job.so_far ? `${count(job.so_far.rows_in)} rows in ${count(job.so_far.rounds)} rounds, ${Math.round(job.so_far.seconds)} s` : "";
  if (goesOn(job)) return job.follows ? `Following the run. ${rounds}` : rounds || "Starting Spark…";
  return job.state === "cancelled" ? `Ended. ${rounds}` : rounds;
}

function reportView({ outcome, batch, tables, only_old: onlyOld, only_new: onlyNew }) {
  return html`<p class="shadow-outcome"><strong>${OUTCOMES[outcome]}</strong> <span class="muted">since micro-batch ${batch}</span></p>
    ${tables.length
      ? html`<table class="wide-table"><thead><tr><th scope="col">Table</th><th scope="col">Outcome</th>
          ${["Keys", "Equal", "Other values", "Only old", "Only new", "Other changes"].map((words) => html`<th scope="col" class="number">${words}</th>`)}</tr></thead>
        <tbody>${tables.map(rowOf)}</tbody></table>`
      : nothing}
    ${tables.filter(({ examples }) => examples.length).map(examplesOf)}
    ${onlyOld.map((table) => html`<p>${table}: written by the old program alone</p>`)}
    ${onlyNew.map((table) => html`<p>${table}: written by the new program alone</p>`)}`;
}

const rowOf = (table) => html`<tr><th scope="row">${table.table}</th><td>${table.outcome}</td>
  ${[table.keys, table.equal, table.other_values, table.only_old, table.only_new, table.other_sequence].map((number) => html`<td class="number">${count(number)}</td>`)}</tr>`;

const examplesOf = ({ table, examples, parts }) => html`<details open><summary>Keys of <strong>${table}</strong> that differ</summary>
  <table class="wide-table"><thead><tr><th scope="col">Key</th><th scope="col">Old program</th><th scope="col">New program</th></tr></thead>
    <tbody>${examples.map(({ key, old, new: now }) => html`<tr><th scope="row"><code>${key}</code></th><td><code>${old ?? "no row"}</code></td><td><code>${now ?? "no row"}</code></td></tr>`)}</tbody></table>
  ${(parts ?? []).map(({ text }) => html`<p>First parts at ${text}</p>`)}
</details>`;

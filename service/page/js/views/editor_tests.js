/** The tests of a program in the editor: their text, a run of them, and the results by test and step. */

import * as api from "../api.js";
import { check, STATES } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { followedJob, goesOn, NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";

const REQUESTS = { begin: api.beginTests, get: ({ id }) => api.tests(id), cancel: ({ id }) => api.cancelTests(id) };
/** Unsaved texts by pipeline, while the page is open. */
const DRAFTS = new Map();
const EXAMPLE = `tests:
  - name: orders add up
    steps:
      - rows: {orders: [{customer: ann, price: 9.50}]}
      - expect: {totals: {table: [{customer: ann, paid: 9.50}]}}`;

/**
 * The tests of a program.
 * @param {string} name the pipeline; empty for a new one
 * @param {object} store the editor's, whose `tests` this is
 * @param {() => object} program the program as a request body, with the pipeline that it is compiled over
 */
export function testsOf(name, store, program) {
  const set = (part) => store.set({ tests: { ...store.get().tests, ...part } });
  store.set({ tests: { ...NO_JOB, text: DRAFTS.get(name) ?? "" } });
  const run = followedJob(REQUESTS, set);

  return {
    /** Show the tests of a version, unless there is an unsaved text. */
    load: (text) => DRAFTS.has(name) || set({ text }),
    edit(text) {
      DRAFTS.set(name, text);
      set({ text });
    },
    forget: () => DRAFTS.delete(name),
    text: () => store.get().tests.text,
    begin: () => run.begin({ ...program(), tests: store.get().tests.text }),
    cancel: run.cancel,
    stop: run.stop,
  };
}

/** The text of the tests, and the results of the last run. */
export function testsView({ text, job: run, problem, starting }, { edit, begin, cancel }) {
  const busy = starting || goesOn(run);
  return html`<div class="tests">
    <sql-editor class="tests-text" label="Tests" hint=${EXAMPLE} .text=${text} @change=${(event) => edit(event.detail)}></sql-editor>
    <div class="actions tests-actions">
      <button type="button" class="primary" ?disabled=${busy || !text.trim()} @click=${begin}>Run tests</button>
      ${busy ? html`<button type="button" @click=${cancel}>Cancel</button>` : nothing}
      <span class="muted" role="status">${summary(run, starting)}</span>
    </div>
    ${problemBox(problem ?? (run?.state === "failed" ? new api.Problem(0, { detail: run.message, where: run.where, remedy: run.remedy }) : null))}
    ${run?.results.length ? html`<ul class="tests-results">${run.results.map(resultView)}</ul>` : nothing}
  </div>`;
}

function summary(run, starting) {
  if (!run) return starting ? "Starting…" : "";
  const failed = run.results.filter((result) => !result.passed).length;
  const counts = `${run.results.length - failed} passed${failed ? `, ${failed} failed` : ""}`;
  const states = {
    waiting: run.tests ? "Waiting for other tests…" : "Compiling…",
    running: run.results.length ? `${counts} of ${run.tests}` : "Starting Java…",
    cancelled: `Cancelled: ${counts}`,
    done: `${counts} in ${run.seconds.toFixed(1)} s`,
  };
  return states[run.state] ?? "";
}

function resultView({ name, passed, seconds, notes, steps, failure }) {
  return html`<li class=${passed ? "good" : "bad"}>
    <details ?open=${!passed}>
      <summary>${passed ? check : STATES.failed} <strong>${name}</strong> <span class="muted">${passed ? "passed" : "failed"} in ${(seconds * 1000).toFixed(0)} ms</span></summary>
      <ul class="tests-steps">${steps.map((step) => html`<li class=${step.state}><code>${step.kind}</code> <span class="muted">line ${step.line}, ${step.state}</span></li>`)}</ul>
      ${notes.map((note) => html`<p class="muted">${note}</p>`)}
      ${failure.length ? html`<pre class="tests-failure" tabindex="0" role="group" aria-label=${`Failure of ${name}`}>${failure.map((line) => html`<span class=${marks[line.style] ?? ""}>${line.text}
</span>`)}</pre>` : nothing}
    </details>
  </li>`;
}

const marks = { red: "expected", green: "actual", bold: "head", yellow: "remark" };

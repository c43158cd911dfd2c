/** The rows of the statement at the cursor, beside the program. */

import * as api from "../api.js";
import { followedJob, goesOn } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { rowsOfJob } from "./rows_of_job.js";

const REQUESTS = { begin: api.beginPreview, get: api.preview, cancel: api.cancelPreview };
/** The rows to read: the tests by name, and the chosen one; empty for the live sources. */
export const LIVE = Object.freeze({ names: [], test: "", of: "" });

/**
 * @param {object} store the editor's, whose `preview` and `sample` these are
 * @param {() => object} question the program and its options for `api.beginPreview`
 * @param {() => string} tests the text of the tests
 */
export function editorRows(store, question, tests) {
  const preview = followedJob(REQUESTS, (now) => store.set({ preview: now }));

  /** Read the names of the tests again if their text has changed. */
  async function list() {
    const of = tests();
    const { sample } = store.get();
    if (of === sample.of) return;
    store.set({ sample: { ...sample, of } });
    const { names } = of.trim() ? await api.testNames(of).catch(() => LIVE) : LIVE;
    const { sample: now } = store.get();
    if (now.of === of) store.set({ sample: { of, names, test: names.includes(now.test) ? now.test : "" } });
  }

  return {
    ...preview,
    list,
    choose: (test) => store.set({ sample: { ...store.get().sample, test } }),
    begin() {
      const { test } = store.get().sample;
      store.set({ side: "rows" });
      list();
      preview.begin({ ...question(), cursor: document.querySelector("sql-editor").cursor, ...(test ? { test, tests: tests() } : {}) });
    },
  };
}

export function rowsView({ preview, sample }, { begin, cancel, choose }) {
  const busy = preview.starting || goesOn(preview.job);
  return html`<div class="rows-head"><button type="button" ?disabled=${busy} @click=${begin}>Preview rows</button>
      ${sample.names.length ? html`<label class="rows-from">from <select @change=${(event) => choose(event.target.value)}>
          <option value="" ?selected=${!sample.test}>the sources</option>
          ${sample.names.map((name) => html`<option value=${name} ?selected=${name === sample.test}>test: ${name}</option>`)}
        </select></label>` : nothing}
      <span class="muted">of the SELECT, INSERT, table or view at the cursor; Ctrl+Enter</span></div>
    ${rowsOfJob(preview, cancel)}`;
}

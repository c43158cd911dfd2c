/** The rows of the statement at the cursor, beside the program. */

import * as api from "../api.js";
import { followedJob, goesOn } from "../jobs.js";
import { html } from "../lit.js";
import { rowsOfJob } from "./rows_of_job.js";

const REQUESTS = { begin: api.beginPreview, get: api.preview, cancel: api.cancelPreview };

/** @param {() => object} question the program and its options for `api.beginPreview` */
export function editorRows(store, question) {
  const preview = followedJob(REQUESTS, (now) => store.set({ preview: now }));
  return {
    ...preview,
    begin() {
      store.set({ side: "rows" });
      preview.begin({ ...question(), cursor: document.querySelector("sql-editor").cursor });
    },
  };
}

export function rowsView({ preview }, { begin, cancel }) {
  const busy = preview.starting || goesOn(preview.job);
  return html`<div class="rows-head"><button type="button" ?disabled=${busy} @click=${begin}>Preview rows</button>
      <span class="muted">of the SELECT, INSERT, table or view at the cursor; Ctrl+Enter</span></div>
    ${rowsOfJob(preview, cancel)}`;
}

/** The rows of the statement at the cursor, beside the program. */

import { html } from "../lit.js";
import { NO_PREVIEW, PREVIEW, previewView, rowsPreview } from "./rows_preview.js";

export { NO_PREVIEW };

/** @param {() => object} question the program and its options for `api.beginPreview` */
export function editorRows(store, question) {
  const preview = rowsPreview(PREVIEW, (now) => store.set({ preview: now }));
  return {
    ...preview,
    begin() {
      store.set({ side: "rows" });
      preview.begin({ ...question(), cursor: document.querySelector("sql-editor").cursor });
    },
  };
}

export function rowsView({ preview }, { begin, cancel }) {
  const busy = preview.starting || preview.job?.state === "running";
  return html`<div class="rows-head"><button type="button" ?disabled=${busy} @click=${begin}>Preview rows</button>
      <span class="muted">of the SELECT, INSERT, table or view at the cursor; Ctrl+Enter</span></div>
    ${previewView(preview, cancel)}`;
}

/** The tap of a sink: rows that enter it, shown in its panel while the pipeline runs. */

import { html, nothing } from "../lit.js";
import { NO_PREVIEW, previewView, rowsPreview, tapOf } from "./rows_preview.js";

/** @param {string} name the pipeline */
export function sinkTap(name, store) {
  const rows = rowsPreview(tapOf(name), (tap) => store.set({ tap }));
  return {
    ...rows,
    close() {
      rows.stop();
      store.set({ tap: NO_PREVIEW });
    },
  };
}

export function tapView(node, tap, { begin, cancel }) {
  if (node.role !== "sink") return nothing;
  const busy = tap.starting || tap.job?.state === "running";
  return html`<section class="tap"><h3>Rows</h3>
    ${busy ? nothing : html`<button type="button" @click=${() => begin(Number(node.id))}>Show passing rows</button>`}
    ${previewView(tap, cancel, "Waiting for rows")}</section>`;
}

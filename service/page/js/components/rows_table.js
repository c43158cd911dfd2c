import { count } from "../format.js";
import { html, nothing } from "../lit.js";

const KINDS = { "+I": "insert", "-U": "before an update", "+U": "after an update", "-D": "delete" };
const ENDINGS = { rows: "stopped at the limit of rows", bytes: "stopped at the limit of size", seconds: "stopped at the limit of time" };

/**
 * Rows with the kinds of their changes, and the limit that ended them.
 * @param {{columns: {name: string, type: string}[], rows: {kind: string, values: (string | null)[]}[], ended: string}} document
 * @param {string} label
 */
export function rowsTable({ columns, rows, ended }, label) {
  const changes = rows.some(({ kind }) => kind !== "+I");
  return html`<div class="rows" role="region" aria-label=${label}>
    <p class="muted">${count(rows.length)} ${rows.length === 1 ? changes ? "change" : "row" : changes ? "changes" : "rows"}${ENDINGS[ended] ? `, ${ENDINGS[ended]}` : ""}</p>
    ${rows.length ? html`<div class="rows-scroll" tabindex="0" role="region" aria-label=${`${label}, table`}><table class="wide-table">
      <thead><tr><th scope="col" title="Kind of the change"><span class="visually-hidden">Kind of the change</span></th>
        ${columns.map(({ name, type }) => html`<th scope="col">${name}<span class="rows-type">${type}</span></th>`)}</tr></thead>
      <tbody>${rows.map(({ kind, values }) => html`<tr class=${kind.startsWith("-") ? "row-removed" : nothing}>
        <td><code title=${KINDS[kind] ?? nothing}>${kind}</code></td>${values.map(value)}</tr>`)}</tbody>
    </table></div>` : nothing}</div>`;
}

const value = (text) => html`<td>${text == null ? html`<span class="muted">NULL</span>` : html`<span class="rows-value" title=${text}>${text}</span>`}</td>`;

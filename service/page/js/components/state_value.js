import { html } from "../lit.js";

/** The fields of state as a list of names and values; composite fields nest, and lists of them are tables. */
export const fieldsView = (fields) =>
  html`<dl class="facts">${fields.map(({ name, type, value }) => html`<dt title=${type}>${name}</dt><dd>${valueView(value)}</dd>`)}</dl>`;

function valueView(value) {
  if (value == null) return html`<span class="muted">NULL</span>`;
  if (!Array.isArray(value)) return html`<code>${String(value)}</code>`;
  if (!value.length) return html`<span class="muted">empty</span>`;
  if (Array.isArray(value[0])) return table(value);
  return value[0]?.name === undefined ? html`<code>${value.map((item) => item ?? "NULL").join(", ")}</code>` : fieldsView(value);
}

function table(rows) {
  return html`<div class="state-rows"><table class="plain">
    <thead><tr>${rows[0].map(({ name, type }) => html`<th scope="col" title=${type}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map(({ value }) => html`<td>${valueView(value)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

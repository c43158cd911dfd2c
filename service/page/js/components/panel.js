import { html, nothing } from "../lit.js";
import { bytes, count, growth, millis, percent, rate, short } from "../format.js";
import { close } from "./icons.js";
import { ttlForm } from "./ttl.js";

const KINDS = {
  INSERT: "inserts",
  UPDATE_BEFORE: "rows before updates",
  UPDATE_AFTER: "rows after updates",
  DELETE: "deletions",
};

/** The changelog mode in words. */
export function changelogWords(kinds) {
  if (kinds.length === 1 && kinds[0] === "INSERT") return "Insert-only: rows are never updated or deleted.";
  const missing = kinds.includes("UPDATE_AFTER") && !kinds.includes("UPDATE_BEFORE");
  return `Emits ${kinds.map((kind) => KINDS[kind]).join(", ")}${missing ? ", without rows before updates" : ""}.`;
}

/**
 * The panel of an operator.
 * @param {object} options
 * @param {object} options.node
 * @param {object[]} options.inputs the operators that feed it, by port
 * @param {object|undefined} options.figures its state in the last progress message
 * @param {object|undefined} options.current its current figures: rates, growth, hot keys
 * @param {number|null|undefined} options.watermark ms between the watermark and the last micro-batch
 * @param {object} options.ttl the current edit; see `ttl.js`
 * @param {boolean} options.mayEdit
 * @param {object} options.rows rows of the operator, as a template
 * @param {object} options.act
 */
export function operatorPanel({ node, inputs, figures, current, watermark, ttl, mayEdit, rows, act }) {
  const of = (key) => (inputs.length > 1 ? html` <span class="muted">of ${inputs[key.input]?.words ?? `input ${key.input}`}</span>` : nothing);
  return html`<aside class="panel" aria-labelledby="panel-title" @keydown=${(event) => leave(event, act)}>
    <div class="panel-head">
      <div>
        <p class="panel-kind">${node.kind.replaceAll("-", " ")}</p>
        <h2 id="panel-title" tabindex="-1">${node.words}</h2>
      </div>
      <button type="button" class="quiet square" aria-label="Close operator" @click=${act.close}>${close}</button>
    </div>
    <p class="panel-what">${node.description}</p>
    ${node.problems.map((text) => html`<p class="note bad">${text}</p>`)}
    ${node.keeps_state ? html`<section><h3>State</h3>${stateOf(node, figures, current)} ${ttlForm({ node, ttl, mayEdit, act })}</section>` : nothing}
    ${current ? traffic(current, inputs, watermark) : nothing} ${rows ?? nothing}
    <section>
      <h3>Changelog</h3>
      <p>${changelogWords(node.changelog)}</p>
      <p class="kinds">${node.changelog.map((kind) => html`<code>${kind}</code> `)}</p>
    </section>
    ${node.keys.length
      ? html`<section><h3>Key</h3>${node.keys.map((key) => html`<p>${columns(key)}${of(key)}</p>`)}</section>`
      : nothing}
    ${node.upsert_keys.length
      ? html`<section><h3>Upsert keys</h3>${node.upsert_keys.map((key) => html`<p>${columns(key)}${of(key)}</p>`)}</section>`
      : nothing}
    <section>
      <h3>Columns <span class="muted">${node.columns.length}</span></h3>
      <table class="plain">
        <thead class="visually-hidden"><tr><th scope="col">Name</th><th scope="col">Type</th></tr></thead>
        <tbody>
          ${node.columns.map(({ name, type }) => html`<tr><td><code>${name}</code></td><td class="type">${type.replaceAll("VARCHAR(2147483647)", "STRING").replaceAll("VARBINARY(2147483647)", "BYTES")}</td></tr>`)}
        </tbody>
      </table>
    </section>
    <section>
      <h3>In the plan</h3>
      <dl class="facts">
        <dt>Node</dt><dd>${node.id}</dd>
        <dt>Type</dt><dd><code>${node.type}</code></dd>
        ${node.uid ? html`<dt>uid</dt><dd><code>${node.uid}</code></dd>` : nothing}
      </dl>
    </section>
  </aside>`;
}

const columns = (key) => key.columns.map((name, at) => html`${at ? ", " : ""}<code>${name}</code>`);

/** Figures of the run: rows per input, late rows, time, hot keys. */
function traffic(current, inputs, watermark) {
  const several = current.in_per_second.length > 1;
  return html`<section class="traffic"><h3>Now</h3>
    <dl class="facts figures">
      ${current.in_per_second.map((value, at) => html`<dt>${several ? `In, from ${inputs[at]?.words ?? `input ${at}`}` : "In"}</dt><dd>${rate(value)}</dd>`)}
      <dt>Out</dt><dd>${rate(current.out_per_second)}</dd>
      ${current.busy == null ? nothing : html`<dt title="Estimated from samples: the share of all task slots' time">Busy (estimate)</dt><dd>${percent(current.busy)}</dd>`}
      <dt>Late rows dropped</dt><dd>${count(current.late)}</dd>
      ${watermark == null ? nothing : html`<dt>Watermark</dt><dd>${millis(watermark)} behind</dd>`}
    </dl>
    ${current.hot_keys.length && current.hot_keys[0].key !== ""
      ? html`<h3>Hottest keys</h3><table class="plain hot-keys"><thead class="visually-hidden"><tr><th scope="col">Key</th><th scope="col">Share of rows</th></tr></thead>
          <tbody>${current.hot_keys.map(({ key, share }) => html`<tr><td><code>${key}</code></td><td class="type">${percent(share)}</td></tr>`)}</tbody></table>`
      : nothing}
    ${account("Rows in since the start", current.rows_by_outcome)}
    ${account("State rows since the start", current.state_changes)}
  </section>`;
}

/** Counts by reason; nothing without a count. */
const account = (title, counts) => Object.keys(counts).length === 0 ? nothing : html`<h3>${title}</h3>
  <dl class="facts figures">${Object.entries(counts).map(([reason, rows]) => html`<dt>${sentence(reason)}</dt><dd>${count(rows)}</dd>`)}</dl>`;

const sentence = (word) => word[0].toUpperCase() + word.slice(1);

function stateOf(node, figures, current) {
  return html`${figures
      ? html`<dl class="facts figures">
          <dt>Rows</dt><dd>${count(figures.state_rows)}${current?.rows_per_hour == null ? nothing : html` <span class="muted">${growth(current.rows_per_hour, short)}</span>`}</dd>
          <dt>Size</dt><dd>${bytes(figures.state_bytes)}${current?.bytes_per_hour == null ? nothing : html` <span class="muted">${growth(current.bytes_per_hour, bytes)}</span>`}</dd>
        </dl>`
      : nothing}
    ${node.why_no_ttl ? html`<p class="muted">No TTL: ${node.why_no_ttl}.</p>` : nothing}`;
}

function leave(event, act) {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  act.close();
}

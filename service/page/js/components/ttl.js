import { html, nothing } from "../lit.js";
import { count, ttl as ttlWords } from "../format.js";
import { readDuration } from "../durations.js";
import { problemBox } from "./problem.js";
import { warning } from "./icons.js";

/** No edit. `texts` are the typed TTLs by state entry; `check` is the server's response. */
export const NO_EDIT = Object.freeze({ node: null, texts: {}, comment: "", check: null, checking: false, removes: null, counting: null, counts: false, problem: null, saving: false });

/** The tables whose rows a state entry holds, with its side if several entries have the same tables. */
export function rowsOf(entry, all) {
  const of = entry.of || entry.name;
  const side = entry.name.replace(/[-_]?state$/i, "");
  return all.some((sibling) => sibling !== entry && sibling.of === entry.of) && side ? `${side} ${of}` : of;
}

/** The TTLs that differ from the plan, as a request body. */
export function editsOf(node, ttl) {
  return node.state
    .filter((entry) => ttl.texts[entry.name] !== undefined && ttl.texts[entry.name].trim() !== entry.ttl)
    .map((entry) => ({ node: String(node.id), state: entry.name, ttl: ttl.texts[entry.name].trim() }));
}

export const isValid = (node, ttl) => editsOf(node, ttl).every((edit) => !readDuration(edit.ttl).problem);

/** The form for the TTLs of an operator. */
export function ttlForm({ node, ttl, mayEdit, act }) {
  if (!node.state.length) return nothing;
  const edits = editsOf(node, ttl);
  const ready = edits.length > 0 && isValid(node, ttl) && !ttl.problem && !ttl.check?.problems.length && !ttl.saving;
  return html`<form
    class="ttl-form"
    aria-label="State TTL"
    novalidate
    @submit=${(event) => {
      event.preventDefault();
      if (ready) act.save();
    }}
  >
    ${node.state.map((entry) => field(node, entry, ttl, mayEdit, act))}
    ${edits.length
      ? html`${outcome(node, ttl, act)}
          <label class="field"><span>Comment <span class="muted">for the history</span></span>
            <input name="comment" autocomplete="off" maxlength="500" .value=${ttl.comment}
              placeholder="Reason for the change"
              @input=${(event) => act.comment(event.target.value)} />
          </label>
          <div class="actions">
            <button type="button" class="quiet" @click=${act.discard}>Discard</button>
            <button type="submit" class="primary" ?disabled=${!ready} aria-busy=${ttl.saving ? "true" : "false"}>
              ${ttl.saving ? "Saving…" : "Save and put into force"}
            </button>
          </div>`
      : nothing}
  </form>`;
}

function field(node, entry, ttl, mayEdit, act) {
  const text = ttl.texts[entry.name] ?? entry.ttl;
  const duration = readDuration(text);
  const name = `ttl-${entry.name}`;
  const changed = text.trim() !== entry.ttl;
  return html`<div class="ttl-field">
    <label for=${name}>
      <span>TTL of the rows of <strong>${rowsOf(entry, node.state)}</strong></span>
      <code class="muted">${entry.name}</code>
    </label>
    <input id=${name} name=${name} class="ttl-input" autocomplete="off" spellcheck="false" .value=${text}
      ?readonly=${!mayEdit} aria-invalid=${duration.problem ? "true" : "false"} aria-describedby="${name}-says"
      @input=${(event) => act.type(entry.name, event.target.value)} />
    <p id="${name}-says" class="ttl-says ${duration.problem ? "bad" : ""}" aria-live="polite">
      ${duration.problem ?? says(entry, duration, changed)}
    </p>
  </div>`;
}

function says(entry, duration, changed) {
  const before = changed ? html` <span class="muted">before: ${ttlWords(entry.ttl_ms)}</span>` : nothing;
  const doubt = duration.doubt ? html` <span class="warn">${duration.doubt}</span>` : nothing;
  const meaning = duration.ms === 0 ? "never expires" : duration.ms != null ? ttlWords(duration.ms) : entry.effective_ttl;
  const compiled = !changed && entry.compiled ? html` <span class="muted">compiled: ${entry.compiled}</span>` : nothing;
  return html`${meaning}${before}${compiled}${doubt}`;
}

/** The effect of the edit. */
function outcome(node, ttl, act) {
  if (ttl.problem) return problemBox(ttl.problem);
  if (!isValid(node, ttl)) return nothing;
  if (!ttl.check) return html`<p class="outcome muted" aria-live="polite">Checking…</p>`;
  const { problems, warnings } = ttl.check;
  if (problems.length) return problems.map(problemBox);
  return html`<div class="outcome" aria-live="polite">
    ${editsOf(node, ttl).map((edit) => html`<p>${effect(entryOf(node, edit.state), edit, node.state)}</p>`)}
    ${ttl.removes ? removed(ttl.removes) : act.count ? counter(ttl, act) : nothing}
    ${warnings.map(({ message }) => html`<p class="warn">${warning}<span>${message}</span></p>`)}
  </div>`;
}

const entryOf = (node, name) => node.state.find((entry) => entry.name === name);

/** The effect of a new TTL, which also applies to existing rows. */
function effect(entry, edit, all) {
  const { ms } = readDuration(edit.ttl);
  const of = html`rows of <strong>${rowsOf(entry, all)}</strong>`;
  if (ms == null) return html`Applies to ${of} from the next start.`;
  const shorter = ms !== 0 && (entry.ttl_ms === 0 || ms < entry.ttl_ms);
  return shorter
    ? html`From the next start, ${of} expire after <strong>${ttlWords(ms)}</strong>, also existing rows.`
    : html`From the next start, ${of} ${ms ? html`expire after <strong>${ttlWords(ms)}</strong>` : "never expire"}; rows that have expired are not restored.`;
}

function counter({ counting }, act) {
  if (!counting) return html`<p><button type="button" @click=${act.count}>Count expired rows</button></p>`;
  const { done, of, seconds } = counting;
  return html`<p>${of ? `Counting: ${done} of ${of} tasks` : "Starting Spark…"} · ${Math.round(seconds)} s
      <button type="button" class="quiet" @click=${act.cancelCount}>Cancel</button></p>
    ${of ? html`<progress aria-label="Progress of the count" max=${of} value=${done}></progress>` : html`<progress aria-label="Progress of the count"></progress>`}`;
}

function removed(removes) {
  const rows = removes.reduce((sum, entry) => sum + entry.rows, 0);
  if (!rows) return html`<p>No row in the checkpoint would expire.</p>`;
  return html`<p class="warn">${warning}<span>Would expire
    ${removes.filter(({ rows }) => rows).map((removed, at) => html`${at ? ", " : ""}<strong>${count(removed.rows)}</strong> of ${count(removed.of)} rows of <code>${removed.entry}</code>`)}.</span></p>`;
}

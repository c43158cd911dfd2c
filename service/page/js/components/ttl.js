import { html, nothing } from "../lit.js";
import { count, ttl as ttlWords } from "../format.js";
import { readDuration } from "../durations.js";
import { problemBox } from "./problem.js";
import { warning } from "./icons.js";

/** Nothing is edited. `texts` are the TTLs as typed, by name of entry; `check` is what the server says of them. */
export const NO_EDIT = Object.freeze({ node: null, texts: {}, comment: "", check: null, checking: false, removes: null, counting: false, problem: null, saving: false });

/** Whose rows an entry keeps; with its side where several are of the same tables. */
export function keptOf(entry, all) {
  const of = entry.of || entry.name;
  const side = entry.name.replace(/[-_]?state$/i, "");
  return all.some((each) => each !== entry && each.of === entry.of) && side ? `${side} ${of}` : of;
}

/** What is different from the plan, as the API wants it. */
export function editsOf(node, ttl) {
  return node.state
    .filter((entry) => ttl.texts[entry.name] !== undefined && ttl.texts[entry.name].trim() !== entry.ttl)
    .map((entry) => ({ node: String(node.id), state: entry.name, ttl: ttl.texts[entry.name].trim() }));
}

export const isValid = (node, ttl) => editsOf(node, ttl).every((edit) => !readDuration(edit.ttl).problem);

/** The TTLs of an operator, changed in their place. */
export function ttlForm({ node, ttl, mayEdit, act }) {
  if (!node.state.length) return nothing;
  const edits = editsOf(node, ttl);
  const ready = edits.length > 0 && isValid(node, ttl) && !ttl.problem && !ttl.check?.problems.length && !ttl.saving;
  return html`<form
    class="ttl-form"
    aria-label="How long state is kept"
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
              placeholder="Why it is changed"
              @input=${(event) => act.comment(event.target.value)} />
          </label>
          <div class="actions">
            <button type="button" class="quiet" @click=${act.discard}>Discard</button>
            <button type="submit" class="primary" ?disabled=${!ready} aria-busy=${ttl.saving ? "true" : "false"}>
              ${ttl.saving ? "Saving…" : "Save as a new version"}
            </button>
          </div>`
      : nothing}
  </form>`;
}

function field(node, entry, ttl, mayEdit, act) {
  const text = ttl.texts[entry.name] ?? entry.ttl;
  const found = readDuration(text);
  const name = `ttl-${entry.name}`;
  const changed = text.trim() !== entry.ttl;
  return html`<div class="ttl-field">
    <label for=${name}>
      <span>Rows of <strong>${keptOf(entry, node.state)}</strong> are kept</span>
      <code class="muted">${entry.name}</code>
    </label>
    <input id=${name} name=${name} class="ttl-input" autocomplete="off" spellcheck="false" .value=${text}
      ?readonly=${!mayEdit} aria-invalid=${found.problem ? "true" : "false"} aria-describedby="${name}-says"
      @input=${(event) => act.type(entry.name, event.target.value)} />
    <p id="${name}-says" class="ttl-says ${found.problem ? "bad" : ""}" aria-live="polite">
      ${found.problem ?? says(entry, found, changed)}
    </p>
  </div>`;
}

function says(entry, found, changed) {
  const before = changed ? html` <span class="muted">was ${entry.effective_ttl}</span>` : nothing;
  const doubt = found.doubt ? html` <span class="warn">${found.doubt}</span>` : nothing;
  const meaning = found.ms === 0 ? "never expires" : found.ms != null ? ttlWords(found.ms) : entry.effective_ttl;
  const compiled = !changed && entry.compiled ? html` <span class="muted">the program says ${entry.compiled}</span>` : nothing;
  return html`${meaning}${before}${compiled}${doubt}`;
}

/** What the change would do. */
function outcome(node, ttl, act) {
  if (ttl.problem) return problemBox(ttl.problem);
  if (!isValid(node, ttl)) return nothing;
  if (!ttl.check) return html`<p class="outcome muted" aria-live="polite">Checking…</p>`;
  const { problems, warnings } = ttl.check;
  if (problems.length) return problems.map(problemBox);
  return html`<div class="outcome" aria-live="polite">
    ${editsOf(node, ttl).map((edit) => html`<p>${effect(entryOf(node, edit.state), edit, node.state)}</p>`)}
    ${ttl.removes ? removed(ttl.removes) : act.count ? counter(ttl, act) : nothing}
    ${warnings.map((each) => html`<p class="warn">${warning}<span>${each.message}</span></p>`)}
  </div>`;
}

const entryOf = (node, name) => node.state.find((entry) => entry.name === name);

/** What another TTL means for the rows that are kept already: it holds for them, too. */
function effect(entry, edit, all) {
  const { ms } = readDuration(edit.ttl);
  const of = html`rows of <strong>${keptOf(entry, all)}</strong>`;
  if (ms == null) return html`Holds for ${of} from the next start on.`;
  const shorter = ms !== 0 && (entry.ttl_ms === 0 || ms < entry.ttl_ms);
  return shorter
    ? html`From the next start on, ${of} that are older than <strong>${ttlWords(ms)}</strong> are gone, those kept now, too.`
    : html`From the next start on, ${of} ${ms ? html`are kept for <strong>${ttlWords(ms)}</strong>` : "never expire"}; what is gone does not come back.`;
}

const counter = (ttl, act) => html`<p><button type="button" ?disabled=${ttl.counting} @click=${act.count}>
  ${ttl.counting ? "Counting…" : "Count what it would remove"}</button></p>`;

function removed(removes) {
  const rows = removes.reduce((sum, each) => sum + each.rows, 0);
  if (!rows) return html`<p>Of what the checkpoint holds, nothing would be removed.</p>`;
  return html`<p class="warn">${warning}<span>Would remove
    ${removes.filter((each) => each.rows).map((each, at) => html`${at ? ", " : ""}<strong>${count(each.rows)}</strong> of ${count(each.of)} rows of <code>${each.entry}</code>`)}.</span></p>`;
}

import { lossesOf, verdictLine } from "../components/diff.js";
import { openDialog } from "../components/dialog.js";
import { html, nothing } from "../lit.js";

const STEPS = "The run stops, its state is migrated, and the new version is put into force and starts. The previous state is retained: you can roll back.";

/**
 * Ask for the options of an upgrade.
 * @param {string} name of the pipeline
 * @param {object} diff of the two plans
 * @returns {Promise<{partial: boolean, correct: boolean, reset: string[], warm_up: string[]}|undefined>} undefined if it was cancelled
 */
export function askUpgrade(name, diff) {
  const stay = diff.operators.filter(({ newNode }) => newNode != null);
  const lost = stay.filter(({ verdict }) => verdict === "incompatible");
  const begin = stay.filter(({ oldNode }) => oldNode == null);
  const losses = lossesOf(diff);
  const chosen = { partial: diff.verdict !== "full", correct: false, fill: false, reset: new Set() };

  return openDialog(`Migrate ${name}?`, (end, again) => {
    const set = (changes) => {
      Object.assign(chosen, changes);
      again();
    };
    return html`${diff.same ? nothing : verdictLine(diff)}
      <p>${STEPS}</p>
      ${diff.same ? nothing : pastChoice(chosen, set)}
      ${chosen.correct ? nothing : html`${lossList(losses)} ${resetChoice(lost, chosen, set)} ${fillChoice(begin, chosen, set)}`}
      ${buttons(lost, chosen, end)}`;
  }, { wide: losses.length > 0 });
}

const pastChoice = ({ correct }, set) => html`<label class="choice"><input type="checkbox" .checked=${correct} @change=${(event) => set({ correct: event.target.checked })} />
  <span>Correct the past: fill changed operators from history, and send the tables the rows that differ. Other rows there are deleted.</span></label>`;

const lossList = (losses) => (losses.length
  ? html`<section class="losses"><h3>What is lost</h3><ul class="diff-list">
      ${losses.map(({ name, text }) => html`<li class="diff-plain"><p class="diff-name">${name}</p><p>${text}</p></li>`)}</ul></section>`
  : html`<p>No state is lost.</p>`);

function resetChoice(lost, { reset }, set) {
  if (!lost.length) return nothing;
  const mark = (uid, on) => set({ reset: new Set(on ? [...reset, uid] : [...reset].filter((other) => other !== uid)) });
  return html`<fieldset><legend>The state of these operators cannot be migrated</legend>
    ${lost.map(({ uid, words }) => html`<label class="choice"><input type="checkbox" .checked=${reset.has(uid)} @change=${(event) => mark(uid, event.target.checked)} />
      <span>Start empty: ${words}</span></label>`)}</fieldset>`;
}

const fillChoice = (begin, { reset, fill }, set) => (begin.length || reset.size
  ? html`<label class="choice"><input type="checkbox" .checked=${fill} @change=${(event) => set({ fill: event.target.checked })} />
      <span>Warm up empty operators with the data that the sources have read so far</span></label>`
  : nothing);

function buttons(lost, { partial, correct, fill, reset }, end) {
  const ready = correct || lost.every(({ uid }) => reset.has(uid));
  const answer = correct ? { partial: false, correct, reset: [], warm_up: [] } : { partial, correct, reset: [...reset], warm_up: fill ? ["all"] : [] };
  return html`<div class="actions">
    <button type="button" class="quiet" @click=${() => end()}>Cancel</button>
    <button type="button" class=${partial && !correct ? "danger" : "primary"} autofocus ?disabled=${!ready} @click=${() => end(answer)}>${correct ? "Migrate and correct" : partial ? "Migrate anyway" : "Migrate"}</button>
  </div>`;
}

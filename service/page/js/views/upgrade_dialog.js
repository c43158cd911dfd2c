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
  const partial = diff.verdict !== "full";
  const losses = lossesOf(diff);
  const reset = new Set();
  let fill = false;
  let correct = false;

  return openDialog(`Migrate ${name}?`, (end, again) => {
    const mark = (uid, on) => {
      if (on) reset.add(uid);
      else reset.delete(uid);
      again();
    };
    const ready = correct || lost.every(({ uid }) => reset.has(uid));
    return html`${diff.same ? nothing : verdictLine(diff)}
      <p>${STEPS}</p>
      ${diff.same
        ? nothing
        : html`<label class="choice"><input type="checkbox" .checked=${correct} @change=${(event) => { correct = event.target.checked; again(); }} />
            <span>Correct the past: fill changed operators from history, and send the tables the rows that differ. Other rows there are deleted.</span></label>`}
      ${correct ? nothing : losses.length
        ? html`<section class="losses"><h3>What is lost</h3><ul class="diff-list">
            ${losses.map(({ name, text }) => html`<li class="diff-plain"><p class="diff-name">${name}</p><p>${text}</p></li>`)}</ul></section>`
        : html`<p>No state is lost.</p>`}
      ${lost.length && !correct
        ? html`<fieldset><legend>The state of these operators cannot be migrated</legend>
            ${lost.map((operator) => html`<label class="choice"><input type="checkbox" @change=${(event) => mark(operator.uid, event.target.checked)} />
              <span>Start empty: ${operator.words}</span></label>`)}</fieldset>`
        : nothing}
      ${(begin.length || reset.size) && !correct
        ? html`<label class="choice"><input type="checkbox" @change=${(event) => { fill = event.target.checked; }} />
            <span>Warm up empty operators with the data that the sources have read so far</span></label>`
        : nothing}
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="button" class=${partial && !correct ? "danger" : "primary"} autofocus ?disabled=${!ready}
          @click=${() => end(correct ? { partial: false, correct, reset: [], warm_up: [] } : { partial, correct, reset: [...reset], warm_up: fill ? ["all"] : [] })}>${correct ? "Migrate and correct" : partial ? "Migrate anyway" : "Migrate"}</button>
      </div>`;
  }, { wide: losses.length > 0 });
}

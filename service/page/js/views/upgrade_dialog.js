import { openDialog } from "../components/dialog.js";
import { html, nothing } from "../lit.js";

const SAFE = "The run is stopped, the state is carried over, and the run goes on. The state of before is kept: you can roll back.";
const PARTIAL = "Some results will differ from what the new program gives from scratch, as said below. The state of before is kept: you can roll back.";

/**
 * Ask how to upgrade.
 * @param {string} name of the pipeline
 * @param {object} diff of the two plans
 * @returns {Promise<{partial: boolean, reset: string[], warm_up: string[]}|undefined>} undefined where it was given up
 */
export function askUpgrade(name, diff) {
  const stay = diff.operators.filter((each) => each.newNode != null);
  const lost = stay.filter((each) => each.verdict === "incompatible");
  const begin = stay.filter((each) => each.oldNode == null);
  const partial = diff.verdict !== "full";
  const reset = new Set();
  let fill = false;

  return openDialog(`Upgrade ${name}?`, (end, again) => {
    const mark = (uid, on) => {
      if (on) reset.add(uid);
      else reset.delete(uid);
      again();
    };
    const ready = lost.every((each) => reset.has(each.uid));
    return html`<p>${partial ? PARTIAL : SAFE}</p>
      ${lost.length
        ? html`<fieldset><legend>The state of these cannot be carried over</legend>
            ${lost.map((each) => html`<label class="choice"><input type="checkbox" @change=${(event) => mark(each.uid, event.target.checked)} />
              <span>Start empty: ${each.words}</span></label>`)}</fieldset>`
        : nothing}
      ${begin.length || reset.size
        ? html`<label class="choice"><input type="checkbox" @change=${(event) => { fill = event.target.checked; }} />
            <span>Fill what starts empty from the files that were read before</span></label>`
        : nothing}
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="button" class=${partial ? "danger" : "primary"} autofocus ?disabled=${!ready}
          @click=${() => end({ partial, reset: [...reset], warm_up: fill ? ["all"] : [] })}>${partial ? "Migrate all the same" : "Migrate"}</button>
      </div>`;
  });
}

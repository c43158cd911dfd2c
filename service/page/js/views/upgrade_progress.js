import { html, nothing } from "../lit.js";
import { when } from "../format.js";

const WORDS = {
  stopping: "The run is stopped",
  migrating: "State is carried over",
  starting: "The run starts again",
  running: "Upgrade under way",
  done: "The upgrade is done",
  failed: "The upgrade failed",
  refused: "The upgrade was refused: the version of before goes on",
  "rolling-back": "Plan and state of before are taken again",
  "rolled-back": "Rolled back",
};
const AT_WORK = ["stopping", "migrating", "starting", "running", "rolling-back"];

/** How far an upgrade is, or how the last one ended. */
export function progressView(progress, rollBack, busy) {
  const { state, from, to, done, of, message, remedy, at } = progress;
  if (!state || state === "none") return nothing;
  const works = AT_WORK.includes(state);
  return html`<section class="upgrade-progress ${state}" aria-live="polite">
    <div>
      <p><strong>${WORDS[state] ?? state}</strong> ${from ? html`<span class="muted">version ${from} to ${to}</span>` : nothing}
        ${at ? html`<span class="muted">${when(at)}</span>` : nothing}</p>
      ${works ? html`<progress aria-label="Upgrade" max=${of || 1} .value=${of ? done : nothing}></progress>` : nothing}
      ${of && works ? html`<p class="muted">${done} of ${of} operators</p>` : nothing}
      ${message ? html`<p class=${["failed", "refused"].includes(state) ? "bad" : ""}>${message}</p>` : nothing}
      ${remedy ? html`<p class="problem-remedy"><span>Try</span> ${remedy}</p>` : nothing}
    </div>
    ${rollBack && progress.can_roll_back ? html`<button type="button" ?disabled=${busy || works} @click=${rollBack}>Roll back</button>` : nothing}
  </section>`;
}

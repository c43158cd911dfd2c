import { html, nothing } from "../lit.js";
import { STATES } from "../components/icons.js";

const MARKS = { waiting: STATES.starting, "going-on": STATES.running, done: STATES.finished, failed: STATES.failed };

const WORDS = {
  migrating: "State is carried over",
  done: "The upgrade is done",
  refused: "The upgrade was refused: the version of before goes on",
  "rolling-back": "Plan and state of before are taken again",
  "rolled-back": "Rolled back",
};

const AT_WORK = ["migrating", "rolling-back"];

/** Whether an upgrade, or the way back, goes on. */
export const isUnderWay = (progress) => AT_WORK.includes(progress?.state);

const STEP_WORDS = { waiting: "waits", "going-on": "under way", done: "done", failed: "failed" };

/** What the upgrade does, one after the other; each with its mark, so that colour is not all that tells. */
const stepsView = (steps) => html`<ol class="steps" aria-label="Steps">
  ${steps.map((each) => html`<li class="step ${each.state}">
    ${MARKS[each.state]}<span>${each.text}<span class="visually-hidden">, ${STEP_WORDS[each.state]}</span></span>
  </li>`)}
</ol>`;

/** How far an upgrade is, or how the last one ended. */
export function progressView(progress, rollBack, busy) {
  const { state, from, to, done, of, steps, message, remedy } = progress;
  if (state === "none") return nothing;
  const works = isUnderWay(progress);
  return html`<section class="upgrade-progress ${state}" aria-live="polite">
    <div>
      <p><strong>${WORDS[state]}</strong> ${from ? html`<span class="muted">version ${from} to ${to}</span>` : nothing}</p>
      ${works ? html`<progress aria-label="Upgrade" max=${of} .value=${done}></progress>` : nothing}
      ${steps.length ? stepsView(steps) : nothing}
      ${message ? html`<p class=${state === "refused" ? "bad" : ""}>${message}</p>` : nothing}
      ${remedy ? html`<p class="problem-remedy"><span>Try</span> ${remedy}</p>` : nothing}
    </div>
    ${rollBack && progress.can_roll_back ? html`<button type="button" ?disabled=${busy || works} @click=${rollBack}>Roll back</button>` : nothing}
  </section>`;
}

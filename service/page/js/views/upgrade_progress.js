import { html, nothing } from "../lit.js";
import { STATES } from "../components/icons.js";
import { when } from "../format.js";

const MARKS = { waiting: STATES.starting, "going-on": STATES.running, done: STATES.finished, failed: STATES.failed };

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
/** Whether an upgrade, or the way back, goes on. */
export const isUnderWay = (progress) => AT_WORK.includes(progress?.state);

const AT_WORK = ["stopping", "migrating", "starting", "running", "rolling-back"];

const STEP_WORDS = { waiting: "waits", "going-on": "under way", done: "done", failed: "failed" };

/** What the upgrade does, one after the other; each with its mark, so that colour is not all that tells. */
const stepsView = (steps) => html`<ol class="steps" aria-label="Steps">
  ${steps.map((each) => html`<li class="step ${each.state}">
    ${MARKS[each.state] ?? MARKS.waiting}<span>${each.text}<span class="visually-hidden">, ${STEP_WORDS[each.state] ?? each.state}</span></span>
  </li>`)}
</ol>`;

/** How far an upgrade is, or how the last one ended. */
export function progressView(progress, rollBack, busy) {
  const { state, from, to, message, remedy, at, steps } = progress;
  const [done, of] = steps?.length ? [steps.filter((each) => each.state === "done").length, steps.length] : [progress.done, progress.of];
  if (!state || state === "none") return nothing;
  const works = isUnderWay(progress);
  return html`<section class="upgrade-progress ${state}" aria-live="polite">
    <div>
      <p><strong>${WORDS[state] ?? state}</strong> ${from ? html`<span class="muted">version ${from} to ${to}</span>` : nothing}
        ${at ? html`<span class="muted">${when(at)}</span>` : nothing}</p>
      ${works ? html`<progress aria-label="Upgrade" max=${of || 1} .value=${of ? done : nothing}></progress>` : nothing}
      ${steps?.length ? stepsView(steps) : of && works ? html`<p class="muted">${done} of ${of} steps</p>` : nothing}
      ${message ? html`<p class=${["failed", "refused"].includes(state) ? "bad" : ""}>${message}</p>` : nothing}
      ${remedy ? html`<p class="problem-remedy"><span>Try</span> ${remedy}</p>` : nothing}
    </div>
    ${rollBack && progress.can_roll_back ? html`<button type="button" ?disabled=${busy || works} @click=${rollBack}>Roll back</button>` : nothing}
  </section>`;
}

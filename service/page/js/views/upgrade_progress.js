import { html, nothing } from "../lit.js";
import { STATES } from "../components/icons.js";

const MARKS = { waiting: STATES.starting, "going-on": STATES.running, done: STATES.finished, failed: STATES.failed };

const WORDS = {
  migrating: "Migrating the state",
  done: "The upgrade is complete",
  refused: "The upgrade was refused: the previous version continues",
  "rolling-back": "Restoring the previous plan and state",
  "rolled-back": "Rolled back",
  rewound: "Rewound to an earlier micro-batch",
};

const AT_WORK = ["migrating", "rolling-back"];

/** Return true while an upgrade or rollback is in progress. */
export const isUnderWay = (progress) => AT_WORK.includes(progress?.state);

const STEP_WORDS = { waiting: "waiting", "going-on": "in progress", done: "done", failed: "failed" };

/** The steps of an upgrade, with icons, so that colour is not the only distinction. */
const stepsView = (steps) => html`<ol class="steps" aria-label="Steps">
  ${steps.map(({ state, text }) => html`<li class="step ${state}">
    ${MARKS[state]}<span>${text}<span class="visually-hidden">, ${STEP_WORDS[state]}</span></span>
  </li>`)}
</ol>`;

/** The progress of an upgrade, or the outcome of the last one. */
export function progressView(progress, rollBack, busy) {
  const { state, from, to, done, of, steps, message, remedy } = progress;
  if (state === "none") return nothing;
  const works = isUnderWay(progress);
  return html`<section class="upgrade-progress ${state}" aria-live="polite">
    <div>
      <p><strong>${WORDS[state]}</strong> ${from && from !== to ? html`<span class="muted">version ${from} to ${to}</span>` : nothing}</p>
      ${works ? html`<progress aria-label="Upgrade" max=${of} .value=${done}></progress>` : nothing}
      ${steps.length ? stepsView(steps) : nothing}
      ${message ? html`<p class=${state === "refused" ? "bad" : ""}>${message}</p>` : nothing}
      ${remedy ? html`<p class="problem-remedy"><span>Try</span> ${remedy}</p>` : nothing}
    </div>
    ${rollBack && progress.can_roll_back ? html`<button type="button" ?disabled=${busy || works} @click=${rollBack}>Roll back</button>` : nothing}
  </section>`;
}

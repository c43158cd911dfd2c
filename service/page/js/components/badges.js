import { html, nothing } from "../lit.js";
import { isAlive } from "../figures.js";
import { since } from "../format.js";
import { STATES } from "./icons.js";
import "./countdown.js";

/** The states of `service/store/states.py`. */
const WORDS = {
  starting: "Starting",
  running: "Running",
  behind: "Behind",
  "upgrade-waiting": "Upgrade waiting",
  migrating: "Migrating",
  stopping: "Stopping",
  waiting: "Waiting",
  failed: "Failed",
  finished: "Finished",
  stopped: "Stopped",
  none: "Never run",
};

export const STATE_NAMES = Object.keys(WORDS);
export const stateWords = (state) => WORDS[state] ?? state;

/** The state of a run, with shape, colour and text. */
export const stateBadge = (state) =>
  html`<span class="badge state-${state}">${STATES[state] ?? STATES.none}${stateWords(state)}</span>`;

/** The time of a pipeline in its state; empty if it is unknown. */
export const sinceWords = (pipeline) => (pipeline.since ? since(pipeline.since, isAlive(pipeline) || pipeline.state === "waiting") : "");

/** The state of a pipeline with its time in it, and the time until its next start. */
export const stateLine = (pipeline) => html`${stateBadge(pipeline.state)}
  ${pipeline.since ? html`<span class="since">${sinceWords(pipeline)}</span>` : nothing}
  ${pipeline.until ? html`<span class="since">next start <count-down to=${pipeline.until}></count-down></span>` : nothing}`;

const VERDICTS = {
  full: "fully compatible",
  partial: "partially compatible",
  unknown: "unknown",
  incompatible: "incompatible",
};

export const verdictWords = (verdict) => VERDICTS[verdict] ?? verdict;
export const verdictBadge = (verdict) => html`<span class="badge verdict-${verdict}">${verdictWords(verdict)}</span>`;

const CHANGES = {
  kept: "unchanged",
  moved: "moved",
  changed: "changed",
  added: "added",
  removed: "removed",
  ttlChanged: "TTL changed",
};

export const changeWords = (change) => CHANGES[change] ?? change;
export const changeBadge = (change) => html`<span class="badge change-${change}">${changeWords(change)}</span>`;

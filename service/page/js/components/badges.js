import { html } from "../lit.js";
import { STATES } from "./icons.js";

const WORDS = {
  running: "Running",
  behind: "Behind",
  failed: "Failed",
  stopped: "Stopped",
  finished: "Finished",
  "upgrade-waiting": "Upgrade waiting",
  starting: "Starting",
  none: "Never run",
};

export const STATE_NAMES = Object.keys(WORDS);
export const stateWords = (state) => WORDS[state] ?? state;

/** The state of a run, with shape, colour and text. */
export const stateBadge = (state) =>
  html`<span class="badge state-${state}">${STATES[state] ?? STATES.none}${stateWords(state)}</span>`;

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

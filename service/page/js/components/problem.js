import { html, nothing } from "../lit.js";
import { warning } from "./icons.js";

/** The length above which a text gets a scrollable box. */
const LONG = 400;

/** A message of any length. */
export const messageText = (text) =>
  text.length <= LONG
    ? html`<p class="problem-what">${text}</p>`
    : html`<div class="problem-what long" tabindex="0" role="group" aria-label="Message">${text}</div>`;

/** The problem of a load, which the page repeats by itself: nothing without a connection, since the header says so. */
export const loadProblemBox = (problem) => (problem?.status === 0 ? nothing : problemBox(problem));

/** An error: its cause, location and remedy. */
export function problemBox(problem, title = "") {
  if (!problem) return nothing;
  return html`<div class="problem" role="alert">
    ${warning}
    <div>
      ${title ? html`<strong>${title}</strong>` : nothing}
      ${messageText(problem.message)}
      ${problem.where ? html`<p class="problem-where"><span>Where</span> <code>${problem.where}</code></p>` : nothing}
      ${problem.value != null && problem.value !== ""
        ? html`<p class="problem-where"><span>Value</span> <code>${JSON.stringify(problem.value)}</code></p>`
        : nothing}
      ${problem.remedy ? html`<p class="problem-remedy"><span>Try</span> ${problem.remedy}</p>` : nothing}
    </div>
  </div>`;
}

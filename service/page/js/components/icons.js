import { html } from "../lit.js";

/** An icon as a template without parts, so that each use is one clone. */
function icon(paths) {
  const strings = [`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">${paths}</svg>`];
  return html(Object.assign(strings, { raw: strings }));
}

export const play = icon(`<path d="M5 3.5v9l7.5-4.5z" class="fill" />`);
export const stop = icon(`<rect x="4" y="4" width="8" height="8" rx="1" class="fill" />`);
export const plus = icon(`<path d="M8 3v10M3 8h10" />`);
export const minus = icon(`<path d="M3 8h10" />`);
export const fit = icon(`<path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3" />`);
export const close = icon(`<path d="M4 4l8 8M12 4l-8 8" />`);
export const search = icon(`<circle cx="7" cy="7" r="4" /><path d="M10 10l3.5 3.5" />`);
export const source = icon(`<ellipse cx="8" cy="4" rx="5" ry="2" /><path d="M3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2" />`);
export const sink = icon(`<path d="M8 2v7M5 6.5L8 9.5l3-3M3 10v3h10v-3" />`);
export const clock = icon(`<circle cx="8" cy="8" r="5.5" /><path d="M8 5v3.2l2.2 1.3" />`);
export const operator = icon(`<path d="M3 5h6l4 3-4 3H3l2.5-3z" />`);
export const stateful = icon(`<rect x="3" y="3" width="10" height="10" rx="2" /><path d="M3 8h10M6 5.5h.01M6 10.5h.01" />`);
export const warning = icon(`<path d="M8 2.5l6 11H2zM8 6.5v3.4M8 11.8h.01" />`);
export const check = icon(`<path d="M3 8.5l3.2 3.2L13 5" />`);
export const sliders = icon(`<path d="M2 5h6M12 5h2M2 11h2M8 11h6" /><circle cx="10" cy="5" r="2" /><circle cx="6" cy="11" r="2" />`);
export const theme = icon(`<circle cx="8" cy="8" r="5.5" /><path d="M8 2.5a5.5 5.5 0 010 11z" class="fill" />`);

/** Icons of states, whose shapes distinguish them without colour. */
export const STATES = {
  running: icon(`<circle cx="8" cy="8" r="4.5" class="fill" />`),
  behind: icon(`<path d="M8 3.5A4.5 4.5 0 118 12.5" /><path d="M8 3.5a4.5 4.5 0 000 9z" class="fill" />`),
  failed: icon(`<path d="M4.5 4.5l7 7M11.5 4.5l-7 7" class="strong" />`),
  stopped: icon(`<rect x="4.5" y="4.5" width="7" height="7" rx="1" class="fill" />`),
  finished: icon(`<path d="M3.5 8.5l3 3L12.5 5" class="strong" />`),
  "upgrade-waiting": icon(`<path d="M8 12.5v-8M4.8 7.5L8 4.2l3.2 3.3" class="strong" />`),
  starting: icon(`<circle cx="8" cy="8" r="4.5" />`),
  migrating: icon(`<path d="M3 8h9M8.8 4.8L12 8l-3.2 3.2" class="strong" />`),
  stopping: icon(`<rect x="4.5" y="4.5" width="7" height="7" rx="1" />`),
  waiting: clock,
  none: icon(`<path d="M5 8h6" class="strong" />`),
};

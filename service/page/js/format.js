/** Formatting of numbers, sizes and times. */

const COUNT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];

export const count = (value) => (value == null ? "–" : COUNT.format(value));

/** Compact notation such as `12.3K`; whole numbers below ten thousand in full. */
export function short(value) {
  if (value == null) return "–";
  return Math.abs(value) < 10000 && Number.isInteger(value) ? COUNT.format(value) : SHORT.format(value);
}

export const rate = (value) => (value == null ? "–" : `${value >= 100 && value < 1000 ? COUNT.format(value) : SHORT.format(value)}/s`);

export function bytes(value) {
  if (value == null) return "–";
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(value, 1)) / 3)));
  const scaled = value / 1000 ** step;
  return `${scaled < 10 && step ? scaled.toFixed(1) : Math.round(scaled)} ${UNITS[step]}`;
}

/** A signed growth per hour: `+1.2K/h`. */
export const growth = (value, words) => (value == null ? "–" : `${value > 0 ? "+" : value < 0 ? "−" : "±"}${words(Math.abs(value))}/h`);

export const percent = (share) => (share == null ? "–" : `${share > 0 && share < 0.01 ? "< 1" : Math.round(share * 100)} %`);

export function millis(value) {
  if (value == null) return "–";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(value < 10000 ? 1 : 0)} s`;
}

const STEPS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Truncate a long text at a word's end. */
export const clipped = (text, most) => (text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, "")}…`);

/** The age of a time: `3 min ago`. */
export function ago(time, now = Date.now()) {
  if (!time) return "–";
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  const [size, unit] = STEPS.find(([step]) => seconds >= step) ?? [1, "s"];
  return seconds < 2 ? "now" : `${Math.floor(seconds / size)} ${unit} ago`;
}

/** The duration since a time: `for 3 min` while active, otherwise `3 min ago`. */
export function since(time, active) {
  const text = time ? ago(time) : "";
  return active ? text.replace(/^(.*) ago$/, "for $1") : text;
}

/** The duration until a time: `in 42 s`, `in 3 min 5 s`; `now` once it has come. */
export function ahead(time, now = Date.now()) {
  const seconds = Math.ceil((Date.parse(time) - now) / 1000);
  if (seconds <= 0) return "now";
  const at = STEPS.findIndex(([step]) => seconds >= step);
  const [[size, unit], smaller] = [STEPS[at], STEPS[at + 1]];
  const rest = smaller ? Math.floor((seconds % size) / smaller[0]) : 0;
  return `in ${Math.floor(seconds / size)} ${unit}${rest ? ` ${rest} ${smaller[1]}` : ""}`;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

export const clockTime = (time) => CLOCK.format(new Date(time));

const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export const when = (time) => (time ? WHEN.format(new Date(time)) : "–");

/** A TTL in milliseconds as a duration with its largest whole unit: `90 d`; for 0, `never expires`. */
export function ttl(ms) {
  if (!ms) return "never expires";
  for (const [size, unit] of STEPS) {
    if (ms % (size * 1000) === 0) return `${ms / (size * 1000)} ${unit}`;
  }
  return `${ms} ms`;
}

/** Flink's durations (`3 s`, `1h`, `PT1H30M`, a bare number of milliseconds), parsed like in plans/text/durations.py. */

const UNITS = {
  d: 86400000, day: 86400000, days: 86400000,
  h: 3600000, hour: 3600000, hours: 3600000,
  min: 60000, m: 60000, minute: 60000, minutes: 60000,
  s: 1000, sec: 1000, secs: 1000, second: 1000, seconds: 1000,
  ms: 1, milli: 1, millis: 1, millisecond: 1, milliseconds: 1,
};
const ISO = /^P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;

/**
 * Parse a duration while it is typed; the server decides.
 * @returns {{ms?: number, problem?: string, doubt?: string}}
 */
export function readDuration(text) {
  const trimmed = text.trim();
  if (!trimmed) return { problem: "write a duration, such as 3 h; 0 ms never expires" };
  const iso = ISO.exec(trimmed);
  if (iso) {
    const [d, h, m, s] = iso.slice(1).map((part) => Number(part ?? 0));
    return { ms: Math.round((((d * 24 + h) * 60 + m) * 60 + s) * 1000) };
  }
  const match = /^(\d+)\s*([A-Za-zµ]*)$/.exec(trimmed);
  if (!match) return { problem: "not a duration: write a number and a unit, such as 3 h, 90 d or 1500 ms" };
  const unit = match[2].toLowerCase();
  if (!unit) {
    const number = Number(match[1]);
    return { ms: number, doubt: number ? `${number} without a unit is ${number} milliseconds` : "" };
  }
  // The server handles units below a millisecond.
  if (/^(us|µs|micro|ns|nano)/.test(unit)) return {};
  if (!(unit in UNITS)) return { problem: `unknown unit ${match[2]}: write d, h, min, s or ms` };
  return { ms: Number(match[1]) * UNITS[unit] };
}

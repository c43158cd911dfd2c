/** Flink's durations (`3 s`, `1h`, `PT1H30M`, a bare number of milliseconds), as plans/text/durations.py reads them. */

const UNITS = {
  d: 86400000, day: 86400000, days: 86400000,
  h: 3600000, hour: 3600000, hours: 3600000,
  min: 60000, m: 60000, minute: 60000, minutes: 60000,
  s: 1000, sec: 1000, secs: 1000, second: 1000, seconds: 1000,
  ms: 1, milli: 1, millis: 1, millisecond: 1, milliseconds: 1,
};
const ISO = /^P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;

/**
 * What a text says while it is typed; the server has the last word.
 * @returns {{ms?: number, problem?: string, doubt?: string}}
 */
export function readDuration(text) {
  const given = text.trim();
  if (!given) return { problem: "write a duration, such as 3 h; 0 ms never expires" };
  const iso = ISO.exec(given);
  if (iso) {
    const [d, h, m, s] = iso.slice(1).map((part) => Number(part ?? 0));
    return { ms: Math.round((((d * 24 + h) * 60 + m) * 60 + s) * 1000) };
  }
  const found = /^(\d+)\s*([A-Za-zµ]*)$/.exec(given);
  if (!found) return { problem: "not a duration: write a number and a unit, such as 3 h, 90 d or 1500 ms" };
  const unit = found[2].toLowerCase();
  if (!unit) {
    const number = Number(found[1]);
    return { ms: number, doubt: number ? `${number} without a unit is ${number} milliseconds` : "" };
  }
  // Units below a millisecond are left to the server.
  if (/^(us|µs|micro|ns|nano)/.test(unit)) return {};
  if (!(unit in UNITS)) return { problem: `no such unit: ${found[2]}; write d, h, min, s or ms` };
  return { ms: Number(found[1]) * UNITS[unit] };
}

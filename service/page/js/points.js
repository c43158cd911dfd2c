/** A micro-batch as views take it, from what a run says of it (`execute-plan --json`). */
export function pointOf(event) {
  return {
    batch: event.batch,
    at: event.at,
    duration_ms: event.batchMillis,
    rows_in: event.rowsIn,
    rows_out: event.rowsOut,
    by_source: event.sources,
    by_operator: event.operators.map(({ uid, stateRows, stateBytes }) => ({ uid, state_rows: stateRows, state_bytes: stateBytes })),
  };
}

/** Figures of sources by table, one that is read in several ways once: `[{name, title, rows, lag}]`. */
export function byTable(sources) {
  const found = new Map();
  for (const each of sources) {
    const key = each.table || each.name;
    const before = found.get(key);
    const lag = each.lag == null ? before?.lag ?? null : (before?.lag ?? 0) + each.lag;
    found.set(key, { name: shortTable(key), title: each.name, rows: (before?.rows ?? 0) + each.rows, lag });
  }
  return [...found.values()];
}

const shortTable = (name) => name.replace(/^default_catalog\.default_database\./, "");

/** Names of operators, in a person's words, by uid. */
export const wordsOf = (graph) => new Map((graph?.nodes ?? []).filter((node) => node.uid).map((node) => [node.uid, node.words]));

const seconds = (point) => (point.duration_ms ?? 1000) / 1000;

/**
 * How long each micro-batch stands for, in seconds: from the one before it to it, which is longer than it took where
 * there is a trigger. Points that were left out between two share the time; after a break it is what it took.
 */
export function paced(points) {
  const steps = points.slice(1).map((point, at) => (Date.parse(point.at) - Date.parse(points[at].at)) / 1000 / Math.max(1, point.batch - points[at].batch));
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const longest = Math.max(BREAK, 5 * usual);
  return points.map((point, at) => {
    const step = at ? steps[at - 1] : usual;
    const broken = step > longest || (at > 0 && point.batch < points[at - 1].batch);
    return { ...point, seconds: Math.max(seconds(point), broken ? usual : step), broken };
  });
}

/** Seconds without a micro-batch that count as a break, unless they are usual. */
const BREAK = 30;

/** Rows per second in the time that a micro-batch stands for. */
export const perSecond = (point, rows) => (rows == null ? null : rows / Math.max(point.seconds ?? seconds(point), 0.001));

/** Whether nothing was read since a micro-batch, which is then no measure of now. */
export const isIdle = (point, now = Date.now()) => (now - Date.parse(point.at)) / 1000 > Math.max(10, 3 * (point.seconds ?? seconds(point)));

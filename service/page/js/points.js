/** A micro-batch for the views, from a progress message (`execute-plan --json`). */
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

/** Metrics of sources, summed by table: `[{name, title, rows, lag}]`. */
export function byTable(sources) {
  const tables = new Map();
  for (const source of sources) {
    const key = source.table || source.name;
    const before = tables.get(key);
    const lag = source.lag == null ? before?.lag ?? null : (before?.lag ?? 0) + source.lag;
    tables.set(key, { name: shortTable(key), title: source.name, rows: (before?.rows ?? 0) + source.rows, lag });
  }
  return [...tables.values()];
}

const shortTable = (name) => name.replace(/^default_catalog\.default_database\./, "");

/** Descriptions of operators by uid. */
export const wordsOf = (graph) => new Map((graph?.nodes ?? []).filter((node) => node.uid).map((node) => [node.uid, node.words]));

const seconds = (point) => (point.duration_ms ?? 1000) / 1000;

/**
 * Add the interval of each micro-batch, in seconds: the time since the previous one, which exceeds its duration if there
 * is a trigger. Omitted micro-batches share the interval; after a break the usual interval applies.
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

/** The minimum gap in seconds that counts as a break, unless such gaps are usual. */
const BREAK = 30;

/** Rows per second over the interval of a micro-batch. */
export const perSecond = (point, rows) => (rows == null ? null : rows / Math.max(point.seconds ?? seconds(point), 0.001));

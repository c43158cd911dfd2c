/** A micro-batch as views take it, from what a run says of it (`execute-plan --json`). */
export function pointOf(event) {
  return {
    batch: event.batch,
    at: event.at,
    duration_ms: event.duration_ms ?? event.batchMillis,
    rows_in: event.rows_in ?? event.rowsIn,
    rows_out: event.rows_out ?? event.rowsOut,
    by_source: event.by_source ?? event.sources ?? [],
    by_operator: (event.by_operator ?? event.operators ?? []).map((each) => ({
      uid: each.uid,
      state_rows: each.state_rows ?? each.stateRows,
      state_bytes: each.state_bytes ?? each.stateBytes,
    })),
  };
}

/** Names of operators, in a person's words, by uid. */
export const wordsOf = (graph) => new Map((graph?.nodes ?? []).filter((node) => node.uid).map((node) => [node.uid, node.words]));

export const perSecond = (point, rows) => (rows == null ? null : (rows * 1000) / Math.max(point.duration_ms ?? 1000, 1));

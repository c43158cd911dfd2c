package org.compiledplan.kernel.host.runtime;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** An attached stage: its output and its counters. */
public final class StageHandle {
  private final Dataset<Row> output;
  private final StageMetrics metrics;
  private final String states;

  public StageHandle(Dataset<Row> output, StageMetrics metrics, String states) {
    this.output = output;
    this.states = states;
    this.metrics = metrics;
  }

  public Dataset<Row> output() {
    return output;
  }

  /**
   * Returns JSON: per operator uid {@code stateRows}, {@code stateBytes}, {@code rowsIn}, {@code
   * rowsInByInput}, {@code rowsInByOutcome} (names of {@link
   * org.compiledplan.kernel.operators.base.Outcome}), {@code rowsOut}, {@code stateChanges} (names
   * of {@link org.compiledplan.kernel.operators.base.StateAccount.Change}), {@code useAges} (see
   * {@link org.compiledplan.kernel.operators.base.UseAges}), {@code unaccountedRows}, {@code
   * unaccountedEntries} and {@code busyNanos}; since the last call, {@code hotKeys} with their
   * rows, and {@code keyedRows}, those of all keys.
   */
  public String metrics() {
    return metrics.toJson();
  }

  /**
   * Copies rows computed from those that an operator emits, until {@link #tapped}.
   *
   * @param rows an array of rows over the columns of {@link #output}
   * @param count maximum number of rows per task
   * @throws UnsupportedOperationException if rows of the operator are copied already
   */
  public void tap(String uid, Column rows, int count) {
    if (metrics.of(uid).tap != null) {
      throw new UnsupportedOperationException(
          "rows of operator "
              + uid
              + " cannot be tapped where they meet those that a Python function made of them");
    }
    metrics.of(uid).tap = new Tap(output, rows, count);
  }

  /**
   * Ends {@link #tap} and returns the rows.
   *
   * @param within a DataFrame in the session of the micro-batch
   * @throws IllegalStateException if rows could not be computed
   */
  public Dataset<Row> tapped(String uid, Dataset<Row> within) {
    Tap tap = metrics.of(uid).tap;
    metrics.of(uid).tap = null;
    return tap.rows(within);
  }

  /** Ends {@link #tap} for all operators. */
  public void untap() {
    metrics.forEach((uid, counters) -> counters.tap = null);
  }

  /** Returns JSON: per operator uid the format of its state, see {@link StageStates#describe}. */
  public String states() {
    return states;
  }
}

package org.compiledplan.kernel.host;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** An attached stage: its output and its counters. */
public final class StageHandle {
  private final Dataset<Row> output;
  private final StageMetrics metrics;
  private final String states;

  StageHandle(Dataset<Row> output, StageMetrics metrics, String states) {
    this.output = output;
    this.states = states;
    this.metrics = metrics;
  }

  public Dataset<Row> output() {
    return output;
  }

  /**
   * Returns JSON: per operator uid {@code stateRows}, {@code stateBytes}, {@code rowsIn}, {@code
   * rowsInByInput}, {@code rowsOut}, {@code rowsLate} and {@code busyNanos}; since the last call,
   * {@code hotKeys} with their rows, and {@code keyedRows}, those of all keys.
   */
  public String metrics() {
    return metrics.toJson();
  }

  /** Returns JSON: per operator uid the format of its state, see {@link StageStates#describe}. */
  public String states() {
    return states;
  }
}

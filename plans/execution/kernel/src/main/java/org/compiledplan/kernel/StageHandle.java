package org.compiledplan.kernel;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** An attached stage: its output and its counters. */
public final class StageHandle {
  private final Dataset<Row> output;
  private final StageMetrics metrics;

  StageHandle(Dataset<Row> output, StageMetrics metrics) {
    this.output = output;
    this.metrics = metrics;
  }

  public Dataset<Row> output() {
    return output;
  }

  /** JSON: for each operator's uid {@code stateRows}, {@code rowsIn} and {@code rowsOut}. */
  public String metrics() {
    return metrics.toJson();
  }
}

package org.compiledplan.kernel.state.seeding;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.compiledplan.kernel.host.runtime.OperatorCounts;
import org.compiledplan.kernel.host.runtime.Recounts;
import org.compiledplan.kernel.host.runtime.StageMetrics;

/** A stage with seeded state: the rows for later stages, and counters of the stored state. */
public final class SeedHandle {
  private final Dataset<Row> output;
  private final StageMetrics metrics;

  SeedHandle(Dataset<Row> output, StageMetrics metrics) {
    this.output = output;
    this.metrics = metrics;
  }

  /** Returns the rows of other stages unchanged: {@code level, op, key, bytes}. */
  public Dataset<Row> output() {
    return output;
  }

  /**
   * Returns JSON: per operator uid {@code keys}, the number of keys read, {@code expired}, the
   * number of keys skipped because their whole state has expired, and {@code stateRows} and {@code
   * stateBytes}, the entries and bytes of the others, counted as in a running stage.
   */
  public String metrics() {
    Recounts recounts = metrics.settled();
    ObjectNode json = new ObjectMapper().createObjectNode();
    metrics.forEach(
        (uid, counter) -> {
          ObjectNode node = json.putObject(uid);
          OperatorCounts counts = recounts.settled(counter.counts);
          node.put("keys", counts.rowsIn());
          node.put("expired", counts.rowsOut());
          node.put("stateRows", counts.stateRows());
          node.put("stateBytes", counts.stateBytes());
        });
    return json.toString();
  }
}

package org.compiledplan.kernel.host;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A stage that is seeded: the rows for later stages, and what was stored. */
public final class SeedHandle {
  private final Dataset<Row> output;
  private final StageMetrics metrics;

  SeedHandle(Dataset<Row> output, StageMetrics metrics) {
    this.output = output;
    this.metrics = metrics;
  }

  /** The rows of other stages as they came: {@code level, op, key, bytes}. */
  public Dataset<Row> output() {
    return output;
  }

  /**
   * JSON: for each operator's uid {@code keys}, how many came, {@code expired}, how many of them
   * were left out because nothing of them is alive, and {@code stateRows} and {@code stateBytes},
   * the entries of the others, counted as a running stage counts them. A task that is tried again
   * counts twice.
   */
  public String metrics() {
    ObjectNode json = new ObjectMapper().createObjectNode();
    metrics.forEach(
        (uid, counter) -> {
          ObjectNode node = json.putObject(uid);
          node.put("keys", counter.rowsIn.sum());
          node.put("expired", counter.rowsOut.sum());
          node.put("stateRows", counter.stateRows.sum());
          node.put("stateBytes", counter.stateBytes.sum());
        });
    return json.toString();
  }
}

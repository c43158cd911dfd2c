package org.compiledplan.kernel.host.iceberg;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.spark.sql.execution.streaming.Offset;
import org.compiledplan.kernel.values.JsonText;

/**
 * The last snapshot of which a stream has all changes, as an offset in a checkpoint: {@code
 * {"snapshot": 5}} of a stream that began with the rows of the table, {@code {"snapshot": 5,
 * "after": 2}} of one that began behind a snapshot.
 */
final class Position extends Offset {
  private final long snapshot;
  private final Long after;

  /**
   * @param after the snapshot behind which the stream began; null if it began with the rows
   */
  Position(long snapshot, Long after) {
    this.snapshot = snapshot;
    this.after = after;
  }

  /** The position that an offset has; null if it is one of another source. */
  static Position of(org.apache.spark.sql.connector.read.streaming.Offset offset) {
    JsonNode json = JsonText.read(offset.json());
    if (!json.path("snapshot").isIntegralNumber()) return null;
    JsonNode after = json.path("after");
    return new Position(
        json.path("snapshot").asLong(), after.isMissingNode() ? null : after.asLong());
  }

  long snapshot() {
    return snapshot;
  }

  Long after() {
    return after;
  }

  @Override
  public String json() {
    return "{\"snapshot\":" + snapshot + (after == null ? "" : ",\"after\":" + after) + "}";
  }
}

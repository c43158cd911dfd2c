package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.values.RowKinds;

/**
 * One entry of Flink's keyed state: of a {@code VALUE} or {@code LIST} state all of a key and
 * namespace, of a {@code MAP} state one user key, of timers one timer.
 */
public record FlinkEntry(JsonNode json) {
  public String state() {
    return json.path("state").asText();
  }

  public JsonNode key() {
    return json.path("key");
  }

  /** The namespace, missing if the state has none. */
  public JsonNode namespace() {
    return json.path("ns");
  }

  /** The key within a {@code MAP} state. */
  public JsonNode userKey() {
    return json.path("uk");
  }

  public JsonNode value() {
    return json.path("value");
  }

  /** The kind of the row that {@code value} is. */
  public String kind() {
    return json.path("kind").asText("+I");
  }

  /** See {@link RowKinds}. */
  public byte kindCode() {
    return switch (kind()) {
      case "+I" -> RowKinds.INSERT;
      case "-U" -> RowKinds.UPDATE_BEFORE;
      case "+U" -> RowKinds.UPDATE_AFTER;
      case "-D" -> RowKinds.DELETE;
      default -> throw new StateFormatException("a row is of the unknown kind " + kind());
    };
  }

  /** The time of a timer, in ms. */
  public long timer() {
    return json.path("timer").asLong();
  }

  /** The time of the last write in ms; {@link EntryTimes#NONE} if the state has no TTL. */
  public long written() {
    return json.has("written") ? json.get("written").asLong() : EntryTimes.NONE;
  }

  /** The time of the last write of an element of a list, in ms, or {@link #written}. */
  public long written(int element) {
    JsonNode times = json.path("writtenEach");
    return times.has(element) ? times.get(element).asLong() : written();
  }
}

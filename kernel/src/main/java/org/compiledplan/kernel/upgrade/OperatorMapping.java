package org.compiledplan.kernel.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Which operator another one was, and where its columns and calls are found in the state of it. A
 * column without an old one becomes null in all that was kept; whoever makes the mapping knows
 * whether it may be.
 */
public final class OperatorMapping {
  public record Place(int input, int column) {
    @Override
    public String toString() {
      return "column " + column + " of input " + input;
    }
  }

  /** The uid in the old state. */
  public final String from;

  /** The uid in the new state. */
  public final String to;

  private final Place[][] inputs;
  private final Integer[] calls;

  /**
   * @param json {@code from}, {@code to}; {@code inputs}: for each new input a list with {@code
   *     input} and {@code column} of the old column for each new one, or null; {@code calls}: the
   *     old call for each new one, or null
   */
  public OperatorMapping(JsonNode json) {
    from = json.path("from").asText();
    to = json.path("to").asText();
    inputs = new Place[json.path("inputs").size()][];
    for (int i = 0; i < inputs.length; i++) {
      JsonNode columns = json.path("inputs").get(i);
      inputs[i] = new Place[columns.size()];
      for (int j = 0; j < inputs[i].length; j++) {
        JsonNode column = columns.get(j);
        if (column.isNull()) continue;
        inputs[i][j] = new Place(column.path("input").asInt(), column.path("column").asInt());
      }
    }
    List<Integer> positions = new ArrayList<>();
    for (JsonNode call : json.path("calls")) positions.add(call.isNull() ? null : call.asInt());
    calls = positions.toArray(new Integer[0]);
  }

  /** The old column that a new one is; null if there was none. */
  public Place column(int input, int column) {
    return input < inputs.length && column < inputs[input].length ? inputs[input][column] : null;
  }

  /** The old call that a new one is; null if there was none. */
  public Integer call(int call) {
    return call < calls.length ? calls[call] : null;
  }

  int callCount() {
    return calls.length;
  }

  /** The calls that were not there. */
  BitSet newCalls() {
    BitSet fresh = new BitSet();
    for (int i = 0; i < calls.length; i++) fresh.set(i, calls[i] == null);
    return fresh;
  }
}

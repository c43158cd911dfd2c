package org.compiledplan.kernel.state.conversion;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The old operator of a new one, and the old positions of its columns and calls. A column without
 * an old one becomes null in all stored rows; the creator of the mapping checks that it may be.
 */
public final class StateMapping {
  public record Place(int input, int column) {
    @Override
    public String toString() {
      return "column " + column + " of input " + input;
    }
  }

  /** Uid in the old state. */
  public final String from;

  /** Uid in the new state. */
  public final String to;

  private final Place[][] inputs;
  private final Integer[] calls;

  /**
   * @param json {@code from}, {@code to}; {@code inputs}: per new input a list with {@code input}
   *     and {@code column} of the old column for each new one, or null; {@code calls}: the old call
   *     for each new one, or null
   */
  public StateMapping(JsonNode json) {
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

  /** Returns the old column of a new one; null if there is none. */
  public Place column(int input, int column) {
    return input < inputs.length && column < inputs[input].length ? inputs[input][column] : null;
  }

  /** Returns the old call of a new one; null if there is none. */
  public Integer call(int call) {
    return call < calls.length ? calls[call] : null;
  }

  int callCount() {
    return calls.length;
  }

  /** Positions of calls without an old one. */
  BitSet newCalls() {
    BitSet fresh = new BitSet();
    for (int i = 0; i < calls.length; i++) fresh.set(i, calls[i] == null);
    return fresh;
  }
}

package org.compiledplan.kernel.state.serialization;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.compiledplan.kernel.values.ValueType;

/**
 * The columns of a row in state: their types and their origin.
 *
 * @param types type of each column
 * @param places position of each column in its input, or of its aggregate call among the calls
 * @param input number of the input; -1 for results of aggregate calls
 */
public record Columns(ValueType[] types, int[] places, int input) {
  /** A row without columns. */
  public static final Columns NONE = new Columns(new ValueType[0], new int[0], -1);

  public static Columns ofInput(int input, ValueType[] types) {
    return new Columns(types, first(types.length), input);
  }

  /** Returns the columns of an input at the positions {@code places}. */
  public static Columns ofInput(int input, ValueType[] inputTypes, int[] places) {
    ValueType[] types = new ValueType[places.length];
    for (int i = 0; i < types.length; i++) types[i] = inputTypes[places[i]];
    return new Columns(types, places.clone(), input);
  }

  public static Columns ofCalls(ValueType[] types) {
    return new Columns(types, first(types.length), -1);
  }

  private static int[] first(int count) {
    int[] places = new int[count];
    for (int i = 0; i < count; i++) places[i] = i;
    return places;
  }

  public int size() {
    return types.length;
  }

  /** Returns the position of a column in its input, or of its aggregate call among the calls. */
  public int place(int column) {
    return places[column];
  }

  /** Appends type and origin of each column: {@code input} and {@code column}, or {@code call}. */
  public void describe(ArrayNode to) {
    for (int i = 0; i < types.length; i++) {
      ObjectNode column = to.addObject().put("type", types[i].text());
      if (input < 0) column.put("call", places[i]);
      else column.put("input", input).put("column", places[i]);
    }
  }
}

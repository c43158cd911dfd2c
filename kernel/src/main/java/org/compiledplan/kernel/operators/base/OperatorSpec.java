package org.compiledplan.kernel.operators.base;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;
import org.compiledplan.kernel.values.ValueType;

/**
 * The description of one operator: its JSON (see the kernel's README) and the types of its rows.
 *
 * @param uid unique id of the operator in the plan
 * @param type operator type, a key of {@code Operators}
 * @param ttl in ms, one per state entry of the node; 0 never expires
 * @param keys per input, the columns that form the key
 * @param eventTime whether timers fire by watermark; otherwise by processing time
 * @param parameters the parameters of the operator type, all of which it must read
 * @param inputs column types of each input
 * @param output column types of the output
 * @param conditions converts a serialized condition into a predicate
 * @param account receives the changes of the state's entries
 */
public record OperatorSpec(
    String uid,
    String type,
    long[] ttl,
    int[][] keys,
    boolean eventTime,
    JsonNode parameters,
    ValueType[][] inputs,
    ValueType[] output,
    Function<String, RowPredicate> conditions,
    StateAccount account) {
  public OperatorSpec {
    parameters = StrictObject.of(parameters);
  }

  /**
   * Throws if there are parameters that the operator did not read.
   *
   * @throws IllegalArgumentException if a parameter was not read, or a missing one was read
   */
  public void finish() {
    StrictObject.finish(parameters, "operator " + uid + " (" + type + ")");
  }

  /** Returns true if a parameter is present and not null. */
  public boolean has(String field) {
    return parameters.hasNonNull(field);
  }

  /** Returns a parameter as JSON; a missing node if it is absent. */
  public JsonNode get(String field) {
    return parameters.path(field);
  }

  /** Returns a boolean parameter, false if it is absent. */
  public boolean flag(String field) {
    return parameters.path(field).asBoolean();
  }

  /**
   * Returns a text parameter.
   *
   * @throws IllegalArgumentException if it is null or absent
   */
  public String text(String field) {
    if (!has(field)) throw problem("needs the field " + field);
    return parameters.get(field).asText();
  }

  /** Returns an integer parameter, or {@code fallback} if it is null. */
  public long number(String field, long fallback) {
    return has(field) ? parameters.get(field).asLong() : fallback;
  }

  /** Returns a column index, -1 if it is null. */
  public int column(String field) {
    return (int) number(field, -1);
  }

  /** Returns a list of column indices. */
  public int[] columns(String field) {
    return ints(parameters.path(field));
  }

  /**
   * Returns the TTL of a state entry in ms, 0 (no expiry) if the spec has none.
   *
   * @param index position of the state entry in the node
   */
  public long ttl(int index) {
    return index < ttl.length ? ttl[index] : 0;
  }

  /** Returns the condition in a node of the spec; always true if the node is null or missing. */
  public RowPredicate condition(JsonNode node) {
    return node.isTextual() ? conditions.apply(node.asText()) : RowPredicate.TRUE;
  }

  /** Returns the columns of an input whose values form the key; empty if the spec has none. */
  public int[] key(int input) {
    return input < keys.length ? keys[input] : new int[0];
  }

  public static Object[] values(Object[] row, int[] columns) {
    Object[] values = new Object[columns.length];
    for (int i = 0; i < values.length; i++) values[i] = row[columns[i]];
    return values;
  }

  public static int[] ints(JsonNode node) {
    int[] values = new int[node.size()];
    for (int i = 0; i < values.length; i++) values[i] = node.get(i).asInt();
    return values;
  }

  /** Returns an exception that names the operator, followed by the message. */
  public IllegalArgumentException problem(String message) {
    return new IllegalArgumentException("operator " + uid() + " (" + type() + ") " + message);
  }
}

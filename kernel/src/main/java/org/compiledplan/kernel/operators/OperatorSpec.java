package org.compiledplan.kernel.operators;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;
import org.compiledplan.kernel.values.ValueType;

/**
 * The description of one operator: its JSON (see the kernel's README) and the types of its rows.
 *
 * @param ttl in ms, one for each state entry of the node
 * @param keys for each input the columns that the key is made of
 * @param eventTime whether timers are in event time, that is, fire by watermark; else they fire by
 *     processing time
 * @param parameters what the type of operator has, all of which it reads
 * @param inputs column types of each input
 * @param output column types of the output
 * @param conditions turns the text of a condition into the condition
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
    Function<String, RowPredicate> conditions) {
  public OperatorSpec {
    parameters = StrictObject.of(parameters);
  }

  /** Refuses parameters that the operator did not read. */
  void finish() {
    StrictObject.finish(parameters, "operator " + uid + " (" + type + ")");
  }

  public boolean has(String field) {
    return parameters.hasNonNull(field);
  }

  public JsonNode get(String field) {
    return parameters.path(field);
  }

  public boolean flag(String field) {
    return parameters.path(field).asBoolean();
  }

  public String text(String field) {
    if (!has(field)) throw problem("needs the field " + field);
    return parameters.get(field).asText();
  }

  /** A number; where it is null, the other one. */
  public long number(String field, long otherwise) {
    return has(field) ? parameters.get(field).asLong() : otherwise;
  }

  /** Column index, -1 if it is null. */
  public int column(String field) {
    return (int) number(field, -1);
  }

  public int[] columns(String field) {
    return ints(parameters.path(field));
  }

  /** The TTL in ms of a state entry, 0 if not given. */
  public long ttl(int index) {
    return index < ttl.length ? ttl[index] : 0;
  }

  /** The condition in a node of the spec, always true if it is null or missing. */
  public RowPredicate condition(JsonNode node) {
    return node.isTextual() ? conditions.apply(node.asText()) : RowPredicate.TRUE;
  }

  /** The columns of an input that a key's text begins with the values of; none if not given. */
  public int[] key(int input) {
    return input < keys.length ? keys[input] : new int[0];
  }

  static Object[] values(Object[] row, int[] columns) {
    Object[] values = new Object[columns.length];
    for (int i = 0; i < values.length; i++) values[i] = row[columns[i]];
    return values;
  }

  public static int[] ints(JsonNode node) {
    int[] values = new int[node.size()];
    for (int i = 0; i < values.length; i++) values[i] = node.get(i).asInt();
    return values;
  }

  public IllegalArgumentException problem(String message) {
    return new IllegalArgumentException("operator " + uid() + " (" + type() + ") " + message);
  }
}

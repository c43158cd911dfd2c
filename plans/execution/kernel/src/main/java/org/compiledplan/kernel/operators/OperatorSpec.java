package org.compiledplan.kernel.operators;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Function;
import org.compiledplan.kernel.values.ValueType;

/** The description of one operator: its JSON (see the kernel's README) and the types of its rows. */
public final class OperatorSpec {
  private final JsonNode json;
  /** Column types of each input. */
  public final ValueType[][] inputs;
  /** Column types of the output. */
  public final ValueType[] output;
  private final Function<String, RowPredicate> conditions;

  /** @param conditions turns the text of a condition into the condition */
  public OperatorSpec(
      JsonNode json, ValueType[][] inputs, ValueType[] output, Function<String, RowPredicate> conditions) {
    this.json = json;
    this.inputs = inputs;
    this.output = output;
    this.conditions = conditions;
  }

  public String uid() {
    return json.path("uid").asText();
  }

  public String type() {
    return json.path("type").asText();
  }

  /** Whether timers are in event time, that is, fire by watermark; else they fire by processing time. */
  public boolean eventTime() {
    return json.path("timeDomain").asText().equals("event");
  }

  public boolean has(String field) {
    return json.hasNonNull(field);
  }

  public JsonNode get(String field) {
    return json.path(field);
  }

  public boolean flag(String field, boolean otherwise) {
    return has(field) ? json.get(field).asBoolean() : otherwise;
  }

  public String text(String field) {
    if (!has(field)) throw problem("needs the field " + field);
    return json.get(field).asText();
  }

  public long number(String field, long otherwise) {
    return has(field) ? json.get(field).asLong() : otherwise;
  }

  /** Column index, -1 if not given. */
  public int column(String field) {
    return (int) number(field, -1);
  }

  /** Column indices, none if not given. */
  public int[] columns(String field) {
    return ints(json.path(field));
  }

  /** The TTL in ms of a state entry, 0 if not given. */
  public long ttl(int index) {
    JsonNode ttl = json.path("ttl").path(index);
    return ttl.isNumber() ? ttl.asLong() : 0;
  }

  /** The condition in a node of the spec, always true if it is null or missing. */
  public RowPredicate condition(JsonNode node) {
    return node.isTextual() ? conditions.apply(node.asText()) : RowPredicate.TRUE;
  }

  public static int[] ints(JsonNode node) {
    int[] values = new int[node.size()];
    for (int i = 0; i < values.length; i++) values[i] = node.get(i).asInt();
    return values;
  }

  public IllegalArgumentException problem(String what) {
    return new IllegalArgumentException("operator " + uid() + " (" + type() + ") " + what);
  }
}

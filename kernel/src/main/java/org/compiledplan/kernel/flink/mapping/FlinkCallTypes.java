package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.compiledplan.kernel.aggregates.AccumulatorForm;
import org.compiledplan.kernel.state.serialization.StateFormatException;

/**
 * The types of an aggregate call in Flink's SQL, and those of its accumulator: Flink restores a
 * state only if its types are exactly these.
 *
 * @param function the call's name in the plan
 * @param arguments the types of its arguments
 * @param result its type
 */
record FlinkCallTypes(String function, String[] arguments, String result) {
  /** The beginnings of the names of functions that are classes in Flink. */
  private static final Map<String, String> CLASSES =
      Map.of(
          "$MIN$1", "Min",
          "$MAX$1", "Max",
          "$FIRST_VALUE$1", "FirstValue",
          "$LAST_VALUE$1", "LastValue",
          "$LISTAGG$1", "ListAgg",
          "$COLLECT$1", "Collect");

  static final JsonNode BIGINT = FlinkState.text("BIGINT");
  private static final JsonNode TEXT = FlinkState.text("VARCHAR(2147483647)");
  private static final Pattern DECIMAL = Pattern.compile("DECIMAL\\(\\d+, ?(\\d+)\\).*");

  static FlinkCallTypes of(JsonNode facts, String function, int[] args, int number) {
    String[] arguments = new String[args.length];
    for (int i = 0; i < args.length; i++)
      arguments[i] = facts.path("types").path(0).path(args[i]).asText();
    return new FlinkCallTypes(function, arguments, facts.path("results").path(number).asText());
  }

  private static String nullable(String type) {
    return type.replaceFirst(" NOT NULL$", "");
  }

  static JsonNode external(String type) {
    return JsonNodeFactory.instance.objectNode().put("external", type);
  }

  /** The type of a distinct value: the argument, or a row of all arguments. */
  JsonNode distinct() {
    if (arguments.length == 1) return external(distinct(nullable(arguments[0])));
    StringBuilder row = new StringBuilder("ROW<");
    for (int i = 0; i < arguments.length; i++)
      row.append(i == 0 ? "" : ", ").append("`f").append(i).append("` ").append(arguments[i]);
    return external(row.append(">").toString());
  }

  private static String distinct(String type) {
    if (!type.startsWith("INTERVAL")) return general(type);
    return type.contains("DAY") || type.contains("SECOND") ? "BIGINT" : "INT";
  }

  /**
   * The states of the views in an accumulator.
   *
   * @param prefix the beginning of their names
   */
  List<FlinkState> views(AccumulatorForm form, String prefix, boolean ttl) {
    return switch (form) {
      case EXTREMUM_RETRACTABLE, MULTISET -> List.of(map(form, prefix, "map", ttl));
      case TEXT_LIST_RETRACTABLE ->
          List.of(
              FlinkState.list(prefix + "list", view(form, "list", "element"), ttl),
              FlinkState.list(prefix + "retractList", view(form, "retractList", "element"), ttl));
      case EDGE_VALUE_RETRACTABLE ->
          List.of(
              map(form, prefix, "valueToOrderMap", ttl), map(form, prefix, "orderToValueMap", ttl));
      default -> List.of();
    };
  }

  private FlinkState map(AccumulatorForm form, String prefix, String field, boolean ttl) {
    return FlinkState.map(
        prefix + field, view(form, field, "key"), view(form, field, "value"), ttl);
  }

  private JsonNode view(AccumulatorForm form, String field, String part) {
    ObjectNode type = JsonNodeFactory.instance.objectNode();
    ObjectNode view = type.putObject("view");
    view.setAll(accumulator(form));
    view.put("field", field).put("part", part);
    return type;
  }

  /** The columns of the accumulator in the row of all accumulators. */
  JsonNode[] columns(AccumulatorForm form) {
    return switch (form) {
      case COUNT -> new JsonNode[] {BIGINT};
      case SUM_INTEGRAL, SUM_FLOATING, SUM_DECIMAL -> {
        JsonNode sum = FlinkState.text(nullable(result));
        yield new JsonNode[] {sum, BIGINT};
      }
      case AVERAGE_INTEGRAL -> new JsonNode[] {BIGINT, BIGINT};
      case AVERAGE_FLOATING -> new JsonNode[] {FlinkState.text("DOUBLE"), BIGINT};
      case AVERAGE_DECIMAL -> {
        Matcher decimal = DECIMAL.matcher(arguments[0]);
        if (!decimal.matches()) throw new StateFormatException(arguments[0] + " is no DECIMAL");
        yield new JsonNode[] {FlinkState.text("DECIMAL(38, " + decimal.group(1) + ")"), BIGINT};
      }
      case EXTREMUM -> new JsonNode[] {FlinkState.text(general(nullable(arguments[0])))};
      case TEXT_LIST -> new JsonNode[] {TEXT, TEXT};
      case EXTREMUM_RETRACTABLE,
          EDGE_VALUE,
          EDGE_VALUE_RETRACTABLE,
          TEXT_LIST_RETRACTABLE,
          MULTISET ->
          new JsonNode[] {
            JsonNodeFactory.instance.objectNode().set("accumulator", accumulator(form))
          };
      default -> throw new StateFormatException("its accumulator is not converted into Flink's");
    };
  }

  /** Texts of any length have accumulators of type STRING, and times those of type TIME. */
  private static String general(String type) {
    if (type.startsWith("CHAR") || type.startsWith("VARCHAR")) return TEXT.asText();
    return type.startsWith("TIME(") ? "TIME(0)" : type;
  }

  /** The name of a function in Flink, and the types that it is made with. */
  private ObjectNode accumulator(AccumulatorForm form) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    String name = CLASSES.get(function);
    if (name == null) throw new StateFormatException("the class of its accumulator is not known");
    if (function.equals("$LISTAGG$1") && arguments.length > 1) name += "Ws";
    boolean retracts = form != AccumulatorForm.EDGE_VALUE && form != AccumulatorForm.MULTISET;
    node.put("function", name + (retracts ? "WithRetractAggFunction" : "AggFunction"));
    ArrayNode types = node.putArray("arguments");
    for (String argument : arguments) types.add(argument);
    return node;
  }
}

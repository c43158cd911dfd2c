package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.ValueType;

/**
 * Top-n and limit: rows in their order. Flink keeps lists of rows by sort key, a single row, rows
 * by primary key with their rank among equal ones, or, for the first rows by processing time, only
 * their number.
 */
final class RankMapping extends FlinkMapping {
  private static final String APPEND = "data-state-with-append";
  private static final String SINGLE = "Top1-Rank-State";
  private static final String FIRST = "counterState";
  private static final String UPDATE = "data-state-with-update";
  private static final String RETRACT = "data-state";
  private static final String RETRACT_COUNTS = "sorted-map";

  /** The last rank if a column has it. */
  private static final String LAST = "rankEnd";

  /** A row with its time of last write and its rank among equal ones. */
  private record Ranked(Object[] row, long written, long among) {}

  private final JsonNode orderBy;
  private final Comparator<Ranked> order;

  RankMapping(Target target) {
    super(target);
    orderBy = target.spec().get("orderBy");
    order =
        Comparator.comparing(Ranked::row, new SortOrder(orderBy)).thenComparingLong(Ranked::among);
  }

  @Override
  public Tree of(FlinkKey key) {
    List<Ranked> ranked = new ArrayList<>();
    for (String state : new String[] {APPEND, RETRACT})
      for (FlinkEntry entry : key.all(state))
        for (int i = 0; i < entry.value().size(); i++)
          ranked.add(ranked(entry.value().get(i), target.written(entry, i), 0));
    for (FlinkEntry entry : key.all(UPDATE)) {
      long among = entry.value().path(1).asLong();
      ranked.add(ranked(entry.value().path(0), target.written(entry), among));
    }
    FlinkEntry single = key.only(SINGLE);
    if (single != null) ranked.add(ranked(single.value(), target.written(single), 0));
    addFirst(key.only(FIRST), ranked);
    if (ranked.isEmpty()) return null;
    ranked.sort(order);
    Tree tree = target.fresh();
    FlinkEntry last = key.only(LAST);
    if (last != null) tree.put("last", last.value().longValue());
    List<Tree> rows = new ArrayList<>();
    for (Ranked each : ranked) {
      Tree row = new Tree();
      row.put("lastWrite", each.written);
      row.put("row", each.row);
      rows.add(row);
    }
    tree.put("rows", rows);
    return tree;
  }

  @Override
  List<FlinkState> states() {
    List<FlinkState> states = new ArrayList<>();
    boolean ttl = target.hasTtl(0);
    JsonNode row = target.rowType(0);
    JsonNode rows = FlinkState.type("list", row);
    String main = mainState();
    switch (main) {
      case SINGLE -> states.add(FlinkState.value(SINGLE, row, ttl));
      case FIRST -> states.add(FlinkState.value(FIRST, FlinkState.text("INT"), ttl));
      case UPDATE -> {
        JsonNode ranked = FlinkState.type("tuple", row, FlinkState.text("INT"));
        states.add(FlinkState.map(UPDATE, target.rowType(0, primaryKey()), ranked, ttl));
      }
      default -> states.add(FlinkState.map(main, target.rowType(0, sortKey()), rows, ttl));
    }
    if (main.equals(RETRACT)) states.add(FlinkState.value(RETRACT_COUNTS, countsType(), ttl));
    if (target.spec().column("endColumn") >= 0)
      states.add(FlinkState.value(LAST, FlinkState.text("BIGINT"), ttl));
    return states;
  }

  /** The state with the rows: Flink has one for each kind of rank. */
  private String mainState() {
    String strategy = target.spec().text("strategy");
    if (strategy.equals("retract")) return RETRACT;
    long start = target.spec().number("start", 1);
    long end = target.spec().number("end", Long.MAX_VALUE);
    if (start == 1 && end == 1 && target.spec().column("endColumn") < 0) return SINGLE;
    if (strategy.equals("update")) return UPDATE;
    for (JsonNode proctime : target.facts().path("proctimes").path(0))
      for (JsonNode field : orderBy)
        if (field.path("index").asInt() == proctime.asInt()) {
          if (orderBy.size() == 1 && field.path("ascending").asBoolean() && start == 1)
            return FIRST;
          throw new StateFormatException(
              "a rank by processing time that is not of the first rows is not converted into"
                  + " Flink's");
        }
    return APPEND;
  }

  private int[] primaryKey() {
    return target.spec().columns("primaryKeys");
  }

  private int[] sortKey() {
    int[] columns = new int[orderBy.size()];
    for (int i = 0; i < columns.length; i++) columns[i] = orderBy.get(i).path("index").asInt();
    return columns;
  }

  /** The type of the sorted map of the numbers of rows, with its order. */
  private JsonNode countsType() {
    ObjectNode type = JsonNodeFactory.instance.objectNode();
    ObjectNode map = type.putObject("sortedMap");
    map.set("key", target.rowType(0, sortKey()));
    ArrayNode order = map.putArray("order");
    for (JsonNode field : orderBy)
      order
          .addObject()
          .put("ascending", field.path("ascending").asBoolean())
          .put("nullsLast", field.path("nullsLast").asBoolean());
    return type;
  }

  @Override
  List<ObjectNode> toFlink(Tree tree) {
    List<Tree> rows = new ArrayList<>();
    for (Object row : (List<?>) tree.get("rows")) rows.add((Tree) row);
    if (rows.isEmpty()) return List.of();
    List<ObjectNode> entries = new ArrayList<>();
    String main = mainState();
    FlinkState state = states().get(0);
    JsonNode key = target.toJson(values(rows.get(0)), 0, target.spec().key(0));
    long last = last(rows);
    if (main.equals(FIRST)) {
      entries.add(state.entry(key, null, FlinkState.number(rows.size()), last));
    } else if (main.equals(SINGLE)) {
      JsonNode row = target.toJson(values(rows.get(0)), 0);
      entries.add(state.entry(key, null, row, last));
    } else {
      ArrayNode counts = JsonNodeFactory.instance.arrayNode();
      for (Map.Entry<JsonNode, List<Tree>> equal : bySortKey(rows).entrySet()) {
        if (main.equals(UPDATE)) addUpdated(state, key, equal.getValue(), entries);
        else entries.add(equalRows(state, key, equal.getKey(), equal.getValue()));
        counts.addArray().add(equal.getKey()).add(equal.getValue().size());
      }
      if (main.equals(RETRACT)) entries.add(states().get(1).entry(key, null, counts, last));
    }
    long end = (Long) tree.get("last");
    if (target.spec().column("endColumn") >= 0)
      entries.add(
          FlinkState.value(LAST, key, target.hasTtl(0))
              .entry(key, null, FlinkState.number(end), last));
    return entries;
  }

  private static Object[] values(Tree row) {
    return (Object[]) row.get("row");
  }

  private static long last(List<Tree> rows) {
    long last = Long.MIN_VALUE;
    for (Tree row : rows) last = Math.max(last, (Long) row.get("lastWrite"));
    return last;
  }

  private Map<JsonNode, List<Tree>> bySortKey(List<Tree> rows) {
    Map<JsonNode, List<Tree>> byKey = new LinkedHashMap<>();
    for (Tree row : rows)
      byKey
          .computeIfAbsent(target.toJson(values(row), 0, sortKey()), any -> new ArrayList<>())
          .add(row);
    return byKey;
  }

  private ObjectNode equalRows(FlinkState state, JsonNode key, JsonNode sortKey, List<Tree> rows) {
    ArrayNode values = JsonNodeFactory.instance.arrayNode();
    for (Tree row : rows) values.add(target.toJson(values(row), 0));
    return state.entry(key, sortKey, values, last(rows));
  }

  private void addUpdated(
      FlinkState state, JsonNode key, List<Tree> equal, List<ObjectNode> entries) {
    for (int among = 0; among < equal.size(); among++) {
      Object[] row = values(equal.get(among));
      JsonNode value = FlinkState.array(target.toJson(row, 0), FlinkState.number(among + 1));
      JsonNode primary = target.toJson(row, 0, primaryKey());
      entries.add(state.entry(key, primary, value, last(equal)));
    }
  }

  private Ranked ranked(JsonNode row, long written, long among) {
    return new Ranked(target.row(row, 0, written), written, among);
  }

  /**
   * Rows in place of those that Flink only counts. They are never emitted; their time is before
   * that of all rows that follow.
   */
  private void addFirst(FlinkEntry count, List<Ranked> to) {
    if (count == null) return;
    long written = target.written(count);
    int column = orderBy.path(0).path("index").asInt();
    if (orderBy.size() != 1 || target.input(0)[column].kind() != ValueType.Kind.TIMESTAMP)
      throw new StateFormatException("state " + FIRST + " is of a rank by processing time");
    for (long i = count.value().asLong(); i > 0; i--) {
      Object[] row = keyRow(count);
      row[column] = Instant.ofEpochMilli(written);
      to.add(new Ranked(row, written, 0));
    }
  }
}

package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Regular joins: the rows of both sides. A side without a unique key has counts of equal rows,
 * whose order among themselves is lost. Matches are counted anew: Flink's own counts are too high
 * after updates that arrived without their {@code -U}.
 */
final class JoinMapping extends FlinkMapping {
  private static final String[] STATES = {"left-records", "right-records"};

  private final RowPredicate condition;

  /** Per input, true if matches are counted. */
  private final boolean[] counted;

  /** Per input, true if it has a unique key. */
  private final boolean[] isUnique;

  JoinMapping(Target target) {
    super(target);
    condition = target.spec().condition(target.spec().get("condition"));
    String type = target.spec().text("joinType");
    boolean full = type.equals("FULL");
    boolean filters = type.equals("SEMI") || type.equals("ANTI");
    counted = new boolean[] {full || filters || type.equals("LEFT"), full || type.equals("RIGHT")};
    isUnique =
        new boolean[] {
          !target.spec().get("leftUpsertKeys").isEmpty(),
          !target.spec().get("rightUpsertKeys").isEmpty()
        };
  }

  /**
   * A row with a null in its key that matches nothing has no state, and no row of the left input
   * has a key in which one of its columns has two values.
   */
  @Override
  public Object[] keyRow(FlinkEntry entry) {
    JsonNode key = entry.key();
    JsonNode nulls = target.spec().get("filterNulls");
    for (int i = 0; i < nulls.size(); i++)
      if (nulls.get(i).asBoolean() && key.path(i).isNull()) return null;
    int[] columns = target.spec().key(0);
    for (int i = 0; i < columns.length; i++) {
      for (int j = 0; j < i; j++) {
        if (columns[i] != columns[j] || key.path(i).equals(key.path(j))) continue;
        if (counted[1])
          throw new StateFormatException(
              "an outer join by one left column and two right ones cannot be converted");
        return null;
      }
    }
    return super.keyRow(entry);
  }

  @Override
  public Tree of(FlinkKey key) {
    List<Tree> left = rows(key, 0);
    List<Tree> right = rows(key, 1);
    if (left.isEmpty() && right.isEmpty()) return null;
    if (counted[0]) count(left, right, true);
    if (counted[1]) count(right, left, false);
    Tree tree = new Tree();
    tree.put("input0", store(left));
    tree.put("input1", store(right));
    return tree;
  }

  private List<Tree> rows(FlinkKey key, int input) {
    List<Tree> rows = new ArrayList<>();
    for (FlinkEntry entry : key.all(STATES[input])) {
      // A side whose rows may be padded or dropped has the number of matches beside each row.
      JsonNode value = counted[input] ? entry.value().path(0) : entry.value();
      JsonNode row = isUnique[input] ? value : entry.userKey();
      Object[] values = target.row(row, input, target.written(entry));
      long copies = isUnique[input] ? 1 : value.longValue();
      for (long copy = 0; copy < copies; copy++) rows.add(row(values, target.written(entry)));
    }
    return rows;
  }

  static Tree row(Object[] values, long written) {
    Tree row = new Tree();
    row.put("row", values);
    row.put("lastWrite", written);
    row.put("associations", 0L);
    return row;
  }

  static Tree store(List<Tree> rows) {
    Tree store = new Tree();
    Long oldest = null;
    for (Tree row : rows) {
      long written = (Long) row.get("lastWrite");
      if (oldest == null || written < oldest) oldest = written;
    }
    store.put("oldest", oldest);
    store.put("rows", rows);
    return store;
  }

  /** A unique key of an input that its state is a map by; null if the join key contains one. */
  private int[] uniqueKey(int input) {
    int[] joinKey = target.spec().key(input);
    int[] shortest = null;
    for (JsonNode key : target.spec().get(input == 0 ? "leftUpsertKeys" : "rightUpsertKeys")) {
      int[] columns = OperatorSpec.ints(key);
      boolean contained =
          Arrays.stream(columns).allMatch(at -> Arrays.stream(joinKey).anyMatch(in -> in == at));
      if (contained) return null;
      if (shortest == null || columns.length < shortest.length) shortest = columns;
    }
    return shortest;
  }

  @Override
  List<FlinkState> states() {
    return List.of(state(0), state(1));
  }

  private FlinkState state(int input) {
    JsonNode row = target.rowType(input);
    JsonNode number = FlinkState.text("INT");
    JsonNode value = isUnique[input] ? row : number;
    if (counted[input]) value = FlinkState.type("tuple", value, number);
    JsonNode userKey = row;
    if (isUnique[input]) {
      int[] unique = uniqueKey(input);
      userKey = unique == null ? null : target.rowType(input, unique);
    }
    boolean ttl = target.hasTtl(input);
    return userKey == null
        ? FlinkState.value(STATES[input], value, ttl)
        : FlinkState.map(STATES[input], userKey, value, ttl);
  }

  @Override
  List<ObjectNode> toFlink(Tree tree) {
    List<ObjectNode> entries = new ArrayList<>();
    for (int input = 0; input < STATES.length; input++) {
      Object rows = ((Tree) tree.get("input" + input)).get("rows");
      // Equal rows of a side without a unique key are one entry with their number.
      Map<JsonNode, List<Tree>> byRow = new LinkedHashMap<>();
      for (Object row : (List<?>) rows) {
        JsonNode values = target.toJson((Object[]) ((Tree) row).get("row"), input);
        byRow.computeIfAbsent(values, any -> new ArrayList<>()).add((Tree) row);
      }
      FlinkState state = state(input);
      for (Map.Entry<JsonNode, List<Tree>> entry : byRow.entrySet())
        entries.add(entry(state, input, entry.getKey(), entry.getValue()));
    }
    return entries;
  }

  private ObjectNode entry(FlinkState state, int input, JsonNode row, List<Tree> copies) {
    Tree last = copies.get(copies.size() - 1);
    long written = Long.MIN_VALUE;
    for (Tree copy : copies) written = Math.max(written, (Long) copy.get("lastWrite"));
    JsonNode value = isUnique[input] ? row : FlinkState.number(copies.size());
    if (counted[input])
      value = FlinkState.array(value, FlinkState.number((Long) last.get("associations")));
    JsonNode userKey = row;
    if (isUnique[input]) {
      int[] unique = uniqueKey(input);
      userKey = unique == null ? null : part(row, unique);
    }
    return state.entry(part(row, target.spec().key(input)), userKey, value, written);
  }

  private static ArrayNode part(JsonNode row, int[] columns) {
    JsonNode[] values = new JsonNode[columns.length];
    for (int i = 0; i < columns.length; i++) values[i] = row.get(columns[i]);
    return FlinkState.array(values);
  }

  private void count(List<Tree> rows, List<Tree> others, boolean isLeft) {
    for (Tree row : rows) {
      Object[] own = (Object[]) row.get("row");
      long matches = 0;
      for (Tree candidate : others) {
        Object[] other = (Object[]) candidate.get("row");
        if (isLeft ? condition.test(own, other) : condition.test(other, own)) matches++;
      }
      row.put("associations", matches);
    }
  }
}

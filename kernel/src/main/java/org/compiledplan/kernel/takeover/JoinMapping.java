package org.compiledplan.kernel.takeover;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.operators.RowPredicate;
import org.compiledplan.kernel.state.StateFormatException;
import org.compiledplan.kernel.state.Tree;

/**
 * Regular joins: the rows of both sides. A side without a unique key has counts of equal rows,
 * whose order among themselves is lost. Matches are counted anew: Flink's own counts are too high
 * after updates that arrived without their {@code -U}.
 */
final class JoinMapping extends StateMapping {
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

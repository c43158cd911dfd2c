package org.compiledplan.kernel.operators.join;

import com.fasterxml.jackson.databind.JsonNode;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.RowPredicate;

/** Keys and condition of a binary join. */
public final class JoinInputs {
  public static final int LEFT = 0;
  public static final int RIGHT = 1;

  private final int[][] keys;
  private final boolean[] filterNulls;
  private final int leftWidth;
  private final int width;
  final RowPredicate condition;

  public JoinInputs(OperatorSpec spec) {
    keys = new int[][] {spec.columns("leftKeys"), spec.columns("rightKeys")};
    JsonNode nulls = spec.get("filterNulls");
    filterNulls = new boolean[nulls.size()];
    for (int i = 0; i < filterNulls.length; i++) filterNulls[i] = nulls.get(i).asBoolean();
    condition = spec.condition(spec.get("condition"));
    leftWidth = spec.inputs()[LEFT].length;
    width = leftWidth + spec.inputs()[RIGHT].length;
  }

  /** Per input, true if unmatched rows are padded with nulls. */
  public static boolean[] outer(String joinType) {
    boolean full = joinType.equals("FULL");
    return new boolean[] {full || joinType.equals("LEFT"), full || joinType.equals("RIGHT")};
  }

  /** Concatenation of a row of one input and a row of the opposite input, left first. */
  public Object[] joined(boolean inputIsLeft, Object[] input, Object[] opposite) {
    return inputIsLeft ? joined(input, opposite) : joined(opposite, input);
  }

  /** Concatenation of a row and nulls for the opposite input. */
  public Object[] padded(int port, Object[] row) {
    return port == LEFT ? joined(row, null) : joined(null, row);
  }

  private Object[] joined(Object[] left, Object[] right) {
    Object[] row = new Object[width];
    if (left != null) System.arraycopy(left, 0, row, 0, leftWidth);
    if (right != null) System.arraycopy(right, 0, row, leftWidth, width - leftWidth);
    return row;
  }

  /** State layouts of both inputs, by their upsert keys. */
  RowStore.Layout[] layouts(OperatorSpec spec) {
    return new RowStore.Layout[] {
      layout(spec, LEFT, spec.get("leftUpsertKeys")),
      layout(spec, RIGHT, spec.get("rightUpsertKeys"))
    };
  }

  private RowStore.Layout layout(OperatorSpec spec, int input, JsonNode upsertKeys) {
    return new RowStore.Layout(spec, input, uniqueKey(upsertKeys, keys[input]));
  }

  /**
   * The unique key of an input (Flink's JoinInputSideSpec): empty, for at most one row, if the join
   * key contains a unique key, else the smallest unique key.
   */
  private static int[] uniqueKey(JsonNode upsertKeys, int[] joinKey) {
    int[] smallest = null;
    for (JsonNode node : upsertKeys) {
      int[] key = OperatorSpec.ints(node);
      if (containsAll(joinKey, key)) return new int[0];
      if (smallest == null || key.length < smallest.length) smallest = key;
    }
    return smallest;
  }

  private static boolean containsAll(int[] columns, int[] required) {
    for (int column : required) {
      boolean contained = false;
      for (int candidate : columns) contained |= candidate == column;
      if (!contained) return false;
    }
    return true;
  }

  /** Returns true if a null in its key prevents the row from matching. */
  public boolean hasNullKey(InputRow row) {
    return hasNullKey(row.port(), row.values());
  }

  public boolean hasNullKey(int port, Object[] row) {
    int[] columns = keys[port];
    for (int i = 0; i < columns.length; i++) {
      if (filterNulls[i] && row[columns[i]] == null) return true;
    }
    return false;
  }

  public boolean matches(boolean inputIsLeft, Object[] input, Object[] opposite) {
    return inputIsLeft ? condition.test(input, opposite) : condition.test(opposite, input);
  }

  /**
   * Number of rows that a row of the opposite input still matches after one was retracted. Releases
   * up to 0.2 counted an update without its {@code -U} as an additional row: if the store is
   * complete, its last row decides.
   *
   * @param store rows of the input, without the retracted one
   */
  int remaining(RowStore.Entry row, boolean storeIsLeft, RowStore store) {
    int counted = Math.max(0, row.associations - 1);
    if (counted == 0 || !store.isComplete()) return counted;
    for (RowStore.Entry stored : store.rows()) {
      if (!stored.removed && matches(storeIsLeft, stored.row(), row.row())) return counted;
    }
    return 0;
  }
}

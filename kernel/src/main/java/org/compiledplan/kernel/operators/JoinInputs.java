package org.compiledplan.kernel.operators;

import com.fasterxml.jackson.databind.JsonNode;

/** What the binary joins share: keys and condition. */
final class JoinInputs {
  static final int LEFT = 0;
  static final int RIGHT = 1;

  private final int[][] keys;
  private final boolean[] filterNulls;
  private final int leftWidth;
  private final int width;
  final RowPredicate condition;

  JoinInputs(OperatorSpec spec) {
    keys = new int[][] {spec.columns("leftKeys"), spec.columns("rightKeys")};
    JsonNode nulls = spec.get("filterNulls");
    filterNulls = new boolean[nulls.size()];
    for (int i = 0; i < filterNulls.length; i++) filterNulls[i] = nulls.get(i).asBoolean();
    condition = spec.condition(spec.get("condition"));
    leftWidth = spec.inputs()[LEFT].length;
    width = leftWidth + spec.inputs()[RIGHT].length;
  }

  /** Whether rows of each input that match nothing are padded with nulls. */
  static boolean[] outer(String joinType) {
    boolean full = joinType.equals("FULL");
    return new boolean[] {full || joinType.equals("LEFT"), full || joinType.equals("RIGHT")};
  }

  /** The result of a row of one input and one of the other. */
  Object[] joined(boolean inputIsLeft, Object[] input, Object[] opposite) {
    return inputIsLeft ? joined(input, opposite) : joined(opposite, input);
  }

  /** The row of one input with nulls in place of the other. */
  Object[] padded(int port, Object[] row) {
    return port == LEFT ? joined(row, null) : joined(null, row);
  }

  private Object[] joined(Object[] left, Object[] right) {
    Object[] row = new Object[width];
    if (left != null) System.arraycopy(left, 0, row, 0, leftWidth);
    if (right != null) System.arraycopy(right, 0, row, leftWidth, width - leftWidth);
    return row;
  }

  /** How the rows of both inputs are kept, by their upsert keys. */
  RowStore.Layout[] layouts(OperatorSpec spec) {
    return new RowStore.Layout[] {
      layout(spec, LEFT, spec.get("leftUpsertKeys")),
      layout(spec, RIGHT, spec.get("rightUpsertKeys"))
    };
  }

  private RowStore.Layout layout(OperatorSpec spec, int input, JsonNode upsertKeys) {
    return new RowStore.Layout(
        input, spec.inputs()[input], uniqueKey(upsertKeys, keys[input]), spec.ttl(input));
  }

  /**
   * Flink's JoinInputSideSpec: one row at most if the join key holds a unique key, else the
   * smallest.
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

  private static boolean containsAll(int[] columns, int[] wanted) {
    for (int column : wanted) {
      boolean contained = false;
      for (int candidate : columns) contained |= candidate == column;
      if (!contained) return false;
    }
    return true;
  }

  /** Whether the row can match no other, for a null in its key. */
  boolean hasNullKey(InputRow row) {
    return hasNullKey(row.port(), row.values());
  }

  boolean hasNullKey(int port, Object[] row) {
    int[] columns = keys[port];
    for (int i = 0; i < columns.length; i++) {
      if (filterNulls[i] && row[columns[i]] == null) return true;
    }
    return false;
  }

  boolean matches(boolean inputIsLeft, Object[] input, Object[] opposite) {
    return inputIsLeft ? condition.test(input, opposite) : condition.test(opposite, input);
  }

  /**
   * How many rows of an input a row of the other one matches after one was taken back. Releases up
   * to 0.2 counted an update that came without the row before it as one row more: of a store that
   * knows better, the last row that is there is the last one.
   *
   * @param store the rows of the input, without the one that was taken back
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

package org.compiledplan.kernel.host.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The order in which an operator receives the rows of a key: ord, then path (null first), then
 * port.
 */
final class RowOrder {
  private RowOrder() {}

  /** Collects the rows and sorts them unless they are sorted already. */
  static Iterator<InternalRow> sorted(Iterator<InternalRow> rows, int[] head) {
    InternalRow first = rows.next();
    if (!rows.hasNext()) return List.of(first).iterator();
    Comparator<InternalRow> order = comparator(head);
    List<InternalRow> collected = new ArrayList<>();
    collected.add(first);
    boolean inOrder = true;
    while (rows.hasNext()) {
      InternalRow next = rows.next();
      inOrder = inOrder && order.compare(collected.get(collected.size() - 1), next) <= 0;
      collected.add(next);
    }
    if (!inOrder) collected.sort(order);
    return collected.iterator();
  }

  private static Comparator<InternalRow> comparator(int[] head) {
    return (a, b) -> {
      int order = Long.compare(a.getLong(head[StageSpec.ORD]), b.getLong(head[StageSpec.ORD]));
      if (order == 0) order = comparePaths(path(a, head), path(b, head));
      return order != 0
          ? order
          : Integer.compare(a.getInt(head[StageSpec.PORT]), b.getInt(head[StageSpec.PORT]));
    };
  }

  private static byte[] path(InternalRow row, int[] head) {
    return row.isNullAt(head[StageSpec.PATH]) ? null : row.getBinary(head[StageSpec.PATH]);
  }

  private static int comparePaths(byte[] a, byte[] b) {
    if (a == null || b == null) return a == b ? 0 : a == null ? -1 : 1;
    return Arrays.compareUnsigned(a, b);
  }
}

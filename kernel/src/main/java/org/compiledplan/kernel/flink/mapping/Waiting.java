package org.compiledplan.kernel.flink.mapping;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Tree;

/** Rows that wait until the watermark reaches their time, in the order of their arrival. */
final class Waiting {
  private final List<Tree> rows = new ArrayList<>();
  private Long firstDue;

  /**
   * Adds a row.
   *
   * @param time in ms
   * @param kind see {@link org.compiledplan.kernel.values.RowKinds}
   */
  void add(long time, byte kind, Object[] row) {
    Tree waiting = new Tree();
    waiting.put("time", time);
    waiting.put("due", time);
    waiting.put("kind", (long) kind);
    waiting.put("row", row);
    rows.add(waiting);
    if (firstDue == null || time < firstDue) firstDue = time;
  }

  /** The time at which the first row is due; null without rows. */
  Long firstDue() {
    return firstDue;
  }

  Tree tree() {
    Tree tree = new Tree();
    tree.put("firstDue", firstDue);
    tree.put("rows", rows);
    return tree;
  }
}

package org.compiledplan.kernel.takeover;

import org.compiledplan.kernel.state.FieldShape;
import org.compiledplan.kernel.state.Tree;

/**
 * One row per key: deduplication and changelog normalisation. Deduplication that keeps the first
 * row by arrival stores {@code true} in Flink; here it stores the key.
 */
final class KeptRowMapping extends StateMapping {
  private static final String STATE = "deduplicate-state";

  private final FieldShape row;

  KeptRowMapping(Target target) {
    super(target);
    row = target.fields().get("row");
  }

  @Override
  public Tree of(FlinkKey key) {
    FlinkEntry entry = key.only(STATE);
    if (entry == null) return null;
    Tree tree = target.fresh();
    tree.put("lastWrite", target.written(entry));
    tree.put(
        "row",
        entry.value().isBoolean()
            ? stored(keyRow(entry), row)
            : columns(entry.value(), row, target.written(entry)));
    return tree;
  }
}

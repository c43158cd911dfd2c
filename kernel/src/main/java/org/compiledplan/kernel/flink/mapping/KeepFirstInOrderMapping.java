package org.compiledplan.kernel.flink.mapping;

import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Deduplication that emits the first row of a key by rowtime once: the row that waits for the
 * watermark, which has no TTL in Flink, or the fact that it was emitted.
 */
final class KeepFirstInOrderMapping extends FlinkMapping {
  private static final String WAITING = "waiting-to-emit-on-timer";
  private static final String EMITTED = "already-emitted-state-boolean";

  private final FieldShape key;
  private final int rowtime;

  KeepFirstInOrderMapping(Target target) {
    super(target);
    key = target.fields().get("key");
    rowtime = target.spec().column("rowtime");
  }

  @Override
  public Tree of(FlinkKey key) {
    FlinkEntry waiting = key.only(WAITING);
    FlinkEntry emitted = key.only(EMITTED);
    if (emitted != null && !emitted.value().booleanValue()) emitted = null;
    if (emitted == null && waiting == null) return null;
    FlinkEntry entry = emitted == null ? waiting : emitted;
    Tree tree = new Tree();
    tree.put("lastWrite", target.written(entry));
    tree.put("key", stored(keyRow(entry), this.key));
    tree.put("due", emitted == null ? FlinkValues.millis(waiting.value().path(rowtime)) : null);
    tree.put("row", emitted == null ? target.row(waiting.value(), 0, target.written()) : null);
    return tree;
  }
}

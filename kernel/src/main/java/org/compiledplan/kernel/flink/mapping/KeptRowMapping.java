package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * One row per key: deduplication and changelog normalisation. Deduplication that keeps the first
 * row by arrival stores {@code true} in Flink; here it stores the key.
 */
final class KeptRowMapping extends FlinkMapping {
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

  /** True if the row is only known to exist. */
  private boolean isFlag() {
    return row.columns().places().length < target.input(0).length
        || target.spec().type().equals("deduplicate")
            && !target.spec().flag("keepLast")
            && target.spec().column("rowtime") < 0;
  }

  @Override
  List<FlinkState> states() {
    JsonNode value = isFlag() ? FlinkState.text("BOOLEAN") : target.rowType(0);
    return List.of(FlinkState.value(STATE, value, target.hasTtl(0)));
  }

  @Override
  List<ObjectNode> toFlink(Tree tree) {
    Object[] stored = (Object[]) tree.get("row");
    Object[] whole = new Object[target.input(0).length];
    int[] places = row.columns().places();
    for (int i = 0; i < places.length; i++) whole[places[i]] = stored[i];
    ArrayNode key = target.toJson(whole, 0, target.spec().key(0));
    JsonNode value = isFlag() ? BooleanNode.TRUE : target.toJson(whole, 0);
    return List.of(states().get(0).entry(key, null, value, (Long) tree.get("lastWrite")));
  }
}

package org.compiledplan.kernel.takeover;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.Tree;

/** Upsert sinks that materialise: the rows of a primary key, the last one is shown. */
final class SinkUpsertMaterializerMapping extends StateMapping {
  private static final String STATE = "values";

  SinkUpsertMaterializerMapping(Target target) {
    super(target);
  }

  @Override
  public Tree of(FlinkKey key) {
    FlinkEntry entry = key.only(STATE);
    if (entry == null || entry.value().isEmpty()) return null;
    List<Object[]> rows = new ArrayList<>();
    for (JsonNode row : entry.value()) rows.add(target.row(row, 0, target.written(entry)));
    Tree tree = new Tree();
    tree.put("lastWrite", target.written(entry));
    tree.put("rows", rows);
    return tree;
  }
}

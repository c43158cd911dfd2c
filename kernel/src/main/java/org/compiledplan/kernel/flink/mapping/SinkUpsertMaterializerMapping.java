package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Tree;

/** Upsert sinks that materialise: the rows of a primary key, the last one is shown. */
final class SinkUpsertMaterializerMapping extends FlinkMapping {
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

  @Override
  List<FlinkState> states() {
    JsonNode rows = FlinkState.type("list", target.rowType(0));
    return List.of(FlinkState.value(STATE, rows, target.hasTtl(0)));
  }

  @Override
  List<ObjectNode> toFlink(Tree tree) {
    ArrayNode rows = JsonNodeFactory.instance.arrayNode();
    ArrayNode key = null;
    for (Object row : (List<?>) tree.get("rows")) {
      rows.add(target.toJson((Object[]) row, 0));
      key = target.toJson((Object[]) row, 0, target.spec().key(0));
    }
    if (key == null) return List.of();
    return List.of(states().get(0).entry(key, null, rows, (Long) tree.get("lastWrite")));
  }
}

package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Group aggregates: the accumulators and the number of rows. A group of insert-only input has no
 * number of rows in Flink; here it has one row. Of a split distinct aggregate, the last phase has
 * the results and the phase before it, by buckets of the key, has the distinct values.
 */
final class GroupAggregateMapping extends FlinkMapping {
  private static final String STATE = "accState";

  private final FlinkAccumulators accumulators;
  private final FieldShape key;

  GroupAggregateMapping(Target target) {
    super(target);
    key = target.fields().get("key");
    boolean retracts = target.spec().flag("needRetraction");
    accumulators =
        new FlinkAccumulators(
            target,
            target.fields().get("aggregates"),
            target.spec().columns("grouping").length,
            retracts,
            retracts);
  }

  @Override
  public Object[] keyRow(FlinkEntry entry) {
    int[] columns = target.spec().key(0);
    JsonNode key = entry.key();
    if (!entry.state().startsWith("distinctAcc_") || key.size() <= columns.length)
      return super.keyRow(entry);
    ArrayNode withoutBucket = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < columns.length; i++) withoutBucket.add(key.get(i));
    return keyRow(withoutBucket, columns);
  }

  @Override
  public Tree of(FlinkKey key) {
    FlinkEntry entry = key.only(STATE);
    if (entry == null) return null;
    Tree tree = new Tree();
    tree.put("lastWrite", target.written(entry));
    tree.put("key", stored(keyRow(entry), this.key));
    tree.putAll(accumulators.of(entry.value(), key));
    return tree;
  }

  @Override
  List<FlinkState> states() {
    boolean ttl = target.hasTtl(0);
    List<FlinkState> states = new ArrayList<>();
    states.add(FlinkState.value(STATE, accumulators.type(), ttl));
    states.addAll(accumulators.views(ttl));
    return states;
  }

  @Override
  List<ObjectNode> toFlink(Tree tree) {
    Object[] row = new Object[target.input(0).length];
    Object[] stored = (Object[]) tree.get("key");
    int[] places = key.columns().places();
    for (int i = 0; i < places.length; i++) row[places[i]] = stored[i];
    ArrayNode flinkKey = target.toJson(row, 0, target.spec().key(0));
    return accumulators.toFlink(
        tree, STATE, flinkKey, (Long) tree.get("lastWrite"), target.hasTtl(0));
  }
}

package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.ValueType;

/**
 * Lookup joins whose retractions repeat what was joined: the rows of the table. A row of nulls
 * alone says that there was none.
 */
final class LookupMaterializerMapping extends FlinkMapping {
  private static final String ONE = "unique-value";
  private static final String SEVERAL = "values";

  private final ValueType row;

  /** True if a row without a match is emitted with nulls. */
  private final boolean pads;

  LookupMaterializerMapping(Target target) {
    super(target);
    int column = target.spec().column("rowsColumn");
    row = target.input(0)[column].children()[0];
    pads = target.facts().path("pads").booleanValue();
  }

  @Override
  public Tree of(FlinkKey key) {
    FlinkEntry one = key.only(ONE);
    FlinkEntry several = key.only(SEVERAL);
    FlinkEntry entry = one == null ? several : one;
    if (entry == null) return null;
    List<Object> matches = new ArrayList<>();
    if (one != null) add(one.value(), matches);
    else for (JsonNode match : several.value()) add(match, matches);
    if (pads && matches.isEmpty()) matches.add(null);
    Tree tree = new Tree();
    tree.put("lastWrite", target.written(entry));
    tree.put("row", new Object[] {matches});
    return tree;
  }

  private void add(JsonNode match, List<Object> to) {
    for (JsonNode value : match) {
      if (value.isNull()) continue;
      to.add(FlinkValues.of(match, row));
      return;
    }
  }
}

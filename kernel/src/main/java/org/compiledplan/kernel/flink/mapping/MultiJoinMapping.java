package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Joins of several inputs: the rows of each. The first input's map is by unique key, later ones' by
 * join key and unique key; without a unique key the row takes its place and the value is a count.
 */
final class MultiJoinMapping extends FlinkMapping {
  private static final String STATE = "multi-join-input-";

  private final String[] states;

  MultiJoinMapping(Target target) {
    super(target);
    states = new String[target.spec().inputs().length];
    for (int i = 0; i < states.length; i++) states[i] = STATE + i;
  }

  /** From a row: Flink's key may have its columns in another order. */
  @Override
  public Object[] keyRow(FlinkEntry entry) {
    int input = inputOf(entry);
    if (input < 0 || hasNull(entry.key())) return null;
    return keyOf(row(entry, input), input);
  }

  private int inputOf(FlinkEntry entry) {
    return List.of(states).indexOf(entry.state());
  }

  private JsonNode row(FlinkEntry entry, int input) {
    JsonNode row = entry.value();
    if (!row.isArray()) row = input == 0 ? entry.userKey() : entry.userKey().path(1);
    if (row.size() != target.input(input).length)
      throw new StateFormatException(
          "state " + entry.state() + " has a row of " + row.size() + " columns");
    return row;
  }

  @Override
  public Tree of(FlinkKey key) {
    Tree tree = new Tree();
    for (int input = 0; input < states.length; input++) {
      List<Tree> rows = new ArrayList<>();
      for (FlinkEntry entry : key.all(states[input])) {
        Object[] row = target.row(row(entry, input), input, target.written(entry));
        long copies = entry.value().isArray() ? 1 : entry.value().asLong();
        for (long copy = 0; copy < copies; copy++)
          rows.add(JoinMapping.row(row, target.written(entry)));
      }
      tree.put("input" + input, JoinMapping.store(rows));
    }
    return tree;
  }
}

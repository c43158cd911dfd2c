package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.operators.base.SortOrder;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Operators over rows that carry their window. Flink's namespace is the window's end; the key here
 * has its start, too, which the rows have.
 */
abstract class AttachedWindowMapping extends FlinkMapping {
  private final String[] states;
  private final int[] ends;

  /**
   * @param states the state of each input
   */
  AttachedWindowMapping(Target target, String... states) {
    super(target);
    this.states = states;
    ends = target.spec().columns("windowEnds");
  }

  @Override
  public Object[] keyRow(FlinkEntry entry) {
    int input = List.of(states).indexOf(entry.state());
    if (input < 0) return null;
    List<JsonNode> rows = rows(entry);
    if (rows.isEmpty()) return null;
    for (JsonNode row : rows) check(entry, input, rows.get(0), row);
    return keyOf(rows.get(0), input);
  }

  /** The rows of an entry. */
  abstract List<JsonNode> rows(FlinkEntry entry);

  private void check(FlinkEntry entry, int input, JsonNode first, JsonNode row) {
    JsonNode end = row.path(ends[input]);
    if ((end.isArray() ? end.path(0) : end).asLong() != entry.namespace().asLong())
      throw new StateFormatException(
          "a row of the window that ends at " + entry.namespace() + " ends at " + end);
    for (int column : target.spec().key(input))
      if (!row.path(column).equals(first.path(column)))
        throw new StateFormatException(
            "rows of one window differ in column " + column + " of its key");
  }

  @Override
  public Tree of(FlinkKey key) {
    Tree tree = new Tree();
    tree.put("end", key.first().namespace().longValue());
    addContent(key, tree);
    return tree;
  }

  abstract void addContent(FlinkKey key, Tree to);

  /** The rows of an input, in the order of the entries. */
  final List<Object[]> rows(FlinkKey key, int input) {
    List<Object[]> rows = new ArrayList<>();
    for (FlinkEntry entry : key.all(states[input]))
      for (JsonNode row : rows(entry)) rows.add(target.row(row, input, target.written(entry)));
    return rows;
  }

  private static List<JsonNode> elements(JsonNode list) {
    List<JsonNode> elements = new ArrayList<>();
    list.forEach(elements::add);
    return elements;
  }

  /** Joins of the rows of a window. */
  static final class Join extends AttachedWindowMapping {
    Join(Target target) {
      super(target, "left-records", "right-records");
    }

    @Override
    List<JsonNode> rows(FlinkEntry entry) {
      return elements(entry.value());
    }

    @Override
    void addContent(FlinkKey key, Tree to) {
      to.put("left", list(rows(key, 0)));
      to.put("right", list(rows(key, 1)));
    }

    private static Tree list(List<Object[]> rows) {
      List<Tree> entries = new ArrayList<>();
      for (Object[] row : rows) {
        Tree entry = new Tree();
        entry.put("kind", (long) RowKinds.INSERT);
        entry.put("row", row);
        entries.add(entry);
      }
      Tree list = new Tree();
      list.put("rows", entries);
      return list;
    }
  }

  /** Top-n of a window: Flink keeps all rows by sort key. */
  static final class Rank extends AttachedWindowMapping {
    private final SortOrder order;
    private final long end;

    Rank(Target target) {
      super(target, "window_rank");
      order = new SortOrder(target.spec().get("orderBy"));
      end = target.spec().number("end", Long.MAX_VALUE);
    }

    @Override
    List<JsonNode> rows(FlinkEntry entry) {
      return elements(entry.value());
    }

    @Override
    void addContent(FlinkKey key, Tree to) {
      List<Object[]> rows = rows(key, 0);
      rows.sort(order);
      to.put("rows", new ArrayList<>(rows.subList(0, (int) Math.min(rows.size(), end))));
    }
  }

  /** The first or last row of a window. */
  static final class Deduplicate extends AttachedWindowMapping {
    Deduplicate(Target target) {
      super(target, "window_deduplicate");
    }

    @Override
    List<JsonNode> rows(FlinkEntry entry) {
      return List.of(entry.value());
    }

    @Override
    void addContent(FlinkKey key, Tree to) {
      to.put("row", rows(key, 0).get(0));
    }
  }
}

package org.compiledplan.kernel.takeover;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.compiledplan.kernel.operators.SortOrder;
import org.compiledplan.kernel.state.StateFormatException;
import org.compiledplan.kernel.state.Tree;
import org.compiledplan.kernel.values.ValueType;

/**
 * Top-n and limit: rows in their order. Flink keeps lists of rows by sort key, a single row, rows
 * by primary key with their rank among equal ones, or, for the first rows by processing time, only
 * their number.
 */
final class RankMapping extends StateMapping {
  private static final String APPEND = "data-state-with-append";
  private static final String SINGLE = "Top1-Rank-State";
  private static final String FIRST = "counterState";
  private static final String UPDATE = "data-state-with-update";
  private static final String RETRACT = "data-state";

  /** The last rank if a column has it. */
  private static final String LAST = "rankEnd";

  /** A row with its time of last write and its rank among equal ones. */
  private record Ranked(Object[] row, long written, long among) {}

  private final JsonNode orderBy;
  private final Comparator<Ranked> order;

  RankMapping(Target target) {
    super(target);
    orderBy = target.spec().get("orderBy");
    order =
        Comparator.comparing(Ranked::row, new SortOrder(orderBy)).thenComparingLong(Ranked::among);
  }

  @Override
  public Tree of(FlinkKey key) {
    List<Ranked> ranked = new ArrayList<>();
    for (String state : new String[] {APPEND, RETRACT})
      for (FlinkEntry entry : key.all(state))
        for (int i = 0; i < entry.value().size(); i++)
          ranked.add(ranked(entry.value().get(i), target.written(entry, i), 0));
    for (FlinkEntry entry : key.all(UPDATE)) {
      long among = entry.value().path(1).asLong();
      ranked.add(ranked(entry.value().path(0), target.written(entry), among));
    }
    FlinkEntry single = key.only(SINGLE);
    if (single != null) ranked.add(ranked(single.value(), target.written(single), 0));
    addFirst(key.only(FIRST), ranked);
    if (ranked.isEmpty()) return null;
    ranked.sort(order);
    Tree tree = target.fresh();
    FlinkEntry last = key.only(LAST);
    if (last != null) tree.put("last", last.value().longValue());
    List<Tree> rows = new ArrayList<>();
    for (Ranked each : ranked) {
      Tree row = new Tree();
      row.put("lastWrite", each.written);
      row.put("row", each.row);
      rows.add(row);
    }
    tree.put("rows", rows);
    return tree;
  }

  private Ranked ranked(JsonNode row, long written, long among) {
    return new Ranked(target.row(row, 0, written), written, among);
  }

  /**
   * Rows in place of those that Flink only counts. They are never emitted; their time is before
   * that of all rows that follow.
   */
  private void addFirst(FlinkEntry count, List<Ranked> to) {
    if (count == null) return;
    long written = target.written(count);
    int column = orderBy.path(0).path("index").asInt();
    if (orderBy.size() != 1 || target.input(0)[column].kind() != ValueType.Kind.TIMESTAMP)
      throw new StateFormatException("state " + FIRST + " is of a rank by processing time");
    for (long i = count.value().asLong(); i > 0; i--) {
      Object[] row = keyRow(count);
      row[column] = Instant.ofEpochMilli(written);
      to.add(new Ranked(row, written, 0));
    }
  }
}

package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.RowKinds;

/** Sorts by rowtime: the rows that wait, and the time of the last row that was emitted. */
final class TemporalSortMapping extends FlinkMapping {
  private static final String ROWS = "dataState";
  private static final String LAST = "lastTriggeringTsState";

  TemporalSortMapping(Target target) {
    super(target);
  }

  @Override
  public Tree of(FlinkKey key) {
    Tree tree = new Tree();
    FlinkEntry last = key.only(LAST);
    tree.put("firings", firings(last == null ? null : (Long) last.value().longValue(), null));
    tree.put("waiting", waiting(key, ROWS).tree());
    return tree;
  }

  private Waiting waiting(FlinkKey key, String state) {
    List<FlinkEntry> entries = new ArrayList<>(key.all(state));
    entries.sort(Comparator.comparingLong(entry -> entry.userKey().longValue()));
    Waiting waiting = new Waiting();
    for (FlinkEntry entry : entries) {
      long time = entry.userKey().longValue();
      for (JsonNode row : entry.value())
        waiting.add(time, RowKinds.INSERT, target.row(row, 0, time));
    }
    return waiting;
  }

  /** See {@code Firings}: the last processed time, and the time at which it is forgotten. */
  static Tree firings(Long last, Long forgetAt) {
    Tree firings = new Tree();
    firings.put("last", last);
    firings.put("known", null);
    firings.put("forgetAt", forgetAt);
    firings.put("forgotten", null);
    return firings;
  }

  /** Sorts by processing time, which have no state here. */
  static final class Proctime extends FlinkMapping {
    private static final String ROWS = "sortState";

    Proctime(Target target) {
      super(target);
    }

    @Override
    public Tree of(FlinkKey key) {
      for (FlinkEntry entry : key.all(ROWS))
        if (!entry.value().isEmpty())
          throw new StateFormatException(
              "state "
                  + ROWS
                  + " has rows that arrived in its last millisecond; take a savepoint"
                  + " when no rows arrive");
      return null;
    }
  }
}

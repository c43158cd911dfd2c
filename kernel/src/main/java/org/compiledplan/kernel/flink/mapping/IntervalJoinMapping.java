package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Interval joins: the rows of both sides by time. A side is cleaned up at the time in the timer
 * state of the opposite one.
 */
final class IntervalJoinMapping extends FlinkMapping {
  private static final String[] CACHES = {"IntervalJoinLeftCache", "IntervalJoinRightCache"};
  private static final String[] TIMERS = {
    "IntervalJoinRightTimerState", "IntervalJoinLeftTimerState"
  };

  IntervalJoinMapping(Target target) {
    super(target);
  }

  @Override
  public Tree of(FlinkKey key) {
    if (key.all(CACHES[0]).isEmpty() && key.all(CACHES[1]).isEmpty()) return null;
    Tree tree = new Tree();
    tree.put("left", cache(key, 0));
    tree.put("right", cache(key, 1));
    return tree;
  }

  private Tree cache(FlinkKey key, int input) {
    List<FlinkEntry> entries = new ArrayList<>(key.all(CACHES[input]));
    entries.sort(Comparator.comparingLong(entry -> entry.userKey().longValue()));
    List<Tree> rows = new ArrayList<>();
    for (FlinkEntry entry : entries) {
      long time = entry.userKey().longValue();
      for (JsonNode element : entry.value()) {
        Tree row = new Tree();
        row.put("time", time);
        row.put("matched", element.path(1).booleanValue());
        row.put("dead", false);
        row.put("row", target.row(element.path(0), input, time));
        rows.add(row);
      }
    }
    FlinkEntry timer = key.only(TIMERS[input]);
    if (timer == null && !rows.isEmpty())
      throw new StateFormatException(
          "state " + CACHES[input] + " has rows, and " + TIMERS[input] + " has no time");
    Tree cache = new Tree();
    cache.put("cleanAt", timer == null ? null : (Long) timer.value().longValue());
    cache.put("rows", rows);
    return cache;
  }
}

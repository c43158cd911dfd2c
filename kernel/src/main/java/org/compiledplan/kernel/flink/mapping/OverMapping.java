package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.compiledplan.kernel.operators.over.OrderedResults;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.RowKinds;

/**
 * OVER windows. The rows of a bounded window are stored: its accumulators are computed from them.
 * An unbounded window has accumulators only.
 */
abstract class OverMapping extends FlinkMapping {
  private static final String ACCUMULATORS = "accState";
  private static final String ROWS = "inputState";
  private static final String COUNT = "processedCountState";

  final long preceding;
  final boolean rows;
  private final FieldShape key;

  OverMapping(Target target) {
    super(target);
    preceding = target.spec().number("preceding", -1);
    rows = target.spec().flag("rows");
    key = target.fields().get("key");
  }

  final boolean isBounded() {
    return preceding >= 0;
  }

  @Override
  BitSet recounted() {
    BitSet calls = new BitSet();
    if (isBounded()) calls.set(0, target.spec().get("aggs").size());
    return calls;
  }

  final Object[] keyOf(FlinkKey key) {
    return stored(keyRow(key.first()), this.key);
  }

  /**
   * The accumulators of an unbounded window.
   *
   * @param shape the field of the state
   * @param fresh the accumulators of a key that has none
   */
  final Object accumulators(FlinkKey key, FieldShape shape, Object fresh) {
    FlinkEntry entry = key.only(ACCUMULATORS);
    if (entry == null) return fresh;
    int calls = target.spec().get("aggs").size();
    int firstResult = target.spec().output().length - calls;
    return new FlinkAccumulators(target, shape, firstResult, false, false)
        .of(entry.value(), key)
        .get("aggregates");
  }

  /** The rows by time. */
  static List<FlinkEntry> byTime(FlinkKey key) {
    List<FlinkEntry> entries = new ArrayList<>(key.all(ROWS));
    entries.sort(Comparator.comparingLong(entry -> entry.userKey().longValue()));
    return entries;
  }

  /** Adds the rows of an entry to those of a bounded window. */
  final void addFrame(FlinkEntry entry, List<Tree> to) {
    long time = entry.userKey().longValue();
    for (JsonNode row : entry.value()) {
      Tree tree = new Tree();
      tree.put("time", time);
      tree.put("row", target.row(row, 0, time));
      to.add(tree);
    }
  }

  static void checkCount(FlinkKey key, List<Tree> frame) {
    FlinkEntry count = key.only(COUNT);
    if (count != null && count.value().longValue() != frame.size())
      throw new StateFormatException(
          "the window has "
              + frame.size()
              + " rows, and state "
              + COUNT
              + " says "
              + count.value());
  }

  /** Windows in the order of arrival. */
  static final class Proctime extends OverMapping {
    private static final String CLEANUP = "ProcTimeBoundedRowsOverCleanupTime";
    private static final String TIMERS = "_timer_state/processing_user-timers";

    Proctime(Target target) {
      super(target);
    }

    @Override
    public Tree of(FlinkKey key) {
      List<Tree> frame = new ArrayList<>();
      List<FlinkEntry> entries = byTime(key);
      Set<Long> timers = new HashSet<>();
      for (FlinkEntry timer : key.all(TIMERS)) timers.add(timer.timer());
      for (FlinkEntry entry : entries) {
        if (isBounded() && !rows && timers.contains(entry.userKey().longValue() + 1))
          throw new StateFormatException(
              "state "
                  + ROWS
                  + " has rows that arrived in its last millisecond; take a savepoint"
                  + " when no rows arrive");
        addFrame(entry, frame);
      }
      if (isBounded() && rows) checkCount(key, frame);
      if (isBounded() && !rows && frame.isEmpty()) return null;
      Tree fresh = target.fresh();
      Tree tree = idle(key, CLEANUP, due(frame));
      tree.put("key", keyOf(key));
      tree.put(
          "aggregates",
          isBounded()
              ? fresh.get("aggregates")
              : accumulators(key, target.fields().get("aggregates"), fresh.get("aggregates")));
      if (isBounded()) tree.put("rows", frame);
      return tree;
    }

    /** The time at which the last row leaves the window. */
    private Long due(List<Tree> frame) {
      if (!isBounded() || rows) return null;
      return (Long) frame.get(frame.size() - 1).get("time") + preceding + 1;
    }
  }

  /**
   * Windows by rowtime: rows up to the last time that was processed, and later ones, which wait.
   */
  static final class Rowtime extends OverMapping {
    private static final String LAST = "lastTriggeringTsState";
    private static final String FORGETS = "cleanupTsState";
    private static final String ROWS_CLEANUP = "RowTimeBoundedRowsOverCleanupTime";
    private static final String UNBOUNDED_CLEANUP = "RowTimeUnboundedOverCleanupTime";
    private static final String TIMERS = "_timer_state/event_user-timers";

    Rowtime(Target target) {
      super(target);
    }

    @Override
    public Tree of(FlinkKey key) {
      FlinkEntry last = key.only(LAST);
      List<Tree> frame = new ArrayList<>();
      Waiting waiting = new Waiting();
      Set<Long> times = new HashSet<>();
      for (FlinkEntry entry : byTime(key)) {
        long time = entry.userKey().longValue();
        times.add(time);
        if (isBounded() && last != null && time <= last.value().longValue()) addFrame(entry, frame);
        else
          for (JsonNode row : entry.value())
            waiting.add(time, RowKinds.INSERT, target.row(row, 0, time));
      }
      if (isBounded() && rows) checkCount(key, frame);
      if (isBounded() && !rows) addMarks(key, times, waiting);
      Tree fresh = target.fresh();
      Tree window = (Tree) fresh.get("frame");
      FieldShape shape = target.fields().get("frame").field("aggregates");
      if (isBounded()) window.put("rows", frame);
      else window.put("aggregates", accumulators(key, shape, window.get("aggregates")));
      Tree tree = idle(key, isBounded() ? ROWS_CLEANUP : UNBOUNDED_CLEANUP, waiting.firstDue());
      tree.put("key", keyOf(key));
      if (isBounded()) tree.put("firings", firings(last, key.only(FORGETS)));
      tree.put("frame", window);
      tree.put("waiting", waiting.tree());
      return tree;
    }

    /** Timers without rows clean up, and count as processed times. */
    private static void addMarks(FlinkKey key, Set<Long> times, Waiting to) {
      List<Long> marks = new ArrayList<>();
      for (FlinkEntry timer : key.all(TIMERS))
        if (!times.contains(timer.timer())) marks.add(timer.timer());
      marks.sort(null);
      for (long time : marks) to.add(time, RowKinds.INSERT, null);
    }

    private static Tree firings(FlinkEntry last, FlinkEntry forgets) {
      return TemporalSortMapping.firings(
          last == null ? null : (Long) last.value().longValue(),
          forgets == null ? null : (Long) forgets.value().longValue());
    }
  }

  /** Unbounded windows in the order of columns: rows by number, numbers by sort key. */
  static final class Columns extends FlinkMapping {
    private static final String ROWS = "valueMapState";
    private static final String ORDER = "sortedListState";
    private static final String CLEANUP = "NonTimeUnboundedPrecedingOverCleanupTime";

    private final OrderedResults results;

    Columns(Target target) {
      super(target);
      results = new OrderedResults(target.spec());
    }

    @Override
    public Tree of(FlinkKey key) {
      FlinkEntry order = key.only(ORDER);
      if (order == null) return null;
      Map<Long, FlinkEntry> byNumber = new HashMap<>();
      for (FlinkEntry entry : key.all(ROWS)) byNumber.put(entry.userKey().longValue(), entry);
      List<Object[]> sorted = new ArrayList<>();
      for (JsonNode sortKey : order.value()) {
        for (JsonNode number : sortKey.path(1)) {
          FlinkEntry entry = byNumber.get(number.longValue());
          if (entry == null)
            throw new StateFormatException(
                "state " + ROWS + " lacks row " + number + " of state " + ORDER);
          sorted.add(target.row(entry.value(), 0, target.written()));
        }
      }
      if (sorted.isEmpty()) return null;
      List<Object[]> values = results.of(sorted);
      List<Tree> rows = new ArrayList<>();
      for (int i = 0; i < sorted.size(); i++) {
        Tree row = new Tree();
        row.put("row", sorted.get(i));
        row.put("results", values.get(i));
        rows.add(row);
      }
      Tree tree = idle(key, CLEANUP, null);
      tree.put("rows", rows);
      return tree;
    }
  }
}

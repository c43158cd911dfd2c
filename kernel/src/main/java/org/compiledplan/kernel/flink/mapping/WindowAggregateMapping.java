package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.compiledplan.kernel.operators.window.WindowAssigner;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;

/**
 * Aggregates in aligned windows. Flink's namespace is the end of a slice or of an attached window,
 * or a window or pane of GROUP BY. Timers say which windows of a slice have not fired; slices that
 * belong to none are dropped. Slices of a cumulating window that have fired are merged into its
 * first one.
 */
final class WindowAggregateMapping extends FlinkMapping {
  static final String STATE = "window-aggs";
  private static final String[] TIMERS = {
    "_timer_state/event_window-timers", "_timer_state/processing_window-timers"
  };

  private final FlinkAccumulators accumulators;
  private final FieldShape key;
  private final WindowAssigner windows;

  /** True if rows carry their windows, which Flink keeps apart. */
  private final boolean isAttached;

  private final int time;
  private final int startColumn;
  private final int endColumn;

  WindowAggregateMapping(Target target) {
    super(target);
    key = target.fields().get("key");
    accumulators = FlinkAccumulators.ofWindows(target, target.fields().get("panes"));
    isAttached = new WindowAssigner(target.spec(), target.spec().get("window")).isAttached();
    windows =
        new WindowAssigner(
            target.spec(),
            isAttached ? target.facts().path("window") : target.spec().get("window"));
    time = target.spec().column("time");
    startColumn = target.spec().column("windowStart");
    endColumn = target.spec().column("windowEnd");
  }

  @Override
  public Object[] keyRow(FlinkEntry entry) {
    Object[] row = super.keyRow(entry);
    long end = end(entry.namespace());
    if (time >= 0) row[time] = end - 1;
    if (startColumn >= 0) row[startColumn] = windows.start(end);
    if (endColumn >= 0) row[endColumn] = end;
    return row;
  }

  private static long end(JsonNode namespace) {
    return (namespace.isArray() ? namespace.path(1) : namespace).longValue();
  }

  @Override
  public Tree of(FlinkKey key) {
    TreeSet<Long> pending = new TreeSet<>();
    for (String timers : TIMERS)
      for (FlinkEntry timer : key.all(timers)) pending.add(end(timer.namespace()));
    List<Tree> panes = new ArrayList<>();
    key.byNamespace()
        .forEach(
            (namespace, window) -> {
              FlinkEntry entry = window.only(STATE);
              if (entry == null) return;
              Tree pane = pane(end(namespace), pending);
              if (pane == null) return;
              pane.putAll(accumulators.of(entry.value(), window));
              panes.add(pane);
            });
    if (panes.isEmpty()) return null;
    Tree tree = new Tree();
    tree.put("key", stored(keyRow(key.first()), this.key));
    tree.put("panes", panes);
    return tree;
  }

  /** The pane of a slice, without its accumulators; null if all its windows have fired. */
  private Tree pane(long end, TreeSet<Long> pending) {
    if (isAttached) {
      Tree pane = pane(end, end, end);
      pane.put("start", windows.start(end));
      return pane;
    }
    windows.assign(end - 1);
    if (windows.slice != end)
      throw new StateFormatException(
          "a slice ends at " + end + " ms on the clock of its windows, and none of the plan does");
    if (windows.first == windows.last) return pane(windows.first, windows.last, end);
    Long first = pending.ceiling(windows.first);
    while (first != null && (first - windows.first) % windows.interval != 0)
      first = pending.higher(first);
    if (first == null || first > windows.last) return null;
    boolean isMerged = windows.isCumulative() && first > windows.first;
    return pane(first, windows.last, isMerged ? windows.start(windows.last) : end);
  }

  private static Tree pane(long first, long last, long slice) {
    Tree pane = new Tree();
    pane.put("firstEnd", first);
    pane.put("lastEnd", last);
    pane.put("slice", slice);
    return pane;
  }
}

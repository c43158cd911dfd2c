package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Session windows. Flink keeps the content of a session under the window with which it began, and a
 * map from its present window to that one.
 */
abstract class SessionMapping extends FlinkMapping {
  private static final String WINDOWS = "session-window-mapping";

  private final FieldShape head;

  SessionMapping(Target target) {
    super(target);
    head = target.fields().get("key");
  }

  /** The fields of the content of a session, from the entries in its namespace; null for none. */
  abstract Tree content(FlinkKey window, long start);

  @Override
  public final Tree of(FlinkKey key) {
    Map<JsonNode, FlinkKey> contents = key.byNamespace();
    List<Tree> sessions = new ArrayList<>();
    for (FlinkEntry entry : key.all(WINDOWS)) {
      long start = entry.userKey().path(0).longValue();
      FlinkKey window = contents.get(entry.value());
      Tree content = window == null ? null : content(window, start);
      if (content == null)
        throw new StateFormatException(
            "state " + WINDOWS + " has the window " + entry.userKey() + ", which has no content");
      Tree session = new Tree();
      session.put("start", start);
      session.put("end", entry.userKey().path(1).longValue());
      session.put("closed", false);
      session.putAll(content);
      sessions.add(session);
    }
    if (sessions.isEmpty()) return null;
    Tree tree = new Tree();
    tree.put("key", stored(keyRow(key.first()), head));
    tree.put("sessions", sessions);
    return tree;
  }

  /** Aggregates in sessions. */
  static final class Aggregates extends SessionMapping {
    private final FlinkAccumulators accumulators;

    Aggregates(Target target) {
      super(target);
      accumulators = FlinkAccumulators.ofWindows(target, target.fields().get("sessions"));
    }

    @Override
    Tree content(FlinkKey window, long start) {
      FlinkEntry entry = window.only(WindowAggregateMapping.STATE);
      return entry == null ? null : accumulators.of(entry.value(), window);
    }
  }

  /**
   * Rows of sessions, numbered by their arrival. The time in ms that follows a row's columns is
   * that of its session, since it is not read again.
   */
  static final class Rows extends SessionMapping {
    private static final String STATE = "session-window-tvf-acc";

    /** Kinds of rows, at the places of their numbers in {@link RowKinds}. */
    Rows(Target target) {
      super(target);
    }

    @Override
    Tree content(FlinkKey window, long start) {
      List<FlinkEntry> entries = new ArrayList<>(window.all(STATE));
      if (entries.isEmpty()) return null;
      entries.sort((a, b) -> Long.compare(a.userKey().longValue(), b.userKey().longValue()));
      List<Tree> rows = new ArrayList<>();
      for (FlinkEntry entry : entries) {
        Tree row = new Tree();
        row.put("kind", (long) entry.kindCode());
        row.put("row", row(entry.value(), start));
        rows.add(row);
      }
      Tree content = new Tree();
      content.put("rows", rows);
      return content;
    }

    private Object[] row(JsonNode value, long start) {
      int time = target.spec().column("time");
      int width = target.input(0).length - (time < 0 ? 0 : 1);
      if (value.size() != width)
        throw new StateFormatException(
            "a row of a session has " + value.size() + " columns instead of " + width);
      Object[] row = new Object[target.input(0).length];
      for (int i = 0; i < width; i++) row[i] = FlinkValues.of(value.get(i), target.input(0)[i]);
      if (time >= 0) row[time] = start;
      return row;
    }
  }
}

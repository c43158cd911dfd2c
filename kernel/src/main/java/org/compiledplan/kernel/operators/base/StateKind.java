package org.compiledplan.kernel.operators.base;

import java.util.Locale;

/**
 * Formats of operator state, with the version that is written. Names and versions are stored in
 * checkpoints: a change to {@link KeyState#fields} of a format, or to a part of it, increments its
 * version, and bytes of the previous version stay among the tests.
 */
public enum StateKind {
  GROUP_AGGREGATE(1),
  JOIN(1),
  MULTI_JOIN(1),
  DEDUPLICATE(1),
  KEEP_FIRST_IN_ORDER(1),
  RANK(1),
  CHANGELOG_NORMALIZE(1),
  SINK_UPSERT_MATERIALIZER(1),
  SINK_COMPACTOR(1),
  WINDOW_AGGREGATE(1),
  COUNT_WINDOW_AGGREGATE(1),
  SESSION_AGGREGATE(1),
  SESSION_ROWS(1),
  WINDOW_RANK(1),
  WINDOW_DEDUPLICATE(1),
  WINDOW_JOIN(1),
  OVER_ROWTIME(1),
  OVER_PROCTIME(1),
  OVER_COLUMNS(1),
  INTERVAL_JOIN(1),
  TEMPORAL_JOIN(1),
  TEMPORAL_JOIN_PROCTIME(1),
  LOOKUP(1),
  ROW_COUNTER(1),
  MATCH(1),
  TEMPORAL_SORT(1),
  /** An operator without state between micro-batches. */
  NOTHING(1);

  private final int version;

  StateKind(int version) {
    this.version = version;
  }

  /** Returns the name used in descriptions. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the version that is written, the only one that is read. */
  public int version() {
    return version;
  }
}

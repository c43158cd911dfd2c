package org.compiledplan.kernel.operators.base;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** The time attribute of a row in ms since 1970. */
public final class Rowtime {
  private Rowtime() {}

  /**
   * @throws IllegalStateException if it is null or outside Spark's timestamp range
   */
  public static long of(Object[] row, int column) {
    return TimeMath.checked(millis(row[column], column));
  }

  private static long millis(Object value, int column) {
    if (value instanceof LocalDateTime)
      return ((LocalDateTime) value).toInstant(ZoneOffset.UTC).toEpochMilli();
    if (value instanceof Instant) return ((Instant) value).toEpochMilli();
    if (value instanceof Long) return (Long) value;
    throw new IllegalStateException(
        "column %s is the row's time, it must not be %s"
            .formatted(column, value == null ? "null" : value.getClass()));
  }
}

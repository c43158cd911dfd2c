package org.compiledplan.kernel.operators;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.TimeZone;
import org.compiledplan.kernel.values.ValueType;

/**
 * TimeMath of windows. Starts and ends lie on a clock on the wall, in ms from 1970 there; timers
 * and watermarks count ms since 1970. For windows over TIMESTAMP_LTZ and over processing time the
 * clock is that of the session's zone, else the two are the same.
 */
final class WindowTimes {
  private static final long HOUR = 3_600_000;

  /** Null: UTC. */
  private final ZoneId zone;

  private final boolean summerTime;
  private final boolean eventTime;
  private final long watermarkOf;
  private long lastEnd;
  private long lastDue;

  WindowTimes(OperatorSpec spec) {
    zone = spec.has("zone") ? ZoneId.of(spec.text("zone")) : null;
    summerTime = zone != null && TimeZone.getTimeZone(zone).useDaylightTime();
    eventTime = spec.eventTime();
    // A window of event time is complete when the watermark has its last ms, one of processing time
    // at its end.
    watermarkOf = eventTime ? 0 : 1;
    lastDue = timer(lastEnd - 1) + watermarkOf;
  }

  /** The time that timers go by: the watermark or the processing time of the batch. */
  long now(BatchContext context) {
    return eventTime ? context.watermark() : context.processingTime();
  }

  /** The time a row is late against, in the time domain of the timers. */
  long arrival(InputRow row, BatchContext context) {
    return eventTime ? row.watermark() : context.processingTime();
  }

  /** The time at which a window with the given end fires. */
  long due(long end) {
    if (zone == null) return end - 1 + watermarkOf;
    if (end != lastEnd) {
      lastDue = timer(end - 1) + watermarkOf;
      lastEnd = end;
    }
    return lastDue;
  }

  /**
   * The ms since 1970 of a time on the clock, the later one where the clock is put back (Flink's
   * TimeWindowUtil).
   */
  private long timer(long local) {
    long time = epoch(local);
    if (!summerTime) return time;
    long hourLater = epoch(local + HOUR);
    if (hourLater == time) return time - time % HOUR;
    return hourLater - time > HOUR ? time + HOUR : time;
  }

  /** What the clock shows. */
  long local(long epoch) {
    if (zone == null) return epoch;
    return LocalDateTime.ofInstant(Instant.ofEpochMilli(epoch), zone)
        .toInstant(ZoneOffset.UTC)
        .toEpochMilli();
  }

  private long epoch(long local) {
    if (zone == null) return local;
    return dateTime(local).atZone(zone).toInstant().toEpochMilli();
  }

  /**
   * A time on the clock as a column value: as it is in a TIMESTAMP, as a point in time in a
   * TIMESTAMP_LTZ.
   */
  Object value(long local, ValueType type) {
    return type.kind() == ValueType.Kind.TIMESTAMP
        ? Instant.ofEpochMilli(epoch(local))
        : dateTime(local);
  }

  private static LocalDateTime dateTime(long local) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(local, 1000L), (int) Math.floorMod(local, 1000L) * 1_000_000, ZoneOffset.UTC);
  }

  /** A window's start or end in a column: ms, or a TIMESTAMP. */
  static long millis(Object value) {
    if (value instanceof Long) return TimeMath.checked((Long) value);
    if (value instanceof LocalDateTime) {
      return TimeMath.checked(((LocalDateTime) value).toInstant(ZoneOffset.UTC).toEpochMilli());
    }
    if (value == null)
      throw new IllegalStateException(
          "a row without a time, or without a window, cannot be aggregated");
    throw new IllegalArgumentException("no time of a window: " + value);
  }
}

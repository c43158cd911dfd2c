package org.compiledplan.kernel.operators.window;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.TimeZone;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.values.ValueType;

/**
 * Conversions between a window's clock and timer time. Starts and ends are in ms since 1970 on the
 * window's clock; timers and watermarks are in ms since 1970. For windows over TIMESTAMP_LTZ and
 * over processing time the clock is that of the session's time zone, otherwise the two are equal.
 */
public final class WindowTimes {
  private static final long HOUR = 3_600_000;

  /** Null: UTC. */
  private final ZoneId zone;

  private final boolean summerTime;
  private final boolean eventTime;
  private final long watermarkOf;
  private long lastEnd;
  private long lastDue;

  public WindowTimes(OperatorSpec spec) {
    zone = spec.has("zone") ? ZoneId.of(spec.text("zone")) : null;
    summerTime = zone != null && TimeZone.getTimeZone(zone).useDaylightTime();
    eventTime = spec.eventTime();
    // In event time a window is complete when the watermark reaches its last ms, in processing time
    // at its end.
    watermarkOf = eventTime ? 0 : 1;
    lastDue = timer(lastEnd - 1) + watermarkOf;
  }

  /** Current time of the timers: the batch's watermark or processing time. */
  long now(BatchContext context) {
    return eventTime ? context.watermark() : context.processingTime();
  }

  /** Time against which a row's lateness is checked, in the timers' time domain. */
  long arrival(InputRow row, BatchContext context) {
    return eventTime ? row.watermark() : context.processingTime();
  }

  /** Time at which the window that ends at {@code end} fires. */
  public long due(long end) {
    if (zone == null) return end - 1 + watermarkOf;
    if (end != lastEnd) {
      lastDue = timer(end - 1) + watermarkOf;
      lastEnd = end;
    }
    return lastDue;
  }

  /**
   * Converts clock time into ms since 1970; the later instant where the clock is set back (Flink's
   * TimeWindowUtil).
   */
  private long timer(long local) {
    long time = epoch(local);
    if (!summerTime) return time;
    long hourLater = epoch(local + HOUR);
    if (hourLater == time) return time - time % HOUR;
    return hourLater - time > HOUR ? time + HOUR : time;
  }

  /** Converts ms since 1970 into clock time. */
  public long local(long epoch) {
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
   * Converts clock time into a column value: unchanged for TIMESTAMP, an instant for TIMESTAMP_LTZ.
   */
  public Object value(long local, ValueType type) {
    return type.kind() == ValueType.Kind.TIMESTAMP
        ? Instant.ofEpochMilli(epoch(local))
        : dateTime(local);
  }

  private static LocalDateTime dateTime(long local) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(local, 1000L), (int) Math.floorMod(local, 1000L) * 1_000_000, ZoneOffset.UTC);
  }

  /** Reads a window's start or end from a column: ms, or a TIMESTAMP. */
  public static long millis(Object value) {
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

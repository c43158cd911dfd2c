package org.compiledplan.kernel.operators.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.compiledplan.kernel.operators.base.Specs;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowTimesTest {
  @ParameterizedTest
  @CsvSource({"'', true, 59999", "'', false, 60000"})
  void aWindowOfEventTimeIsDueAtItsLastMillisecond(String zone, boolean eventTime, long due) {
    assertEquals(due, times(zone, eventTime).due(60_000));
  }

  /** Window ends on the clock, and when these windows fire; with the clock set forward or back. */
  @ParameterizedTest
  @CsvSource({
    "Asia/Shanghai,       2021-03-14T10:00, 2021-03-14T01:59:59.999Z",
    "America/Los_Angeles, 2021-03-14T02:00, 2021-03-14T09:59:59.999Z",
    "America/Los_Angeles, 2021-03-14T03:00, 2021-03-14T10:00:00Z",
    "America/Los_Angeles, 2021-03-14T04:00, 2021-03-14T10:59:59.999Z",
    "America/Los_Angeles, 2021-11-07T01:00, 2021-11-07T07:59:59.999Z",
    "America/Los_Angeles, 2021-11-07T02:00, 2021-11-07T09:59:59.999Z",
    "America/Los_Angeles, 2021-11-07T03:00, 2021-11-07T10:59:59.999Z"
  })
  void aWindowOnAClockIsDueWhenTheClockShowsItsEnd(
      String zone, LocalDateTime end, Instant expected) {
    WindowTimes times = times(zone, true);
    assertEquals(expected, Instant.ofEpochMilli(times.due(millis(end))));
    assertEquals(expected, Instant.ofEpochMilli(times.due(millis(end))), "remembered");
  }

  @Test
  void theClockShowsTheZonesTime() {
    WindowTimes times = times("Asia/Shanghai", false);
    long local = times.local(0);
    assertEquals(8 * 3_600_000, local);
    assertEquals(
        LocalDateTime.of(1970, 1, 1, 8, 0), times.value(local, ValueType.of(Kind.TIMESTAMP_NTZ)));
    assertEquals(Instant.EPOCH, times.value(local, ValueType.of(Kind.TIMESTAMP)));
    assertEquals(5, times("", true).local(5));
  }

  @Test
  void timesOfColumns() {
    assertEquals(-1, WindowTimes.millis(-1L));
    assertEquals(-1, WindowTimes.millis(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_500_000)));
    assertThrows(IllegalStateException.class, () -> WindowTimes.millis(null));
    assertThrows(IllegalStateException.class, () -> WindowTimes.millis(Long.MAX_VALUE));
    assertThrows(IllegalArgumentException.class, () -> WindowTimes.millis("text"));
  }

  private static long millis(LocalDateTime time) {
    return time.toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  private static WindowTimes times(String zone, boolean eventTime) {
    return new WindowTimes(Specs.of(zone.isEmpty() ? "{}" : "{'zone': '" + zone + "'}", eventTime));
  }
}

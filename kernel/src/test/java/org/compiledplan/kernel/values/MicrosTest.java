package org.compiledplan.kernel.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MicrosTest {
  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, -1, 999_999, -999_999, -1_000_001, Long.MAX_VALUE, Long.MIN_VALUE + 1_000_000})
  void timesBeforeAndAfter1970(long micros) {
    assertEquals(micros, Micros.of(Micros.local(micros)));
    assertEquals(Micros.local(micros).toInstant(ZoneOffset.UTC), Micros.instant(micros));
  }

  @Test
  void smallerFractionsAreTruncated() {
    assertEquals(-1, Micros.of(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999)));
    assertEquals(0, Micros.of(LocalDateTime.of(1970, 1, 1, 0, 0, 0, 999)));
  }

  @Test
  void overflowIsRefused() {
    assertThrows(ArithmeticException.class, () -> Micros.of(LocalDateTime.MAX));
  }
}

package org.compiledplan.kernel.operators.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TimeMathTest {
  private static final long[] TIMES = {
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    Long.MIN_VALUE / 2 - 1,
    -1,
    0,
    1,
    Long.MAX_VALUE / 2 + 1,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE
  };

  @Test
  void sumsAndDifferencesStopAtTheEndsOfTime() {
    for (long time : TIMES) {
      for (long length : TIMES) {
        BigInteger sum = BigInteger.valueOf(time).add(BigInteger.valueOf(length));
        BigInteger difference = BigInteger.valueOf(time).subtract(BigInteger.valueOf(length));
        assertEquals(within(sum), TimeMath.plus(time, length), time + " + " + length);
        assertEquals(within(difference), TimeMath.minus(time, length), time + " - " + length);
        OptionalLong later = TimeMath.later(time, length);
        assertEquals(sum.bitLength() < 64, later.isPresent(), time + " + " + length);
      }
    }
  }

  private static long within(BigInteger time) {
    if (time.bitLength() < 64) return time.longValue();
    return time.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  @Test
  void theEarlierOfTwoTimesWhereEitherIsThere() {
    OptionalLong none = OptionalLong.empty();
    assertEquals(none, TimeMath.earlier(none, none));
    assertEquals(OptionalLong.of(1), TimeMath.earlier(none, OptionalLong.of(1)));
    assertEquals(OptionalLong.of(1), TimeMath.earlier(OptionalLong.of(1), none));
    assertEquals(OptionalLong.of(-2), TimeMath.earlier(OptionalLong.of(1), OptionalLong.of(-2)));
  }

  @Test
  void timesThatSparkCannotHoldAreRefused() {
    assertEquals(TimeMath.MAX_TIME, TimeMath.checked(TimeMath.MAX_TIME));
    assertEquals(-TimeMath.MAX_TIME, TimeMath.checked(-TimeMath.MAX_TIME));
    for (long time : new long[] {TimeMath.MAX_TIME + 1, -TimeMath.MAX_TIME - 1}) {
      assertThrows(IllegalStateException.class, () -> TimeMath.checked(time));
    }
  }
}

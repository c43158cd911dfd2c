package org.compiledplan.kernel.operators.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class UseAgesTest {
  @Test
  void anAgeIsInARangeOfAThirtySecondOfIt() {
    Random chance = new Random(3);
    for (int i = 0; i < 10_000; i++) {
      long age = chance.nextLong(1L << chance.nextInt(1, 46));
      long end = endOf(age);
      assertTrue(age < end && end <= age + 1 + age / 32, age + " is in the range until " + end);
    }
  }

  @Test
  void rangesFollowEachOther() {
    for (long age = 0, end = 0; age < 1L << 40; age = end) {
      end = endOf(age);
      assertEquals(end, endOf(end - 1), "the last age of the range from " + age);
    }
  }

  @Test
  void theLongestAndNegativeAgesAreCounted() {
    assertEquals(1, endOf(-5));
    assertEquals(endOf(1L << 46), endOf(Long.MAX_VALUE));
  }

  private static long endOf(long age) {
    UseAges ages = new UseAges(3);
    ages.add(2, age, 1);
    long[] end = new long[1];
    ages.forEach(2, (at, uses) -> end[0] = at);
    return end[0];
  }
}

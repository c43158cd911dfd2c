package org.compiledplan.kernel.host.watermarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A comparison with a model in Python, with random members, is in {@code
 * test_kernel_watermarks.py}.
 */
class UpstreamWatermarkTest {
  private static final long NONE = Long.MIN_VALUE;
  private static final long TICK = 100;

  private UpstreamWatermark upstream;

  @Test
  void allCountWhereThereIsNoTimeOut() {
    upstream = new UpstreamWatermark(new long[] {0, 0});
    assertEquals(NONE, send(0, "a", 50));
    assertEquals(NONE, send(0, "b", 30));
    assertEquals(30, send(1, 1, "c", 40));
    assertEquals(30, ticks(1000));
    assertEquals(40, send(0, "b", 60));
  }

  @Test
  void aMemberIsIdleFromItsTimeoutUntilItsNextWatermark() {
    upstream = new UpstreamWatermark(new long[] {300, 500});
    send(0, "a", 50);
    send(0, "b", 10);
    assertEquals(10, send(1, 1, "c", 90));
    assertEquals(10, ticks(2));
    assertEquals(10, send(0, "a", 60));
    assertEquals(60, ticks(1), "b is idle");
    assertEquals(60, send(0, "b", 20), "it counts again, and nothing goes back");
    assertEquals(60, send(0, "a", 80));
    assertEquals(70, send(0, "b", 70));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aMemberSilentSinceTheStartIsIdle(int members) {
    upstream = new UpstreamWatermark(new long[] {300});
    upstream.group(0, members, NONE);
    upstream.member(0, null, NONE, -200);
    assertEquals(NONE, ticks(4));
    assertEquals(NONE, send(0, members, "a", 50));
    assertEquals(50, ticks(1));
    assertEquals(50, send(0, members, "b", NONE), "it has none yet, and holds all where they are");
    assertEquals(50, send(0, members, "a", 90));
    assertEquals(50, ticks(2));
    assertEquals(50, send(0, members, "a", 95));
    assertEquals(95, ticks(1));
  }

  @Test
  void theLargestCountsWhereAllAreIdle() {
    upstream = new UpstreamWatermark(new long[] {300, 300});
    send(0, "a", 50);
    send(0, "b", 10);
    send(1, 1, "c", 20);
    assertEquals(10, ticks(2));
    assertEquals(50, ticks(1));
    assertEquals(50, send(1, 1, "c", 30));
  }

  @Test
  void aBatchContinuesFromThePreviousOne() {
    upstream = new UpstreamWatermark(new long[] {300, 0});
    send(0, "a", 55);
    upstream.group(0, 2, 50);
    upstream.group(1, 1, 70);
    upstream.member(0, null, NONE, 0);
    upstream.member(0, "a", 50, 200);
    upstream.member(0, "b", 10, 200);
    upstream.member(1, "c", 70, 900);
    upstream.all(40);
    assertEquals(50, upstream.least(), "its source had reached that when b was idle");
    assertEquals(55, ticks(1), "a has sent a watermark meanwhile, b has not");
  }

  private long send(int group, String member, long watermark) {
    return send(group, 2, member, watermark);
  }

  private long send(int group, int members, String member, long watermark) {
    upstream.take(group, members, member, watermark);
    return upstream.least();
  }

  private long ticks(int count) {
    for (int i = 0; i < count; i++) upstream.tick(TICK);
    return upstream.least();
  }
}

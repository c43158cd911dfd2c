package org.compiledplan.kernel.host.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WrittenKeysTest {
  /** Covers several filters in sequence, and the limit beyond which they are discarded. */
  @Test
  void noKeyThatWasWrittenIsMissed() {
    WrittenKeys keys = WrittenKeys.from(1);
    assertFalse(keys.mayHave("op", "0"));
    for (int at = 0; at < 250; at++) {
      keys.add("op", "" + at, false);
      assertTrue(keys.mayHave("op", "" + at));
    }
    assertTrue(IntStream.range(0, 250).allMatch(at -> keys.mayHave("op", "" + at)));
    // Five filters of 1 to 256 keys: capacity 341.
    long others =
        IntStream.range(500, 600)
            .mapToLong(
                at ->
                    (keys.mayHave("op", "" + at) ? 1 : 0)
                        + (keys.mayHave("another", "" + at) ? 1 : 0))
            .sum();
    assertTrue(others < 20, others + " of 200 keys that were never written");
    for (int at = 250; at < 450; at++) keys.add("op", "" + at, false);
    assertTrue(keys.mayHave("op", "never written"));
  }

  /** Keys that come in order are new without doubt, and none that was written is missed. */
  @Test
  void keysBehindAllOthersAreNew() {
    WrittenKeys keys = new WrittenKeys();
    for (int at = 0; at < 100_000; at++) {
      assertFalse(keys.mayHave("op", "" + at));
      keys.add("op", "" + at, true);
    }
    assertFalse(keys.mayHave("another", "7"));
    keys.add("another", "99", true);
    assertTrue(IntStream.range(0, 100_000).allMatch(at -> keys.mayHave("op", "" + at)));
    assertFalse(keys.mayHave("another", "100"));
  }

  @Test
  void ofASingleBatchOnlyTheOrderIsKnown() {
    WrittenKeys keys = WrittenKeys.once();
    assertFalse(keys.mayHave("op", "5"));
    keys.add("op", "5", true);
    assertFalse(keys.mayHave("op", "6"));
    assertTrue(keys.mayHave("op", "5"));
    assertTrue(keys.mayHave("op", "3"));
  }
}

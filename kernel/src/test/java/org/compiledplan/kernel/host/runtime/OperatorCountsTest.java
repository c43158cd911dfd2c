package org.compiledplan.kernel.host.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.operators.base.StateAccount;
import org.junit.jupiter.api.Test;

class OperatorCountsTest {
  @Test
  void countsOfTasksMergeWhateverTheAgesOfTheirUses() {
    OperatorCounts all = new OperatorCounts(2);
    all.merge(task(3, 10));
    all.merge(task(4, 100_000, 20));
    all.merge(task(5));
    assertEquals(12, all.rowsOut());
    assertEquals(Map.of(11L, 1L, 21L, 1L, 100_352L, 1L), uses(all));
    OperatorCounts copy = (OperatorCounts) all.copy();
    all.reset();
    assertTrue(all.isZero());
    assertEquals(12, copy.rowsOut());
    assertEquals(3, uses(copy).size());
  }

  @Test
  void usesOfARepeatedTaskAreTakenOut() {
    OperatorCounts all = new OperatorCounts(2);
    all.merge(task(3, 10));
    all.merge(task(3, 10));
    all.merge(task(1, 5_000_000));
    OperatorCounts settled = all.without(task(3, 10).value());
    assertEquals(4, settled.rowsOut());
    assertEquals(Map.of(11L, 1L, 5_111_808L, 1L), uses(settled));
    assertArrayEquals(all.value(), all.without(all.none()).value());
  }

  @Test
  void usesAloneAreNotZero() {
    OperatorCounts counts = task(0, 10);
    assertFalse(counts.isZero());
    assertTrue(((OperatorCounts) counts.copyAndReset()).isZero());
  }

  /** A task that emits rows, and uses entries of the second input at these ages. */
  private static OperatorCounts task(long rows, long... ages) {
    OperatorCounts counts = new OperatorCounts(2);
    counts.addRowsOut(rows);
    StateAccount account = new StateAccount(counts.ages());
    for (long age : ages) account.used(1, age);
    return counts;
  }

  private static Map<Long, Long> uses(OperatorCounts counts) {
    Map<Long, Long> uses = new TreeMap<>();
    counts.ages().forEach(0, (end, count) -> uses.put(-end, count));
    counts.ages().forEach(1, uses::put);
    return uses;
  }
}

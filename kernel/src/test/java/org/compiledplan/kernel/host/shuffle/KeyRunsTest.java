package org.compiledplan.kernel.host.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.junit.jupiter.api.Test;
import scala.collection.AbstractIterator;

class KeyRunsTest {
  private static final int ROWS = 1_000_000;

  /** Rows with keys at random; the operator of each is its number. */
  private static final class Rows extends AbstractIterator<InternalRow> {
    private final Random random = new Random(20_261_201);
    private int number;

    @Override
    public boolean hasNext() {
      return number < ROWS;
    }

    @Override
    public UnsafeRow next() {
      return GatheredRowsTest.packed("" + number++, "" + random.nextInt(100_000));
    }
  }

  @Test
  void fewRunsHaveAllRowsInOrder() {
    KeyRuns runs = new KeyRuns(new Rows());
    Map<UTF8String, Integer> last = new HashMap<>();
    BitSet rows = new BitSet();
    int descents = 0;
    long before = Long.MIN_VALUE;
    for (int row = 0; row < ROWS; row++) {
      assertTrue(runs.hasNext());
      InternalRow next = runs.next();
      UTF8String key = next.getUTF8String(StageKeys.KEY).copy();
      int number = Integer.parseInt(next.getUTF8String(StageKeys.OP).toString());
      rows.set(number);
      Integer earlier = last.put(key, number);
      assertTrue(earlier == null || earlier < number, "rows of a key in their own order");
      long prefix = KeyOrder.prefix(key.getBaseObject(), key.getBaseOffset(), key.numBytes());
      if (prefix < before) descents++;
      before = prefix;
    }
    assertFalse(runs.hasNext());
    assertEquals(ROWS, rows.cardinality());
    assertTrue(descents > 0 && descents < 10, descents + " runs");
  }

  @Test
  void noRowsAreNoRun() {
    assertFalse(
        new KeyRuns(
                new AbstractIterator<InternalRow>() {
                  @Override
                  public boolean hasNext() {
                    return false;
                  }

                  @Override
                  public InternalRow next() {
                    throw new AssertionError();
                  }
                })
            .hasNext());
  }
}

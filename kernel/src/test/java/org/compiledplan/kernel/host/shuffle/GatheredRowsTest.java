package org.compiledplan.kernel.host.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.junit.jupiter.api.Test;

class GatheredRowsTest {
  private static final int ROWS = 50_000;

  static UnsafeRow packed(String op, String key) {
    UnsafeRowWriter writer = new UnsafeRowWriter(3);
    writer.reset();
    writer.zeroOutNullBytes();
    writer.write(StageKeys.KEY, UTF8String.fromString(key));
    writer.write(StageKeys.OP, UTF8String.fromString(op));
    writer.setNullAt(2);
    return writer.getRow();
  }

  /**
   * A sort of these rows needs memory while it reads them, which the task may not have otherwise.
   */
  @Test
  void rowsToSortReleaseTheirMemoryAsTheyAreRead() {
    TaskMemory memory = new TaskMemory(Long.MAX_VALUE);
    GatheredRows gathered = new GatheredRows(memory, Set.of(UTF8String.fromString("own")));
    for (int at = 0; at < ROWS; at++) {
      assertTrue(gathered.add(packed(at % 3 == 0 ? "other" : "own", "" + at % 1000)));
    }
    long all = memory.used();
    Iterator<UnsafeRow> rows = gathered.drained();
    assertTrue(memory.used() < all * 3 / 4, memory.used() + " bytes of " + all);
    for (int at = 0; at < ROWS; at++) {
      UnsafeRow row = rows.next();
      assertEquals("" + at % 1000, row.getUTF8String(StageKeys.KEY).toString());
      assertEquals(at % 3 == 0 ? "other" : "own", row.getUTF8String(StageKeys.OP).toString());
    }
    assertFalse(rows.hasNext());
    assertTrue(memory.used() < all / 4, memory.used() + " bytes of " + all);
  }
}

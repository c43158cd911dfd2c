package org.compiledplan.kernel.host.shuffle;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.array.LongArray;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.collection.unsafe.sort.RadixSort;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageKeys;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * Packed rows in runs, each ordered by {@link KeyOrder#prefix}. Spark's sorter merges what comes in
 * runs, and then finds the rows of a run side by side in memory; it would compare rows in any order
 * log(n) times, each of them somewhere else. A returned row is valid until the next call.
 */
final class KeyRuns extends AbstractIterator<InternalRow> {
  private static final int BYTES = 1 << 25;
  private static final int FIRST_ROWS = 1 << 12;

  /** Memory per row in bytes for its place and for its order. */
  private static final int ROW_BYTES = Integer.BYTES + KeyOrder.BYTES_PER_KEY;

  private final Iterator<InternalRow> rows;
  private final TaskMemory memory = new TaskMemory(BYTES);
  private final UnsafeRow view = new UnsafeRow(InternalRows.PACKED + 1);

  private byte[] bytes = new byte[1 << 16];

  /** Ends of the rows in {@link #bytes}. */
  private int[] ends = new int[FIRST_ROWS];

  /** For each row its number and its prefix, and the same space again for sorting. */
  private LongArray pairs = pairs(FIRST_ROWS);

  private int size;

  /** Place of the next row of the run in {@link #pairs}, and the number of rows left. */
  private int at;

  private int left;

  KeyRuns(Iterator<InternalRow> rows) {
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    if (left == 0) fill();
    return left > 0;
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new java.util.NoSuchElementException();
    int row = (int) pairs.get(at);
    at += 2;
    left--;
    int start = row == 0 ? 0 : ends[row - 1];
    view.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start, ends[row] - start);
    return view;
  }

  private void fill() {
    memory.shrink(memory.used());
    size = 0;
    boolean fits = true;
    while (fits && rows.hasNext()) fits = add((UnsafeRow) rows.next());
    at = RadixSort.sortKeyPrefixArray(pairs, 0, size, 0, Long.BYTES - 1, false, false);
    left = size;
    if (left == 0) memory.release();
  }

  /** Adds a row; returns true if there is room for another one. */
  private boolean add(UnsafeRow packed) {
    if (size == ends.length) widen();
    int start = size == 0 ? 0 : ends[size - 1];
    int length = packed.getSizeInBytes();
    if (start + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(start + length, Math.min(2 * bytes.length, BYTES)));
    }
    packed.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + start);
    ends[size] = start + length;
    UTF8String key = packed.getUTF8String(StageKeys.KEY);
    pairs.set(2 * size, size);
    pairs.set(
        2 * size + 1, KeyOrder.prefix(key.getBaseObject(), key.getBaseOffset(), key.numBytes()));
    size++;
    return memory.grow(length + ROW_BYTES);
  }

  private void widen() {
    ends = Arrays.copyOf(ends, 2 * size);
    LongArray wider = pairs(2 * size);
    for (int i = 0; i < 2 * size; i++) wider.set(i, pairs.get(i));
    pairs = wider;
  }

  private static LongArray pairs(int rows) {
    return new LongArray(MemoryBlock.fromLongArray(new long[Math.multiplyExact(rows, 4)]));
  }
}

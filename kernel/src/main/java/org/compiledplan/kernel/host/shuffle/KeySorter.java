package org.compiledplan.kernel.host.shuffle;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.UnsafeExternalRowSorter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators;
import org.apache.spark.util.collection.unsafe.sort.RecordComparator;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageKeys;
import scala.collection.Iterator;

/**
 * Sorts packed rows by key in {@link KeyOrder}, with Spark's sorter, which spills to disk. Keys
 * that come in the order of the state store are appended to its files, which need no merge then.
 */
final class KeySorter {
  private KeySorter() {}

  /**
   * @param schema the columns of packed rows
   */
  @SuppressWarnings("unchecked")
  static Iterator<InternalRow> sorted(StructType schema, Iterator<InternalRow> rows) {
    Iterator<?> unsafe = new KeyRuns(rows);
    try {
      return UnsafeExternalRowSorter.createWithRecordComparator(
              schema,
              ByKey::new,
              PrefixComparators.BINARY,
              new Prefixes(),
              SparkEnv.get().memoryManager().pageSizeBytes(),
              false)
          .sort((Iterator<UnsafeRow>) unsafe);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static final class Prefixes extends UnsafeExternalRowSorter.PrefixComputer {
    private final Prefix prefix = new Prefix();

    @Override
    public Prefix computePrefix(InternalRow row) {
      UTF8String key = row.getUTF8String(StageKeys.KEY);
      prefix.value = KeyOrder.prefix(key.getBaseObject(), key.getBaseOffset(), key.numBytes());
      return prefix;
    }
  }

  private static final class ByKey extends RecordComparator {
    private final UnsafeRow left = new UnsafeRow(InternalRows.PACKED + 1);
    private final UnsafeRow right = new UnsafeRow(InternalRows.PACKED + 1);

    @Override
    public int compare(
        Object leftBase,
        long leftOffset,
        int leftSize,
        Object rightBase,
        long rightOffset,
        int rightSize) {
      left.pointTo(leftBase, leftOffset, leftSize);
      right.pointTo(rightBase, rightOffset, rightSize);
      UTF8String key = left.getUTF8String(StageKeys.KEY);
      UTF8String next = right.getUTF8String(StageKeys.KEY);
      int order = Integer.compare(key.numBytes(), next.numBytes());
      if (order == 0) order = key.binaryCompare(next);
      return order != 0
          ? order
          : left.getUTF8String(StageKeys.OP).binaryCompare(right.getUTF8String(StageKeys.OP));
    }
  }
}

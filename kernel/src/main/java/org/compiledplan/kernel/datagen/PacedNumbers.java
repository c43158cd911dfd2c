package org.compiledplan.kernel.datagen;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/**
 * Numbers that are due at a fixed rate, in real-time mode.
 *
 * @param from the first number
 * @param end the number after the last
 * @param rate numbers per second
 * @param origin a number with a known time
 * @param originTime its time, ms since 1970
 */
record PacedNumbers(long from, long end, long rate, long origin, long originTime)
    implements InputPartition {
  record Position(long row) implements PartitionOffset {}

  /** Waits for the time of each number. */
  static final class Reader implements SupportsRealTimeRead<InternalRow> {
    private static final long SECOND = 1000;

    private final PacedNumbers numbers;
    private long next;

    Reader(PacedNumbers numbers) {
      this.numbers = numbers;
      next = numbers.from;
    }

    @Override
    public RecordStatus nextWithTimeout(Long timeout) {
      long now = System.currentTimeMillis();
      long due =
          next < numbers.end
              ? numbers.originTime + (next - numbers.origin) * SECOND / numbers.rate
              : Long.MAX_VALUE;
      boolean comes = due <= now + timeout;
      try {
        long wait = comes ? due - now : timeout;
        if (wait > 0) Thread.sleep(wait);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        comes = false;
      }
      if (comes) next++;
      return RecordStatus.newStatusWithoutArrivalTime(comes);
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public InternalRow get() {
      return new GenericInternalRow(new Object[] {next - 1});
    }

    @Override
    public PartitionOffset getOffset() {
      return new Position(next);
    }

    @Override
    public void close() {}
  }
}

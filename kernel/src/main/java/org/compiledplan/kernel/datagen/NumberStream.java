package org.compiledplan.kernel.datagen;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.runtime.LongOffset;

/** A stream of numbers at a fixed rate per second. */
final class NumberStream
    implements MicroBatchStream, SupportsTriggerAvailableNow, SupportsRealTimeMode {
  /**
   * Time in ms for which a bounded stream waits for rows: an empty batch would be taken for its
   * end.
   */
  private static final long STEP = 100;

  private final long rate;
  private final boolean bounded;
  private final int partitions;
  private long end;
  private boolean onlyAvailable;
  private long startTime = -1;
  private long wallStart = -1;
  private long startRow;

  NumberStream(long rate, long rows, int partitions) {
    this.rate = rate;
    this.bounded = rows >= 0;
    this.end = bounded ? rows : Long.MAX_VALUE;
    this.partitions = partitions;
  }

  @Override
  public Offset initialOffset() {
    return new LongOffset(0);
  }

  @Override
  public Offset deserializeOffset(String json) {
    return new LongOffset(Long.parseLong(json.trim()));
  }

  @Override
  public Offset latestOffset() {
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is used");
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return ReadLimit.allAvailable();
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    onlyAvailable = true;
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    long from = ((LongOffset) start).offset();
    if (startTime < 0) {
      startTime = System.nanoTime();
      startRow = from;
      if (onlyAvailable && !bounded) {
        // The bound of an endless stream covers one second.
        end = from + rate;
      }
    }
    long wanted =
        end == Long.MAX_VALUE ? from : Math.min(end, from + Math.max(1, rate * STEP / 1000));
    long due = due();
    while (due < wanted) {
      try {
        Thread.sleep(Math.min(STEP, Math.max(1, (wanted - due) * 1000 / rate)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
      due = due();
    }
    return new LongOffset(Math.max(from, Math.min(due, end)));
  }

  private long due() {
    double seconds = (System.nanoTime() - startTime) / 1e9;
    return startRow + (long) (seconds * rate);
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset until) {
    long from = ((LongOffset) start).offset();
    long size = ((LongOffset) until).offset() - from;
    int count = (int) Math.max(1, Math.min(partitions, size));
    InputPartition[] ranges = new InputPartition[count];
    for (int i = 0; i < count; i++) {
      ranges[i] = new RowNumbers.Range(from + size * i / count, from + size * (i + 1) / count);
    }
    return ranges;
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start) {
    if (wallStart < 0) {
      wallStart = System.currentTimeMillis();
      startRow = ((LongOffset) start).offset();
    }
    // A single task, so that one number describes the offset.
    return new InputPartition[] {
      new PacedNumbers(((LongOffset) start).offset(), end, rate, startRow, wallStart)
    };
  }

  @Override
  public Offset mergeOffsets(PartitionOffset[] offsets) {
    return new LongOffset(((PacedNumbers.Position) offsets[0]).row());
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new RowNumbers.Readers();
  }

  @Override
  public void commit(Offset done) {}

  @Override
  public void stop() {}
}

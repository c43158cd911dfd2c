package org.compiledplan.kernel.host.watermarks;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.util.AccumulatorV2;

/**
 * The watermarks that the partitions of a source reached in each of the last micro-batches: a cell
 * per partition with rows, with their largest watermark. A micro-batch may be computed repeatedly,
 * with the same result.
 */
final class PartitionsReached
    extends AccumulatorV2<PartitionsReached, TreeMap<Long, HashMap<String, Long>>> {
  private static final int MAX_BATCHES = 3;

  private final TreeMap<Long, HashMap<String, long[]>> byBatch = new TreeMap<>();

  /** The cell of a single task. */
  synchronized long[] cell(long batch, String place) {
    return byBatch
        .computeIfAbsent(batch, number -> new HashMap<>())
        .computeIfAbsent(place, name -> new long[] {PartitionWatermarks.NONE});
  }

  synchronized Map<String, Long> of(long batch) {
    return plain(byBatch.getOrDefault(batch, new HashMap<>()));
  }

  private static HashMap<String, Long> plain(Map<String, long[]> cells) {
    HashMap<String, Long> plain = new HashMap<>();
    cells.forEach((place, cell) -> plain.put(place, cell[0]));
    return plain;
  }

  @Override
  public synchronized boolean isZero() {
    return byBatch.isEmpty();
  }

  @Override
  public synchronized AccumulatorV2<PartitionsReached, TreeMap<Long, HashMap<String, Long>>>
      copy() {
    PartitionsReached copy = new PartitionsReached();
    copy.take(value());
    return copy;
  }

  @Override
  public synchronized void reset() {
    byBatch.clear();
  }

  @Override
  public void add(PartitionsReached source) {
    take(source.value());
  }

  @Override
  public void merge(AccumulatorV2<PartitionsReached, TreeMap<Long, HashMap<String, Long>>> source) {
    take(source.value());
  }

  private synchronized void take(Map<Long, HashMap<String, Long>> batches) {
    batches.forEach(
        (batch, marks) ->
            marks.forEach(
                (place, mark) -> {
                  long[] cell = cell(batch, place);
                  cell[0] = Math.max(cell[0], mark);
                }));
    while (byBatch.size() > MAX_BATCHES) byBatch.pollFirstEntry();
  }

  @Override
  public synchronized TreeMap<Long, HashMap<String, Long>> value() {
    TreeMap<Long, HashMap<String, Long>> batches = new TreeMap<>();
    byBatch.forEach((batch, cells) -> batches.put(batch, plain(cells)));
    return batches;
  }

  /** Synchronized because executors serialize it while tasks update it. */
  private synchronized void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
  }
}

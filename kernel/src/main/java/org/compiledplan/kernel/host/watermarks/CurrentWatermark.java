package org.compiledplan.kernel.host.watermarks;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.AccumulatorV2;

/**
 * The result of CURRENT_WATERMARK for a row: the watermark after the rows before it in its {@link
 * InputPiece} and in earlier micro-batches, or null. As in Flink, a row's own watermark follows the
 * row, once it is more than 200 ms ahead of the last one, and every run starts without a watermark.
 */
public final class CurrentWatermark implements UDF1<Long, Long> {
  private final Reached reached;

  /** Watermarks reached before the task was sent to the executor. */
  private TreeMap<Long, Long> before = new TreeMap<>();

  private transient InputPiece piece;
  private transient long batch;
  private transient Long emitted;

  private CurrentWatermark(Reached reached) {
    this.reached = reached;
  }

  /**
   * The watermark before each row of one source, in ms; {@code own} is the watermark that the
   * assigner derives from the row.
   */
  public static Column of(SparkSession session, Column own) {
    Reached reached = new Reached();
    session.sparkContext().register(reached);
    return functions
        .udf(new CurrentWatermark(reached), DataTypes.LongType)
        .asNondeterministic()
        .apply(own);
  }

  @Override
  public Long call(Long own) {
    if (piece == null) piece = new InputPiece();
    if (piece.changes()) {
      TaskContext context = TaskContext.get();
      String id = context == null ? null : context.getLocalProperty("streaming.sql.batchId");
      batch = id == null ? 0 : Long.parseLong(id);
      // A batch may be computed again for another sink: its own watermarks must not count.
      Map.Entry<Long, Long> earlier = before.lowerEntry(batch);
      emitted = earlier == null ? null : earlier.getValue();
    }
    Long current = emitted;
    if (own != null && own - (emitted == null ? 0 : emitted) > RowWatermark.INTERVAL) {
      emitted = own;
      reached.add(new long[] {batch, own});
    }
    return current;
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    before = reached.value();
    out.defaultWriteObject();
  }

  /** The largest watermark up to each of the last micro-batches. */
  private static final class Reached extends AccumulatorV2<long[], TreeMap<Long, Long>> {
    private static final int MAX_BATCHES = 3;

    private final TreeMap<Long, Long> byBatch = new TreeMap<>();

    @Override
    public synchronized boolean isZero() {
      return byBatch.isEmpty();
    }

    @Override
    public synchronized AccumulatorV2<long[], TreeMap<Long, Long>> copy() {
      Reached copy = new Reached();
      copy.byBatch.putAll(byBatch);
      return copy;
    }

    @Override
    public synchronized void reset() {
      byBatch.clear();
    }

    @Override
    public synchronized void add(long[] batchAndTime) {
      put(batchAndTime[0], batchAndTime[1]);
    }

    @Override
    public void merge(AccumulatorV2<long[], TreeMap<Long, Long>> source) {
      TreeMap<Long, Long> watermarks = source.value();
      synchronized (this) {
        watermarks.forEach(this::put);
      }
    }

    @Override
    public synchronized TreeMap<Long, Long> value() {
      return new TreeMap<>(byBatch);
    }

    private void put(long batch, long time) {
      Map.Entry<Long, Long> earlier = byBatch.floorEntry(batch);
      byBatch.put(batch, earlier == null ? time : Math.max(earlier.getValue(), time));
      if (byBatch.size() > MAX_BATCHES) byBatch.pollFirstEntry();
    }
  }
}

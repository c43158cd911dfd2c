package org.compiledplan.kernel.host.watermarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.StageSpec;

/**
 * Watermarks that enter and leave a stage as control rows between its rows: in real-time mode
 * Spark's own watermark does not advance during a batch.
 *
 * <p>In a control row {@code kind} is 0, {@code port} the sender's group, {@code ord} the number of
 * members of the group, {@code path} the sender's name in UTF-8, and {@code watermark} the
 * watermark. Rows of other kinds are sent when a batch begins, see {@link WatermarkRow}.
 */
public final class StageWatermarks implements Serializable {
  /** {@code op} of control rows. */
  public final String op;

  /** {@code op} of ticks. */
  public final String tick;

  private final String stage;

  /** Per upstream group, the idle timeout of a member in ms; 0 for none. */
  private final long[] timeouts;

  /** Interval of ticks in ms. */
  private final long every;

  /** Keys of the next stage's partitions; empty for the last stage. */
  private final String[] next;

  private final PartitionsReached reached;

  /** Figures for the next batch, see {@link #figure}. */
  private final PartitionsReached figures;

  StageWatermarks(Control control, int stage, long[] timeouts, String[] next) {
    this.op = control.op;
    this.tick = control.tick;
    this.every = control.every;
    this.reached = control.reached;
    this.figures = control.figures;
    this.stage = String.valueOf(stage);
    this.timeouts = timeouts;
    this.next = next;
  }

  /**
   * Settings shared by the stages of a query.
   *
   * @param op {@code op} of control rows
   * @param tick {@code op} of ticks
   * @param every interval of ticks in ms
   * @param reached watermarks of the tasks, by {@code <stage>/<number>}
   * @param figures figures of groups and their members, by {@link #figure}
   */
  record Control(
      String op, String tick, long every, PartitionsReached reached, PartitionsReached figures) {}

  /** The name of a figure, of which the largest reported value counts. */
  static String figure(byte kind, int group, String member) {
    return kind + "/" + group + (member == null ? "" : "/" + member);
  }

  public Running start() {
    return new Running();
  }

  public final class Running {
    private final UpstreamWatermark upstream = new UpstreamWatermark(timeouts);
    private final String name;
    private final long batch;

    /** Reported to the driver. */
    private final long[] cell;

    private final Map<String, long[]> cells = new HashMap<>();

    private Running() {
      TaskContext context = TaskContext.get();
      name = String.valueOf(context == null ? 0 : context.partitionId());
      String number =
          context == null ? null : context.getLocalProperty(PartitionWatermarks.BATCH_ID);
      batch = number == null ? 0 : Long.parseLong(number);
      cell = reached.cell(batch, stage + "/" + name);
    }

    /**
     * Takes control rows; returns the current watermark, {@code Long.MIN_VALUE} if there is none.
     */
    public long take(StageSpec spec, Iterator<InternalRow> rows) {
      while (rows.hasNext()) take(spec, rows.next());
      return upstream.least();
    }

    private void take(StageSpec spec, InternalRow row) {
      int group = row.getInt(spec.head[StageSpec.PORT]);
      long number = row.getLong(spec.head[StageSpec.ORD]);
      int path = spec.head[StageSpec.PATH];
      String sender = row.isNullAt(path) ? null : new String(row.getBinary(path), UTF_8);
      long watermark = row.getLong(spec.head[StageSpec.WATERMARK]);
      byte kind = row.getByte(spec.head[StageSpec.KIND]);
      switch (kind) {
        case WatermarkRow.SENT -> upstream.take(group, number, sender, watermark);
        case WatermarkRow.GROUP -> upstream.group(group, number, watermark);
        case WatermarkRow.MEMBER -> upstream.member(group, sender, watermark, number);
        case WatermarkRow.ALL -> upstream.all(watermark);
        default -> throw new IllegalArgumentException("unknown kind of control row: " + kind);
      }
    }

    /** Returns true if the stage needs ticks because an upstream member may be idle. */
    public boolean takesTicks() {
      return upstream.mayBeIdle();
    }

    /** Takes a tick; returns the current watermark, {@code Long.MIN_VALUE} if there is none. */
    public long tick() {
      upstream.tick(every);
      long watermark = upstream.least();
      upstream.report(this::report);
      return watermark;
    }

    /** The largest watermark counts, and the shortest silence. */
    private void report(byte kind, int group, String member, long figure) {
      cells.computeIfAbsent(figure(kind, group, member), name -> figures.cell(batch, name))[0] =
          kind == WatermarkRow.MEMBER ? -figure : figure;
    }

    /** The control rows with a watermark, to be sent after its timers have fired. */
    public Iterator<InternalRow> controlRows(StageSpec spec, long watermark) {
      cell[0] = watermark;
      byte[] sender = name.getBytes(UTF_8);
      UTF8String kind = UTF8String.fromString(op);
      return Arrays.stream(next)
          .map(
              key -> {
                Object[] row = new Object[spec.outputSchema.length()];
                row[StageSpec.OP] = kind;
                row[StageSpec.KEY] = UTF8String.fromString(key);
                row[StageSpec.PORT] = 0;
                row[StageSpec.KIND] = WatermarkRow.SENT;
                row[StageSpec.ORD] = (long) next.length;
                row[StageSpec.PATH] = sender;
                row[StageSpec.WATERMARK] = watermark;
                return (InternalRow) new GenericInternalRow(row);
              })
          .iterator();
    }
  }
}

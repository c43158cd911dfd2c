package org.compiledplan.kernel.host;

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

/**
 * Watermarks that come to a stage, and leave it, as control rows between its rows: in real-time
 * mode Spark's own stands still for as long as a batch lasts.
 *
 * <p>In a control row {@code kind} is 0, {@code port} the group of the one who tells, {@code ord}
 * how many are in the group, {@code path} its name in UTF-8, and {@code watermark} what it tells.
 * Rows of other kinds come when a batch begins, see {@link Known}.
 */
final class StageWatermarks implements Serializable {
  /** What the head says of a control row. */
  final String op;

  /** What it says of ticks. */
  final String tick;

  private final String stage;

  /** Of each group upstream after how many ms of silence a member is idle; 0 for never. */
  private final long[] timeouts;

  /** How many ms there are between two ticks. */
  private final long every;

  /** The partitions of the next stage; none behind the last. */
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
   * What the stages of a query have in common.
   *
   * @param op what the head says of a control row
   * @param tick what it says of a tick
   * @param every how many ms there are between two ticks
   * @param reached how far tasks are, by {@code <stage>/<number>}
   * @param figures those of groups and their members, by {@link #figure}
   */
  record Control(
      String op, String tick, long every, PartitionsReached reached, PartitionsReached figures) {}

  /** The name of a figure: the largest that a task tells counts. */
  static String figure(byte kind, int group, String member) {
    return kind + "/" + group + (member == null ? "" : "/" + member);
  }

  Running start() {
    return new Running();
  }

  final class Running {
    private final UpstreamWatermark upstream = new UpstreamWatermark(timeouts);
    private final String name;
    private final long batch;

    /** What the driver gets to know. */
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

    /** Takes control rows; the watermark by now, {@code Long.MIN_VALUE} if there is none. */
    long take(StageSpec spec, Iterator<InternalRow> rows) {
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
        case Known.TOLD -> upstream.take(group, number, sender, watermark);
        case Known.GROUP -> upstream.group(group, number, watermark);
        case Known.MEMBER -> upstream.member(group, sender, watermark, number);
        case Known.ALL -> upstream.all(watermark);
        default -> throw new IllegalArgumentException("unknown kind of control row: " + kind);
      }
    }

    /** Whether time counts here: somebody upstream may be idle. */
    boolean takesTicks() {
      return upstream.mayBeIdle();
    }

    /** Takes a tick; the watermark by now, {@code Long.MIN_VALUE} if there is none. */
    long tick() {
      upstream.tick(every);
      long watermark = upstream.least();
      upstream.tell(this::tell);
      return watermark;
    }

    /** Of a watermark the largest counts, of a silence the shortest. */
    private void tell(byte kind, int group, String member, long figure) {
      cells.computeIfAbsent(figure(kind, group, member), name -> figures.cell(batch, name))[0] =
          kind == Known.MEMBER ? -figure : figure;
    }

    /** To be called when the timers up to a watermark are through: the rows that tell of it. */
    Iterator<InternalRow> controlRows(StageSpec spec, long watermark) {
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
                row[StageSpec.KIND] = Known.TOLD;
                row[StageSpec.ORD] = (long) next.length;
                row[StageSpec.PATH] = sender;
                row[StageSpec.WATERMARK] = watermark;
                return (InternalRow) new GenericInternalRow(row);
              })
          .iterator();
    }
  }
}

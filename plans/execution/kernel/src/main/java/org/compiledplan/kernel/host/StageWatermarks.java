package org.compiledplan.kernel.host;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Watermarks that come to a stage, and leave it, as control rows between its rows: in real-time
 * mode Spark's own stands still for as long as a batch lasts.
 *
 * <p>In a control row {@code port} is the group of the one who tells, {@code ord} how many are in
 * the group, {@code path} its name in UTF-8, and {@code watermark} what it tells.
 */
final class StageWatermarks implements Serializable {
  private static final long serialVersionUID = 1L;

  /** What the head says of a control row. */
  final String op;

  private final String stage;
  private final int groups;

  /** The partitions of the next stage; none behind the last. */
  private final String[] next;

  private final PartitionsReached reached;

  StageWatermarks(String op, String stage, int groups, String[] next, PartitionsReached reached) {
    this.op = op;
    this.stage = stage;
    this.groups = groups;
    this.next = next;
    this.reached = reached;
  }

  /** Those of one task. */
  Running start() {
    return new Running();
  }

  /** While a task runs. */
  final class Running {
    private final UpstreamWatermark upstream = new UpstreamWatermark(groups);
    private final String name;

    /** What the driver gets to know. */
    private final long[] cell;

    private Running() {
      TaskContext context = TaskContext.get();
      name = String.valueOf(context == null ? 0 : context.partitionId());
      String batch =
          context == null ? null : context.getLocalProperty(PartitionWatermarks.BATCH_ID);
      cell = reached.cell(batch == null ? 0 : Long.parseLong(batch), stage + "/" + name);
    }

    /** Takes control rows; the watermark by now, {@code Long.MIN_VALUE} if there is none. */
    long take(StageSpec spec, Iterator<InternalRow> rows) {
      while (rows.hasNext()) {
        InternalRow row = rows.next();
        upstream.take(
            row.getInt(spec.head[StageSpec.PORT]),
            row.getLong(spec.head[StageSpec.ORD]),
            new String(row.getBinary(spec.head[StageSpec.PATH]), StandardCharsets.UTF_8),
            row.getLong(spec.head[StageSpec.WATERMARK]));
      }
      return upstream.least();
    }

    /** To be called when the timers up to a watermark are through: the rows that tell of it. */
    Iterator<InternalRow> told(StageSpec spec, long watermark) {
      cell[0] = watermark;
      byte[] who = name.getBytes(StandardCharsets.UTF_8);
      UTF8String kind = UTF8String.fromString(op);
      return Arrays.stream(next)
          .map(
              key -> {
                Object[] row = new Object[spec.outputSchema.length()];
                row[StageSpec.OP] = kind;
                row[StageSpec.KEY] = UTF8String.fromString(key);
                row[StageSpec.PORT] = 0;
                row[StageSpec.KIND] = (byte) 0;
                row[StageSpec.ORD] = (long) next.length;
                row[StageSpec.PATH] = who;
                row[StageSpec.WATERMARK] = watermark;
                return (InternalRow) new GenericInternalRow(row);
              })
          .iterator();
    }
  }
}

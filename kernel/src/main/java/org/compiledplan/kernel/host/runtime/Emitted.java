package org.compiledplan.kernel.host.runtime;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructField;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.base.Out;

/** Converts emitted rows into envelope rows and buffers them until they are taken. */
final class Emitted implements Out {
  /**
   * Order numbers of rows emitted by timers: after all rows of the micro-batch, in the order of
   * their times.
   */
  private static final long AFTER_ROWS = 1L << 62;

  private static final long MAX_TIME = AFTER_ROWS - 1;
  private static final Integer NO_PORT = -1;

  private final StageSpec spec;
  private final StageRuntime.Hosted from;
  private final ArrayDeque<InternalRow> ready = new ArrayDeque<>();
  private Object ord;
  private byte[] path;
  private Object watermark;
  private int emissions;
  private long count;

  Emitted(StageSpec spec, StageRuntime.Hosted from) {
    this.spec = spec;
    this.from = from;
    ord = AFTER_ROWS;
  }

  /** Sets the input row that triggers the rows emitted next. */
  void triggeredBy(InternalRow row) {
    ord = row.getLong(spec.head[StageSpec.ORD]);
    path =
        row.isNullAt(spec.head[StageSpec.PATH]) ? null : row.getBinary(spec.head[StageSpec.PATH]);
    watermark =
        spec.hasWatermark() && !row.isNullAt(spec.head[StageSpec.WATERMARK])
            ? (Long) row.getLong(spec.head[StageSpec.WATERMARK])
            : null;
    emissions = 0;
  }

  @Override
  public void at(long time) {
    ord = AFTER_ROWS + Math.max(-MAX_TIME, Math.min(time, MAX_TIME));
    path = null;
    watermark = null;
    emissions = 0;
  }

  @Override
  public void check() {
    from.interruption.check();
  }

  @Override
  public void emit(byte kind, Object[] values) {
    check();
    Object[] row = new Object[spec.outputSchema.length()];
    row[StageSpec.OP] = from.uidText;
    row[StageSpec.PORT] = NO_PORT;
    row[StageSpec.KIND] = kind;
    row[StageSpec.ORD] = ord;
    row[StageSpec.PATH] = extended(path, emissions++);
    if (spec.hasWatermark()) row[StageSpec.WATERMARK] = watermark;
    row[from.outputPosition] = SparkTypes.row(values, from.toSpark);
    count++;
    InternalRow envelope = new GenericInternalRow(row);
    if (from.tap != null) from.tap.take(envelope);
    ready.add(envelope);
  }

  /** Emits a late input row in the output of such rows. */
  void late(InternalRow row, StageRuntime.Late to, long watermark) {
    StructField[] fields = to.part().type().fields();
    InternalRow values = row.getStruct(to.part().column(), fields.length).copy();
    Object[] struct = new Object[fields.length + 1];
    for (int i = 0; i < fields.length; i++) struct[i] = values.get(i, fields[i].dataType());
    if (watermark > Long.MIN_VALUE) struct[fields.length] = watermark;
    Object[] late = new Object[spec.outputSchema.length()];
    late[StageSpec.OP] = to.op();
    late[StageSpec.PORT] = NO_PORT;
    late[StageSpec.KIND] = row.getByte(spec.head[StageSpec.KIND]);
    late[StageSpec.ORD] = row.getLong(spec.head[StageSpec.ORD]);
    int path = spec.head[StageSpec.PATH];
    late[StageSpec.PATH] = row.isNullAt(path) ? null : row.getBinary(path);
    late[to.position()] = new GenericInternalRow(struct);
    ready.add(new GenericInternalRow(late));
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  InternalRow take() {
    return ready.poll();
  }

  /** Adds the rows emitted, and the changes of state, to the operator's counts; called once. */
  void count() {
    from.counts.addRowsOut(count);
    from.counts.take(from.operator.account());
  }

  private static byte[] extended(byte[] path, int number) {
    int length = path == null ? 0 : path.length;
    byte[] longer = path == null ? new byte[4] : Arrays.copyOf(path, length + 4);
    longer[length] = (byte) (number >>> 24);
    longer[length + 1] = (byte) (number >>> 16);
    longer[length + 2] = (byte) (number >>> 8);
    longer[length + 3] = (byte) number;
    return longer;
  }
}

package org.compiledplan.kernel.operators;

import java.util.List;
import org.compiledplan.kernel.operators.WaitingRows.Waiting;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * Joins each left row with the version of the right row that held at its time. Follows Flink's
 * TemporalRowTimeJoinOperator: left rows wait for the watermark; a right row is a version from its time on until
 * the next one, a deletion ends it; of two at one time the later arrival counts. What is kept of the past is the
 * newest version that is not after the watermark.
 */
final class TemporalJoin implements Idle {
  private static final int VERSION = 1;
  private static final int LEFT = 0;
  private static final int RIGHT = 1;

  private final JoinInputs inputs;
  private final ValueType[] leftTypes;
  private final ValueType[] rightTypes;
  private final boolean outer;
  private final int[] time;
  private final boolean sharedWatermark;

  TemporalJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    leftTypes = spec.inputs[LEFT];
    rightTypes = spec.inputs[RIGHT];
    outer = isOuter(spec);
    time = new int[] {spec.column("leftTime"), spec.column("rightTime")};
    sharedWatermark = spec.flag("sharedWatermark", false);
  }

  static boolean isOuter(OperatorSpec spec) {
    String type = spec.text("joinType");
    if (!type.equals("LEFT") && !type.equals("INNER")) throw spec.problem("cannot join as " + type);
    return type.equals("LEFT");
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Stored stored = new Stored(state.get());
    List<Waiting> due = stored.left.take(context.watermark);
    for (Waiting waiting : due) {
      Object[] row = waiting.row(leftTypes);
      Object[] version = stored.right.at(waiting.time, waiting.due);
      out.at(waiting.due);
      if (version != null && inputs.condition.test(row, version)) out.emit(waiting.kind, joined(row, version));
      else if (outer) out.emit(waiting.kind, joined(row, new Object[rightTypes.length]));
    }
    stored.right.forget(context.watermark);
    stored.save(state);
  }

  @Override
  public int entries(byte[] state) {
    return new Stored(state).before;
  }

  static Object[] joined(Object[] left, Object[] right) {
    Object[] row = java.util.Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, row, left.length, right.length);
    return row;
  }

  private final class Work implements Session {
    private final KeyedState state;
    private Stored stored;

    Work(KeyedState state) {
      this.state = state;
    }

    @Override
    public void process(InputRow row, Out out) {
      if (inputs.hasNullKey(row)) {
        if (row.port == LEFT && outer) out.emit(row.kind, joined(row.values, new Object[rightTypes.length]));
        return;
      }
      // What a version was before is known already.
      if (row.port == RIGHT && row.kind == RowKinds.UPDATE_BEFORE) return;
      if (stored == null) stored = new Stored(state.get());
      long at = Rowtime.of(row.values, time[row.port]);
      // Without a common watermark what both inputs have reached counts once the batch is through.
      long watermark = sharedWatermark ? row.watermark : Long.MIN_VALUE;
      if (row.port == LEFT) stored.left.add(at, watermark, row.kind, row.values);
      else stored.right.add(at, WaitingRows.due(at, watermark), row.kind, row.values);
    }

    @Override
    public void close(Out out) {
      if (stored != null) stored.save(state);
    }
  }

  /** The state of a key: a version byte, the versions with their length before them, the left rows that wait. */
  private final class Stored {
    private final RowVersions right;
    private final WaitingRows left;
    private final int before;

    Stored(byte[] bytes) {
      if (bytes == null) {
        right = new RowVersions(rightTypes);
        left = new WaitingRows();
        before = 0;
        return;
      }
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      right = new RowVersions(rightTypes, in);
      left = new WaitingRows(in, bytes.length);
      before = right.count() + left.count();
    }

    void save(KeyedState state) {
      int count = right.count() + left.count();
      if (count == 0) {
        if (before > 0) state.remove(-before);
        return;
      }
      ByteWriter out = new ByteWriter(256);
      out.writeByte(VERSION);
      right.write(out);
      left.write(out);
      state.put(out.toBytes(), Times.earlier(left.firstDue(), right.nextForgetting()), count - before);
    }
  }
}

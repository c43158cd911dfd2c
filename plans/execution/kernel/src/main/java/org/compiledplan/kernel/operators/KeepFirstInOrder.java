package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * Keeps the first row of a key by a time column and gives it out once: when the watermark has reached its time.
 * Follows Flink's RowTimeDeduplicateKeepFirstRowFunction, which drops rows behind the watermark. Of equal times
 * the earlier arrival counts.
 *
 * <p>Timers here are in event time, so what has expired goes when its key is seen again.
 */
final class KeepFirstInOrder implements Operator {
  private static final int WAITING = 0;
  private static final int EMITTED = 1;

  private final ValueType[] types;
  private final int rowtime;
  private final SingleEntry entry;

  KeepFirstInOrder(OperatorSpec spec) {
    types = spec.inputs[0];
    rowtime = spec.column("rowtime");
    entry = new SingleEntry(spec.ttl(0));
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context.processingTime);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    ByteReader in = entry.read(state.get(), context.processingTime);
    if (in == null) {
      if (state.get() != null) state.remove(-1);
      return;
    }
    if (in.readByte() == EMITTED) return;
    long due = in.readFixedLong();
    if (due > context.watermark) {
      state.put(state.get(), OptionalLong.of(due), 0);
      return;
    }
    out.at(due);
    out.emit(RowKinds.INSERT, ValueCodec.readRow(in, types));
    entry.start(context.processingTime).writeByte(EMITTED);
    entry.putUntil(state, OptionalLong.empty(), false);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final long now;
    private final boolean stored;
    private boolean emitted;
    private Object[] first;
    private long due;
    private boolean changed;

    Work(KeyedState state, long now) {
      this.state = state;
      this.now = now;
      byte[] bytes = state.get();
      stored = bytes != null;
      ByteReader in = entry.read(bytes, now);
      if (in == null) return;
      emitted = in.readByte() == EMITTED;
      if (emitted) return;
      due = in.readFixedLong();
      first = ValueCodec.readRow(in, types);
    }

    @Override
    public void process(InputRow row, Out out) {
      if (!RowKinds.isAdd(row.kind)) {
        throw new IllegalStateException("deduplicate takes insert-only input, it got a retraction");
      }
      if (emitted) return;
      long time = Rowtime.of(row.values, rowtime);
      if (time < row.watermark || first != null && time >= Rowtime.of(first, rowtime)) return;
      first = row.values;
      due = WaitingRows.due(time, row.watermark);
      changed = true;
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      ByteWriter writer = entry.start(now);
      writer.writeByte(WAITING);
      writer.writeFixedLong(due);
      ValueCodec.writeRow(first, writer);
      entry.putUntil(state, OptionalLong.of(due), !stored);
    }
  }
}

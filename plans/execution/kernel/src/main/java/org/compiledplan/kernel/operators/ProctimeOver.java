package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueType;

/**
 * OVER windows in processing time: a row sees those before it at once. Only in a bounded window of time the rows
 * of one time, that is, of one micro-batch, are peers. Follows Flink's ProcTimeUnboundedPrecedingFunction,
 * ProcTimeRowsBoundedPrecedingFunction and ProcTimeRangeBoundedPrecedingFunction.
 */
final class ProctimeOver implements Idle {
  private static final int VERSION = 1;

  private final ValueType[] types;
  private final OverFrame.Reach reach;
  private final OverCalls calls;
  private final boolean peers;

  ProctimeOver(OperatorSpec spec) {
    types = spec.inputs[0];
    reach = new OverFrame.Reach(spec);
    calls = new OverCalls(spec, reach.isBounded());
    peers = reach.isBounded() && !reach.rows;
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context.processingTime);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    OverFrame frame = read(state.get());
    frame.moveTo(context.processingTime);
    if (frame.isEmpty()) state.remove(-1);
    else save(state, frame, 0);
  }

  @Override
  public int entries(byte[] state) {
    return 1;
  }

  private OverFrame read(byte[] bytes) {
    if (bytes == null) return new OverFrame(reach, calls);
    ByteReader in = new ByteReader(bytes);
    int version = in.readByte();
    if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
    return new OverFrame(reach, calls, in, types);
  }

  private void save(KeyedState state, OverFrame frame, int entriesDelta) {
    ByteWriter out = new ByteWriter(256);
    out.writeByte(VERSION);
    frame.write(out);
    state.put(out.toBytes(), peers ? OptionalLong.of(frame.goneAt()) : OptionalLong.empty(), entriesDelta);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final long now;
    private final boolean isNew;
    private final OverFrame frame;
    private final List<Object[]> held = new ArrayList<>();

    Work(KeyedState state, long now) {
      this.state = state;
      this.now = now;
      isNew = state.get() == null;
      frame = read(state.get());
      frame.moveTo(now);
    }

    @Override
    public void process(InputRow row, Out out) {
      if (row.kind != RowKinds.INSERT) {
        throw new IllegalStateException("an OVER window in processing time takes insert-only input, it got an update");
      }
      frame.add(now, row.values);
      if (peers) held.add(row.values);
      else out.emit(RowKinds.INSERT, calls.result(row.values, frame.values()));
    }

    @Override
    public void close(Out out) {
      if (!held.isEmpty()) {
        Object[] values = frame.values();
        for (Object[] row : held) out.emit(RowKinds.INSERT, calls.result(row, values));
      }
      save(state, frame, isNew ? 1 : 0);
    }
  }
}

package org.compiledplan.kernel.operators;

import java.util.List;
import org.compiledplan.kernel.operators.WaitingRows.Waiting;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueType;

/**
 * OVER windows in event time: rows wait for the watermark and are then taken by their time. In a window of time
 * rows of one time are peers, which all see each other. Follows Flink's RowTimeUnboundedPrecedingOverFunctionV2,
 * RowTimeRowsBoundedPrecedingFunction and RowTimeRangeBoundedPrecedingFunction: an unbounded window drops rows at
 * or behind the watermark, a bounded one those not behind a row that went through (see {@link Firings}).
 */
final class RowtimeOver implements Idle {
  /** In version 1 {@link Firings} are shorter. */
  private static final int VERSION = 2;

  private final ValueType[] types;
  private final int time;
  private final OverFrame.Reach reach;
  private final OverCalls calls;

  RowtimeOver(OperatorSpec spec) {
    types = spec.inputs[0];
    time = spec.column("time");
    reach = new OverFrame.Reach(spec);
    calls = new OverCalls(spec, reach.isBounded());
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Stored stored = new Stored(state.get());
    if (reach.isBounded()) stored.firings.moveTo(context.watermark);
    List<Waiting> due = stored.waiting.take(context.watermark);
    if (!due.isEmpty()) {
      emit(due, stored, out);
      stored.firings.through(context.watermark);
    }
    stored.save(state);
  }

  @Override
  public int entries(byte[] state) {
    ByteReader in = new ByteReader(state);
    in.readByte();
    return in.readVarInt();
  }

  @Override
  public boolean waits(byte[] state) {
    return new Stored(state).waiting.count() > 0;
  }

  private void emit(List<Waiting> due, Stored stored, Out out) {
    OverFrame frame = stored.frame();
    for (int from = 0, to; from < due.size(); from = to) {
      Waiting first = due.get(from);
      boolean forgets = false;
      for (to = from; to < due.size(); to++) {
        Waiting next = due.get(to);
        if (next.time != first.time || next.due != first.due) break;
        forgets |= next.isMark() && stored.firings.forgetsAt(next.due);
      }
      frame.moveTo(first.time);
      out.at(first.due);
      if (reach.rows) emitRows(due.subList(from, to), frame, out);
      else emitPeers(due.subList(from, to), frame, out);
      if (forgets) frame = new OverFrame(reach, calls);
    }
    stored.use(frame);
  }

  private void emitRows(List<Waiting> rows, OverFrame frame, Out out) {
    for (Waiting waiting : rows) {
      Object[] row = waiting.row(types);
      frame.add(waiting.time, row);
      out.emit(RowKinds.INSERT, calls.result(row, frame.values()));
    }
  }

  private void emitPeers(List<Waiting> rows, OverFrame frame, Out out) {
    Object[][] peers = new Object[rows.size()][];
    int count = 0;
    for (Waiting waiting : rows) {
      if (waiting.isMark()) continue;
      peers[count] = waiting.row(types);
      frame.add(waiting.time, peers[count++]);
    }
    if (count == 0) return;
    Object[] values = frame.values();
    for (int i = 0; i < count; i++) out.emit(RowKinds.INSERT, calls.result(peers[i], values));
  }

  private final class Work implements Session {
    private final KeyedState state;
    private Stored stored;
    private boolean changed;

    Work(KeyedState state) {
      this.state = state;
    }

    @Override
    public void process(InputRow row, Out out) {
      if (row.kind != RowKinds.INSERT) {
        throw new IllegalStateException("an OVER window in event time takes insert-only input, it got an update");
      }
      long at = Rowtime.of(row.values, time);
      if (!reach.isBounded() && at <= row.watermark) return;
      if (stored == null) stored = new Stored(state.get());
      if (reach.isBounded()) {
        changed |= stored.firings.add(at, row.watermark, row.values);
      } else {
        stored.waiting.add(at, row.watermark, row.kind, row.values);
        changed = true;
      }
    }

    @Override
    public void close(Out out) {
      if (changed) stored.save(state);
    }
  }

  /**
   * A key's state: a version byte, the entries it counts as, {@link Firings} if the window is bounded, the frame
   * with its length before it, the waiting rows.
   */
  private final class Stored {
    private final byte[] bytes;
    private final WaitingRows waiting;
    private final Firings firings;
    private int frameAt;
    private int frameLength;
    private OverFrame frame;
    private int before;

    Stored(byte[] bytes) {
      this.bytes = bytes;
      if (bytes == null) {
        waiting = new WaitingRows();
        firings = new Firings(waiting, memory());
        return;
      }
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION && version != 1) throw new IllegalStateException("unknown state version " + version);
      before = in.readVarInt();
      int firingsAt = in.position();
      int length = version == VERSION ? Firings.LENGTH : Firings.FIRST_LENGTH;
      if (reach.isBounded()) in.skip(length);
      frameLength = in.readVarInt();
      frameAt = in.position();
      in.skip(frameLength);
      waiting = new WaitingRows(in, bytes.length);
      firings = new Firings(waiting, memory());
      if (reach.isBounded()) firings.read(new ByteReader(bytes, firingsAt, length));
    }

    private long memory() {
      return reach.rows ? -1 : reach.preceding;
    }

    OverFrame frame() {
      if (frameLength == 0) return new OverFrame(reach, calls);
      return new OverFrame(reach, calls, new ByteReader(bytes, frameAt, frameLength), types);
    }

    void use(OverFrame next) {
      frame = next;
    }

    void save(KeyedState state) {
      boolean idle = waiting.count() == 0;
      if (idle && firings.isEmpty()) {
        if (bytes != null) state.remove(-before);
        return;
      }
      int entries = waiting.count() + 1;
      ByteWriter out = new ByteWriter(256);
      out.writeByte(VERSION);
      out.writeVarLong(entries);
      if (reach.isBounded()) firings.write(out);
      if (frame != null) {
        ByteWriter one = new ByteWriter(256);
        frame.write(one);
        out.writeSized(one);
      } else {
        out.writeVarLong(frameLength);
        if (frameLength > 0) out.writeBytes(bytes, frameAt, frameLength);
      }
      waiting.write(out);
      state.put(out.toBytes(), waiting.firstDue(), entries - before);
    }
  }
}

package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.operators.WaitingRows.Waiting;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueType;

/**
 * Gives rows out in the order of their time, those of one time by further columns. Follows Flink's
 * RowTimeSortOperator; see {@link Firings} for the rows that it drops.
 */
final class RowtimeSort implements Operator {
  /** In version 1 {@link Firings} are shorter. */
  private static final int VERSION = 2;

  private final ValueType[] types;
  private final int time;
  private final SortOrder order;

  RowtimeSort(OperatorSpec spec) {
    types = spec.inputs[0];
    time = spec.column("time");
    order = new SortOrder(spec.get("orderBy"));
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Stored stored = new Stored(state.get());
    stored.firings.moveTo(context.watermark);
    List<Waiting> due = stored.waiting.take(context.watermark);
    for (int from = 0, to; from < due.size(); from = to) {
      Waiting first = due.get(from);
      List<Object[]> equal = new ArrayList<>();
      for (to = from; to < due.size() && due.get(to).time == first.time && due.get(to).due == first.due; to++) {
        equal.add(due.get(to).row(types));
      }
      equal.sort(order);
      out.at(first.due);
      for (Object[] row : equal) out.emit(RowKinds.INSERT, row);
    }
    stored.save(state);
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final Stored stored;
    private boolean changed;

    Work(KeyedState state) {
      this.state = state;
      stored = new Stored(state.get());
    }

    @Override
    public void process(InputRow row, Out out) {
      if (row.kind != RowKinds.INSERT) {
        throw new IllegalStateException("a sort by time takes insert-only input, it got an update");
      }
      changed |= stored.firings.add(Rowtime.of(row.values, time), row.watermark, row.values);
    }

    @Override
    public void close(Out out) {
      if (changed) stored.save(state);
    }
  }

  /** The state: a version byte, what {@link Firings} knows, the waiting rows. */
  private static final class Stored {
    private final WaitingRows waiting;
    private final Firings firings;
    private final int before;

    Stored(byte[] bytes) {
      if (bytes == null) {
        waiting = new WaitingRows();
        firings = new Firings(waiting, -1);
        before = 0;
        return;
      }
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION && version != 1) throw new IllegalStateException("unknown state version " + version);
      int firingsAt = in.position();
      int length = version == VERSION ? Firings.LENGTH : Firings.FIRST_LENGTH;
      in.skip(length);
      waiting = new WaitingRows(in, bytes.length);
      firings = new Firings(waiting, -1);
      firings.read(new ByteReader(bytes, firingsAt, length));
      before = waiting.count() + 1;
    }

    void save(KeyedState state) {
      ByteWriter out = new ByteWriter(256);
      out.writeByte(VERSION);
      firings.write(out);
      waiting.write(out);
      state.put(out.toBytes(), waiting.firstDue(), waiting.count() + 1 - before);
    }
  }
}

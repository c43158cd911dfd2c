package org.compiledplan.kernel.operators;

import java.util.Arrays;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Numbers rows in the order in which they come, over all micro-batches: calls of RAND with a seed give the number of
 * a row its place in the sequence. Two numbers are appended: that among all rows, and that among those for which the
 * condition holds, which alone come out.
 */
final class RowCounter implements Operator {
  private static final int VERSION = 1;

  private final RowPredicate condition;

  RowCounter(OperatorSpec spec) {
    condition = spec.condition(spec.get("condition"));
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  private final class Work implements Session {
    private final KeyedState state;
    private final boolean isNew;
    private long all;
    private long passed;

    Work(KeyedState state) {
      this.state = state;
      isNew = state.get() == null;
      if (isNew) return;
      ByteReader in = new ByteReader(state.get());
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      all = in.readFixedLong();
      passed = in.readFixedLong();
    }

    @Override
    public void process(InputRow row, Out out) {
      Object[] wide = Arrays.copyOf(row.values, row.values.length + 2);
      wide[row.values.length] = all++;
      wide[row.values.length + 1] = passed;
      if (!condition.test(wide, new Object[0])) return;
      passed++;
      out.emit(row.kind, wide);
    }

    @Override
    public void close(Out out) {
      ByteWriter writer = new ByteWriter(17);
      writer.writeByte(VERSION);
      writer.writeFixedLong(all);
      writer.writeFixedLong(passed);
      state.put(writer.toBytes(), OptionalLong.empty(), isNew ? 1 : 0);
    }
  }
}

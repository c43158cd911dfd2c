package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * Joins each left row with the right row that is there when it comes. Follows Flink's
 * TemporalProcessTimeJoinOperator.
 */
final class ProctimeTemporalJoin implements Idle {
  private static final int VERSION = 1;
  private static final int LEFT = 0;

  private final JoinInputs inputs;
  private final ValueType[] rightTypes;
  private final boolean outer;

  ProctimeTemporalJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    rightTypes = spec.inputs[1];
    outer = TemporalJoin.isOuter(spec);
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  @Override
  public int entries(byte[] state) {
    return 1;
  }

  private final class Work implements Session {
    private final KeyedState state;
    private boolean loaded;
    private boolean stored;
    private Object[] current;
    private boolean changed;

    Work(KeyedState state) {
      this.state = state;
    }

    private void load() {
      if (loaded) return;
      loaded = true;
      byte[] bytes = state.get();
      if (bytes == null) return;
      stored = true;
      ByteReader in = new ByteReader(bytes);
      int version = in.readByte();
      if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
      current = ValueCodec.readRow(in, rightTypes);
    }

    @Override
    public void process(InputRow row, Out out) {
      boolean matchesNothing = inputs.hasNullKey(row);
      if (!matchesNothing) load();
      if (row.port != LEFT) {
        if (matchesNothing) return;
        current = RowKinds.isAdd(row.kind) ? row.values : null;
        changed = true;
      } else if (!matchesNothing && current != null && inputs.condition.test(row.values, current)) {
        out.emit(row.kind, TemporalJoin.joined(row.values, current));
      } else if (outer) {
        out.emit(row.kind, TemporalJoin.joined(row.values, new Object[rightTypes.length]));
      }
    }

    @Override
    public void close(Out out) {
      if (!changed) return;
      if (current == null) {
        if (stored) state.remove(-1);
        return;
      }
      ByteWriter writer = new ByteWriter(64);
      writer.writeByte(VERSION);
      ValueCodec.writeRow(current, writer);
      state.put(writer.toBytes(), OptionalLong.empty(), stored ? 0 : 1);
    }
  }
}

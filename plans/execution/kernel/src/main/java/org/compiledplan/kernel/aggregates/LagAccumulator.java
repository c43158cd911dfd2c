package org.compiledplan.kernel.aggregates;

import java.util.ArrayDeque;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * LAG: the value of the row that came so many rows before the last, else the default. Arguments: the value,
 * the offset (default 1), the default (null). Follows Flink's LagAggFunction.
 */
final class LagAccumulator implements Accumulator {
  private static final Object NULL = new Object();

  private final AggregateCall call;
  private final ValueType type;
  /** The last values, one more than the offset; the deque takes no nulls. */
  private final ArrayDeque<Object> last = new ArrayDeque<>();
  private int offset = 1;
  private Object otherwise;

  LagAccumulator(AggregateCall call) {
    this.call = call;
    type = call.argTypes[0];
  }

  @Override
  public void add(Object[] row) {
    if (call.args.length > 1) offset = ((Number) row[call.args[1]]).intValue();
    if (offset < 0) throw new IllegalArgumentException("the offset " + offset + " of LAG is below 0");
    if (call.args.length > 2) otherwise = row[call.args[2]];
    Object value = row[call.args[0]];
    last.addLast(value == null ? NULL : value);
    while (last.size() > offset + 1) last.removeFirst();
  }

  @Override
  public void retract(Object[] row) {
    throw new IllegalStateException("LAG takes nothing back");
  }

  @Override
  public void merge(Accumulator other) {
    throw new IllegalStateException("LAG is no aggregate of windows");
  }

  @Override
  public Object value() {
    if (last.size() <= offset) return otherwise;
    Object value = last.getFirst();
    return value == NULL ? null : value;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeVarLong(offset);
    ValueCodec.write(otherwise, out);
    out.writeVarLong(last.size());
    for (Object value : last) ValueCodec.write(value == NULL ? null : value, out);
  }

  @Override
  public void read(ByteReader in) {
    offset = in.readVarInt();
    otherwise = ValueCodec.read(in, type);
    for (int left = in.readVarInt(); left > 0; left--) {
      Object value = ValueCodec.read(in, type);
      last.addLast(value == null ? NULL : value);
    }
  }
}

package org.compiledplan.kernel.aggregates;

import java.util.Arrays;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;

/**
 * Passes an argument to another accumulator at its first occurrence and, under retraction, retracts
 * it there at its last.
 */
final class DistinctAccumulator implements Accumulator {
  private final Accumulator inner;
  private final int[] args;
  private final Counts seen;

  DistinctAccumulator(Accumulator inner, AggregateCall call) {
    this.inner = inner;
    this.args = call.args();
    seen =
        new Counts(
            args.length == 1
                ? call.argTypes()[0]
                : ValueType.nested(ValueType.Kind.ROW, call.argTypes()));
  }

  private Object argument(Object[] row) {
    if (args.length == 1) return row[args[0]];
    Object[] values = new Object[args.length];
    for (int i = 0; i < args.length; i++) values[i] = row[args[i]];
    return new Struct(values);
  }

  @Override
  public void add(Object[] row) {
    if (seen.change(argument(row), 1) == 1) inner.add(row);
  }

  @Override
  public void retract(Object[] row) {
    if (seen.change(argument(row), -1) == 0) inner.retract(row);
  }

  @Override
  public void merge(Accumulator source) {
    Object[] row = new Object[Arrays.stream(args).max().orElse(-1) + 1];
    for (Counts.Entry entry : ((DistinctAccumulator) source).seen.entries()) {
      long after = seen.change(entry.value, entry.count);
      long before = after - entry.count;
      if (before <= 0 == after <= 0) continue;
      if (args.length == 1) row[args[0]] = entry.value;
      else for (int i = 0; i < args.length; i++) row[args[i]] = ((Struct) entry.value).fields()[i];
      if (after > 0) inner.add(row);
      else inner.retract(row);
    }
  }

  @Override
  public long heldBytes() {
    return seen.bytes();
  }

  @Override
  public Object value() {
    return inner.value();
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.DISTINCT;
  }

  @Override
  public void fields(Fields io) {
    io.part("seen", seen);
    io.frame("inner", inner);
  }
}

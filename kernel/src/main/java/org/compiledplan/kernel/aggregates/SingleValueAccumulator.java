package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/** The value of a scalar subquery; a second row is an error (Flink's SingleValueAggFunction). */
final class SingleValueAccumulator implements Accumulator {
  private final int arg;
  private final ValueType type;
  private Object single;
  private long count;

  SingleValueAccumulator(AggregateCall call) {
    this.arg = call.args()[0];
    this.type = call.argTypes()[0];
  }

  @Override
  public void add(Object[] row) {
    if (count > 0) throw tooMany();
    single = row[arg];
    count++;
  }

  @Override
  public void retract(Object[] row) {
    if (count > 1) throw tooMany();
    single = null;
    count--;
  }

  private static IllegalStateException tooMany() {
    return new IllegalStateException(
        "SINGLE_VALUE received more than one element: a scalar subquery gave more than one row");
  }

  @Override
  public void merge(Accumulator source) {
    SingleValueAccumulator that = (SingleValueAccumulator) source;
    if (that.count == 0) return;
    if (count > 0) throw tooMany();
    single = that.single;
    count += that.count;
  }

  @Override
  public Object value() {
    return single;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.SINGLE_VALUE;
  }

  @Override
  public void fields(Fields io) {
    count = io.number("count", count);
    single = io.value("kept", type, single);
  }
}

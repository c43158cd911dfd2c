package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.values.ValueType;

/** ARRAY_AGG: values in arrival order, nulls kept unless ignored; null without values. */
final class ArrayAccumulator implements Accumulator {
  private final int arg;
  private final ValueType type;
  private final boolean ignoreNulls;
  private final Bag bag = new Bag();

  ArrayAccumulator(AggregateCall call) {
    this.arg = call.args()[0];
    this.type = call.argTypes()[0];
    this.ignoreNulls = call.ignoreNulls();
  }

  @Override
  public void add(Object[] row) {
    if (row[arg] != null || !ignoreNulls) bag.add(row[arg]);
  }

  @Override
  public void retract(Object[] row) {
    if (row[arg] != null || !ignoreNulls) bag.remove(row[arg]);
  }

  @Override
  public void merge(Accumulator other) {
    bag.merge(((ArrayAccumulator) other).bag);
  }

  @Override
  public Object value() {
    return bag.values.isEmpty() ? null : new ArrayList<>(bag.values);
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.ARRAY;
  }

  @Override
  public void fields(Fields io) {
    bag.fields(io, type);
  }
}

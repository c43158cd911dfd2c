package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/** An aggregate of all values of its argument in arrival order, see {@link Bag}. */
abstract class BagAccumulator implements Accumulator {
  private final int arg;
  private final ValueType type;
  private final boolean keepsNulls;
  final Bag bag = new Bag();

  BagAccumulator(AggregateCall call, boolean keepsNulls) {
    arg = call.args()[0];
    type = call.argTypes()[0];
    this.keepsNulls = keepsNulls;
  }

  @Override
  public final void add(Object[] row) {
    if (row[arg] != null || keepsNulls) bag.add(row[arg]);
  }

  @Override
  public final void retract(Object[] row) {
    if (row[arg] != null || keepsNulls) bag.remove(row[arg]);
  }

  @Override
  public final void merge(Accumulator source) {
    bag.merge(((BagAccumulator) source).bag);
  }

  @Override
  public final void fields(Fields io) {
    bag.fields(io, type);
  }
}

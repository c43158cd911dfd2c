package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;

/**
 * ARRAY_AGG: values in arrival order, including nulls unless they are ignored; null without values.
 */
final class ArrayAccumulator extends BagAccumulator {
  ArrayAccumulator(AggregateCall call) {
    super(call, !call.ignoreNulls());
  }

  @Override
  public Object value() {
    return bag.values.isEmpty() ? null : new ArrayList<>(bag.values);
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.ARRAY;
  }
}

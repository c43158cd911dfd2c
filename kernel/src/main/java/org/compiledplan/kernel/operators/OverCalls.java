package org.compiledplan.kernel.operators;

import java.util.BitSet;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.state.Frames;

/** The aggregate calls of an OVER window, and the rows they make of input rows. */
final class OverCalls {
  /** Columns of an input row that are part of the output; constants follow them. */
  private final int width;

  private final AggregateCalls calls;

  /**
   * @param retract whether rows leave the window
   */
  OverCalls(OperatorSpec spec, boolean retract) {
    width = spec.output().length - spec.get("aggs").size();
    calls = new AggregateCalls(spec, width, retract);
  }

  Accumulator[] fresh() {
    return calls.fresh();
  }

  void add(Accumulator[] accumulators, Object[] row) {
    calls.process(accumulators, row, true);
  }

  /** The same for some of them alone. */
  void add(Accumulator[] accumulators, Object[] row, BitSet some) {
    calls.add(accumulators, row, some);
  }

  void retract(Accumulator[] accumulators, Object[] row) {
    calls.process(accumulators, row, false);
  }

  Object[] values(Accumulator[] accumulators) {
    Object[] values = new Object[accumulators.length];
    AggregateCalls.values(accumulators, values, 0);
    return values;
  }

  Object[] result(Object[] row, Object[] values) {
    Object[] result = new Object[width + values.length];
    System.arraycopy(row, 0, result, 0, width);
    System.arraycopy(values, 0, result, width, values.length);
    return result;
  }

  /** How the accumulators are kept in state. */
  Frames.Layout<Accumulator> layout() {
    return calls.layout();
  }
}

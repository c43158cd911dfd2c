package org.compiledplan.kernel.operators.over;

import java.util.BitSet;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.operators.aggregate.AggregateCalls;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.state.serialization.Frames;

/** The aggregate calls of an OVER window; builds output rows from input rows. */
final class OverCalls {
  /** Number of input columns that are part of the output; constants follow them. */
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

  /** Accumulates a row in the calls of {@code some} only. */
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

  /** State layout of the accumulators. */
  Frames.Layout<Accumulator> layout() {
    return calls.layout();
  }
}

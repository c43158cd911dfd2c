package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.Framed;

/** The running value of one aggregate call for one key. A fresh instance stands for no rows. */
public interface Accumulator extends Framed {
  /** Takes a row in; the accumulator picks its arguments out of it. */
  void add(Object[] row);

  /** Takes out a row that was added before. */
  void retract(Object[] row);

  /**
   * Takes in all rows that another accumulator of the same call took, after its own; the other
   * stays as it is.
   */
  void merge(Accumulator source);

  /** About how many bytes it takes for values that it has to tell from others. */
  default long heldBytes() {
    return 0;
  }

  /** The aggregate's present value, null if it has none. */
  Object value();

  @Override
  AccumulatorForm form();
}

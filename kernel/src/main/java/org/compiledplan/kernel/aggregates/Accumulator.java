package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Framed;

/** The state of one aggregate call for one key. A fresh instance represents no rows. */
public interface Accumulator extends Framed {
  /** Accumulates a row; the accumulator selects its arguments. */
  void add(Object[] row);

  /** Retracts a row that was added before. */
  void retract(Object[] row);

  /**
   * Merges another accumulator of the same call, as if its rows followed; the source is not
   * changed.
   */
  void merge(Accumulator source);

  /** Returns the approximate size in bytes of the distinct values that it holds. */
  default long heldBytes() {
    return 0;
  }

  /** Returns the current result, null if there is none. */
  Object value();

  @Override
  AccumulatorForm form();
}

package org.compiledplan.kernel.operators;

import java.util.OptionalLong;

/** The state of one operator for one key. */
public interface KeyedState {
  /** What was put last, or null. */
  byte[] get();

  /**
   * Replaces the state.
   *
   * @param nextExpiry time in ms, of the operator's time domain, at which {@link Operator#onTimer}
   *     is to be called: when the first of its entries expires or is due, empty if none does; in
   *     {@code onTimer} after now
   * @param entriesDelta how many more entries are in it than before, for the metrics
   */
  void put(byte[] bytes, OptionalLong nextExpiry, int entriesDelta);

  /** Removes the state, which must be there. */
  void remove(int entriesDelta);
}

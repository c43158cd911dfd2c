package org.compiledplan.kernel.operators;

import java.util.OptionalLong;

/** The state of one operator for one key. */
public interface KeyedState {
  /** What was put last, as bytes; null if there is nothing. */
  byte[] get();

  default boolean isThere() {
    return get() != null;
  }

  /**
   * What was put last, fresh if there is nothing. It is to be put again if anything of it has
   * changed, for it may be given again as it is.
   */
  default <S extends KeyState> S read(StateFormat<S> format) {
    return format.read(get());
  }

  /**
   * Replaces the state.
   *
   * @param nextExpiry time in ms, of the operator's time domain, at which {@link Operator#onTimer}
   *     is to be called: when the first of its entries expires or is due, empty if none does; in
   *     {@code onTimer} after now
   * @param entriesDelta how many more entries are in it than before, for the metrics
   */
  void put(byte[] bytes, OptionalLong nextExpiry, int entriesDelta);

  /** The same with the state itself, which has come to the host. */
  default <S extends KeyState> void put(
      StateFormat<S> format, S state, OptionalLong nextExpiry, int entriesDelta) {
    put(format.write(state), nextExpiry, entriesDelta);
  }

  /** Leaves the state as it is, and has {@link Operator#onTimer} called at a time. */
  default void again(OptionalLong nextExpiry) {
    put(get(), nextExpiry, 0);
  }

  /** Removes the state, which must be there. */
  void remove(int entriesDelta);
}

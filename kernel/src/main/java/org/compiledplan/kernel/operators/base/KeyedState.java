package org.compiledplan.kernel.operators.base;

import java.util.OptionalLong;

/** The stored state of one operator for one key. */
public interface KeyedState {
  /** Returns the bytes put last; null if there are none. */
  byte[] get();

  default boolean isThere() {
    return get() != null;
  }

  /**
   * Returns the state put last, or a fresh one. The object may be cached and returned again, so
   * every change must be followed by {@code put}.
   */
  default <S extends KeyState> S read(StateFormat<S> format) {
    return format.read(get());
  }

  /**
   * Replaces the state.
   *
   * @param nextExpiry time in ms of the operator's time domain at which {@link Operator#onTimer} is
   *     called: when the first entry expires or is due; empty for none. Within {@code onTimer} it
   *     is after now.
   * @param entriesDelta change of the number of entries, for the metrics
   */
  void put(byte[] bytes, OptionalLong nextExpiry, int entriesDelta);

  /**
   * Replaces the state with a decoded one, which the host then owns; the parameters are those of
   * {@link #put(byte[], OptionalLong, int)}.
   */
  default <S extends KeyState> void put(
      StateFormat<S> format, S state, OptionalLong nextExpiry, int entriesDelta) {
    put(format.write(state), nextExpiry, entriesDelta);
  }

  /** Sets the time of the next {@link Operator#onTimer} call without changing the state. */
  default void reschedule(OptionalLong nextExpiry) {
    put(get(), nextExpiry, 0);
  }

  /**
   * Removes the state, which must exist.
   *
   * @param entriesDelta change of the number of entries, negative
   */
  void remove(int entriesDelta);
}

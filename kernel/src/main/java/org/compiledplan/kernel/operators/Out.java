package org.compiledplan.kernel.operators;

/** Takes the rows that an operator emits. */
public interface Out {
  /** Emits a row; the array must not be changed afterwards. */
  void emit(byte kind, Object[] row);

  /**
   * Says at which time in ms, of the operator's time domain, the rows that follow are emitted:
   * operators downstream see them in that order, after the rows of the micro-batch. To be called in
   * {@link Operator#onTimer} before rows are emitted.
   */
  default void at(long time) {}

  /**
   * Ends the work if it is to be stopped; to be called in loops that may be long without emitting
   * rows.
   */
  default void check() {}
}

package org.compiledplan.kernel.operators.base;

/** Receives the rows that an operator emits. */
public interface Out {
  /**
   * Emits a row.
   *
   * @param kind changelog kind, see {@code RowKinds}
   * @param row column values; must not be changed afterwards
   */
  void emit(byte kind, Object[] row);

  /**
   * Sets the time of the rows emitted next, in ms of the operator's time domain. Downstream
   * operators see these rows in the order of these times, after the rows of the micro-batch. Called
   * in {@link Operator#onTimer} before rows are emitted.
   */
  default void at(long time) {}

  /** Throws if the task was cancelled; call it in loops that may run long without emitting rows. */
  default void check() {}
}

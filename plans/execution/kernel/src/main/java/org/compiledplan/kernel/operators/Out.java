package org.compiledplan.kernel.operators;

/** Takes the rows that an operator emits. */
public interface Out {
  /** Emits a row; the array must not be changed afterwards. */
  void emit(byte kind, Object[] row);
}

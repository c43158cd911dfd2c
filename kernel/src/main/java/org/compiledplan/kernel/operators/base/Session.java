package org.compiledplan.kernel.operators.base;

/**
 * The work of an operator on one key in one micro-batch. Methods that emit rows receive {@code
 * out}.
 */
public interface Session {
  /** Processes the next row of the key; returns its outcome. */
  Outcome process(InputRow row, Out out);

  /**
   * Merges a {@link Partial} of the operator.
   *
   * @param row one of the pre-aggregated rows
   * @param partial result of {@link Partial#toBytes}
   * @param outcomes receives those of the pre-aggregated rows
   * @return number of pre-aggregated rows
   */
  default long merge(InputRow row, byte[] partial, Out out, Outcome.Counts outcomes) {
    throw new UnsupportedOperationException();
  }

  /** Ends the session, once, after the last row: emits buffered rows and writes the state. */
  void close(Out out);
}

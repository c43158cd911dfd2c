package org.compiledplan.kernel.operators;

/** The work of an operator on one key in one micro-batch. */
public interface Session {
  /** Takes the next row of the key. */
  void process(InputRow row, Out out);

  /**
   * Takes in the rows of a {@link Partial} of the operator.
   *
   * @param row one of them
   * @return how many there were
   */
  default long merge(InputRow row, byte[] partial, Out out) {
    throw new UnsupportedOperationException();
  }

  /** Called once after the last row: emits what was held back and writes the state. */
  void close(Out out);
}

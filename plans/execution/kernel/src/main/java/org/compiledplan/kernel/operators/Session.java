package org.compiledplan.kernel.operators;

/** The work of an operator on one key in one micro-batch. */
public interface Session {
  /** Takes the next row of the key. */
  void process(InputRow row, Out out);

  /** Called once after the last row: emits what was held back and writes the state. */
  void close(Out out);
}

package org.compiledplan.kernel.operators;

/**
 * A row that arrives at an operator.
 *
 * @param port input of the operator, from 0
 * @param kind see {@link RowKinds}
 * @param watermark in ms, at which the row arrives: what it is late against. {@code Long.MIN_VALUE}
 *     without event time, and for rows that are never late, such as those that a timer upstream
 *     made.
 */
public record InputRow(int port, byte kind, Object[] values, long watermark) {
  /**
   * Refuses an update.
   *
   * @param rule what the operator takes
   */
  void requireInsert(String rule) {
    if (kind != RowKinds.INSERT) throw new IllegalStateException(rule + ", it got an update");
  }
}

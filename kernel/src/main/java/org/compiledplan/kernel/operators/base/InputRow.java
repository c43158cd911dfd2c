package org.compiledplan.kernel.operators.base;

import org.compiledplan.kernel.values.RowKinds;

/**
 * A row that arrives at an operator.
 *
 * @param port input of the operator, from 0
 * @param kind see {@link RowKinds}
 * @param watermark ms since 1970, against which the row's lateness is checked; {@code
 *     Long.MIN_VALUE} without event time and for rows that are never late, such as those emitted by
 *     an upstream timer
 */
public record InputRow(int port, byte kind, Object[] values, long watermark) {
  /**
   * Throws if the row is an update or a deletion.
   *
   * @param rule the input that the operator accepts, for the message
   */
  public void requireInsert(String rule) {
    if (kind != RowKinds.INSERT) throw new IllegalStateException(rule + ", it got an update");
  }
}

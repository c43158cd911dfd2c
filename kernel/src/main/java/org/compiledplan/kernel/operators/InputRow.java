package org.compiledplan.kernel.operators;

/** A row that arrives at an operator. */
public final class InputRow {
  /** Input of the operator, from 0. */
  public final int port;

  /** See {@link RowKinds}. */
  public final byte kind;

  public final Object[] values;

  /**
   * Watermark in ms at which the row arrives: what it is late against. {@code Long.MIN_VALUE}
   * without event time, and for rows that are never late, such as those that a timer upstream made.
   */
  public final long watermark;

  public InputRow(int port, byte kind, Object[] values, long watermark) {
    this.port = port;
    this.kind = kind;
    this.values = values;
    this.watermark = watermark;
  }
}

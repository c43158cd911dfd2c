package org.compiledplan.kernel.operators;

/** A row that arrives at an operator. */
public final class InputRow {
  /** Input of the operator, from 0. */
  public final int port;
  /** See {@link RowKinds}. */
  public final byte kind;
  public final Object[] values;

  public InputRow(int port, byte kind, Object[] values) {
    this.port = port;
    this.kind = kind;
    this.values = values;
  }
}

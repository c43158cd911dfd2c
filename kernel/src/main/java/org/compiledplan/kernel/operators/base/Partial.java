package org.compiledplan.kernel.operators.base;

import java.util.BitSet;

/**
 * A pre-aggregate: rows of a key combined before the shuffle, so that they travel as one. Built
 * where the rows are read, without state; {@link Session#merge} adds it to the state.
 */
public interface Partial {
  /** Returns the columns that {@link #add} reads; others may be null in its rows. */
  BitSet columns();

  /**
   * Accumulates a row of kind {@code +I} or {@code +U}.
   *
   * @param row valid until this call returns; its watermark is its source's, independent of the
   *     batch's
   * @return approximate growth in memory, in bytes
   */
  long add(InputRow row);

  /** Returns the bytes for {@link Session#merge}; they pass between tasks and are never stored. */
  byte[] toBytes();
}

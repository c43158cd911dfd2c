package org.compiledplan.kernel.operators;

import java.util.BitSet;

/**
 * What rows of a key come to before they are shuffled: many rows travel as one. Made where the rows
 * are read, without state; {@link Session#merge} takes it in where the state is.
 */
public interface Partial {
  /** Columns that {@link #add} looks at; others may be null in the rows that it is given. */
  BitSet columns();

  /**
   * Takes a row in, which adds and is valid until this returns; its watermark is that of its
   * source, whatever that of the batch is.
   *
   * @return about how many bytes more are held
   */
  long add(InputRow row);

  /** The bytes for {@link Session#merge}; they go from task to task, and are never stored. */
  byte[] toBytes();
}

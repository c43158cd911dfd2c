package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/** The running value of one aggregate call for one key. A fresh instance stands for no rows. */
public interface Accumulator {
  /** Takes a row in; the accumulator picks its arguments out of it. */
  void add(Object[] row);

  /** Takes out a row that was added before. */
  void retract(Object[] row);

  /** Takes in all rows that another accumulator of the same call took, after its own; the other stays as it is. */
  void merge(Accumulator other);

  /** The aggregate's present value, null if it has none. */
  Object value();

  void write(ByteWriter out);

  /** Sets a fresh instance to what {@link #write} wrote. */
  void read(ByteReader in);
}

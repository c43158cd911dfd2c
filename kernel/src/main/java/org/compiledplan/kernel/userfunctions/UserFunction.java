package org.compiledplan.kernel.userfunctions;

import java.util.List;
import org.compiledplan.kernel.values.Struct;

/**
 * An open user function; arguments and results are the kernel's values. An object serves one thread
 * at a time.
 */
public interface UserFunction {
  /** Calls a scalar function. */
  Object call(Object[] arguments);

  /** Calls a table function and returns its rows. */
  List<Struct> rows(Object[] arguments);

  /** Creates an accumulator. */
  Object createAccumulator();

  /** Accumulates a row. */
  void accumulate(Object accumulator, Object[] arguments);

  /** Retracts a row. */
  void retract(Object accumulator, Object[] arguments);

  /** Merges another accumulator, which is not changed, into the first one. */
  void merge(Object accumulator, Object other);

  /** Returns the result of an accumulator. */
  Object value(Object accumulator);

  /** Returns an accumulator as a value of the type in {@link Description#accumulator}. */
  Object stored(Object accumulator);

  /** Returns the accumulator of a stored value. */
  Object restored(Object value);

  /** Returns true if the function releases resources in {@code close}. */
  boolean closes();

  /** Closes the function. */
  void close();
}

package org.compiledplan.kernel.functions;

/**
 * Implementation of a function for one row; arguments and result are Spark's external Java types.
 */
@FunctionalInterface
public interface Body {
  /** Returns the result; null is SQL's NULL. */
  Object call(Object[] values) throws Exception;
}

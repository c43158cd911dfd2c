package org.compiledplan.kernel.functions;

/**
 * What a function does with the values of one row; values and result are Spark's external Java
 * types.
 */
@FunctionalInterface
public interface Body {
  /** The result; null is SQL's NULL. */
  Object call(Object[] values) throws Exception;
}

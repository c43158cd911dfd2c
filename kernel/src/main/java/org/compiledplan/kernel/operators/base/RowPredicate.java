package org.compiledplan.kernel.operators.base;

/** A condition over one or two rows, evaluated by the engine; null counts as false. */
public interface RowPredicate {
  RowPredicate TRUE = (left, right) -> true;

  /** Evaluates the condition over left ++ right; with one row the other array is empty. */
  boolean test(Object[] left, Object[] right);
}

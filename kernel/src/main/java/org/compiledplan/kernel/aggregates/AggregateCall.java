package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.values.ValueType;

/** One aggregate call of a plan, with its types. */
public final class AggregateCall {
  /** Name as in the plan, such as {@code $SUM$1}. */
  public final String function;

  /** Columns of the arguments. */
  public final int[] args;

  public final ValueType[] argTypes;
  public final ValueType resultType;
  public final boolean distinct;

  /** Whether rows may be taken back. */
  public final boolean retract;

  public final boolean ignoreNulls;

  /** A function in Python; null for all others. */
  public final PythonCall python;

  public AggregateCall(
      String function,
      int[] args,
      ValueType[] argTypes,
      ValueType resultType,
      boolean distinct,
      boolean retract,
      boolean ignoreNulls) {
    this(function, args, argTypes, resultType, distinct, retract, ignoreNulls, null);
  }

  public AggregateCall(
      String function,
      int[] args,
      ValueType[] argTypes,
      ValueType resultType,
      boolean distinct,
      boolean retract,
      boolean ignoreNulls,
      PythonCall python) {
    this.function = function;
    this.args = args;
    this.argTypes = argTypes;
    this.resultType = resultType;
    this.distinct = distinct;
    this.retract = retract;
    this.ignoreNulls = ignoreNulls;
    this.python = python;
  }
}

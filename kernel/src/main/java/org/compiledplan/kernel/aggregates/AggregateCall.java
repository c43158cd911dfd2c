package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.values.ValueType;

/**
 * One aggregate call of a plan, with its types.
 *
 * @param function name in the plan, such as {@code $SUM$1}
 * @param args columns of the arguments
 * @param retract true if rows may be retracted
 * @param python a Python function; null for all others
 * @param java a Java function; null for all others
 */
public record AggregateCall(
    String function,
    int[] args,
    ValueType[] argTypes,
    ValueType resultType,
    boolean distinct,
    boolean retract,
    boolean ignoreNulls,
    PythonCall python,
    JavaAggregate java) {}

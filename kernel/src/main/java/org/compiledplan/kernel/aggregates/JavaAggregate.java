package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.userfunctions.TaskFunction;
import org.compiledplan.kernel.values.ValueType;

/**
 * A Java aggregate function of one operator.
 *
 * @param accumulator type of stored accumulators
 */
public record JavaAggregate(TaskFunction function, ValueType accumulator) {}

package org.compiledplan.kernel.userfunctions;

import java.util.Set;
import org.compiledplan.kernel.values.ValueType;

/**
 * Facts about a function at one place of a plan.
 *
 * @param kind Flink's kind of function, such as ASYNC_SCALAR
 * @param deterministic true if equal arguments have equal results
 * @param methods names of its public methods
 * @param accumulator type of stored accumulators; null if it is no aggregate function
 * @param accumulatorText the type of accumulators in Flink's notation; empty if it has none
 */
public record Description(
    String kind,
    boolean deterministic,
    Set<String> methods,
    ValueType accumulator,
    String accumulatorText) {}

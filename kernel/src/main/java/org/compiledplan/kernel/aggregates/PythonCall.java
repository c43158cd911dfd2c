package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.values.ValueType;

/**
 * An aggregate function in Python: what its worker process is started with.
 *
 * @param executable the Python that runs the worker
 * @param program the worker's program
 * @param payload the pickled function
 * @param token the same for equal payloads
 * @param skips places among the arguments where null means that the row does not count
 * @param accumulator the type of accumulators; null if they are pickled
 */
public record PythonCall(
    String executable,
    String program,
    byte[] payload,
    String token,
    int[] skips,
    ValueType accumulator) {}

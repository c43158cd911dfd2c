package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.values.ValueType;

/**
 * A Python aggregate function: the arguments of its worker process.
 *
 * @param executable the Python interpreter of the worker
 * @param program the worker's program
 * @param payload the pickled function
 * @param token equal for equal payloads
 * @param skips positions of arguments whose null excludes the row
 * @param accumulator type of accumulators; null if they are pickled
 */
public record PythonCall(
    String executable,
    String program,
    byte[] payload,
    String token,
    int[] skips,
    ValueType accumulator) {}

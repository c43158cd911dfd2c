package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.values.ValueType;

/** An aggregate function in Python: what its worker process is started with. */
public final class PythonCall {
  /** The Python that runs the worker. */
  final String executable;

  /** The worker's program. */
  final String program;

  /** The pickled function. */
  final byte[] payload;

  /** The same for equal payloads. */
  final String token;

  /** Places among the arguments where null means that the row does not count. */
  final int[] skips;

  /** The type of accumulators; null if they are pickled. */
  final ValueType accumulator;

  public PythonCall(
      String executable,
      String program,
      byte[] payload,
      String token,
      int[] skips,
      ValueType accumulator) {
    this.executable = executable;
    this.program = program;
    this.payload = payload;
    this.token = token;
    this.skips = skips;
    this.accumulator = accumulator;
  }
}

package org.compiledplan.kernel.userfunctions;

/** Creates user functions; implemented with Flink's classes. */
public interface FunctionFactory {
  /**
   * Loads a function without opening it, and infers its types.
   *
   * @throws FunctionFailure if there is no such function, or it does not have the plan's types
   */
  Description describe(FunctionSpec spec, ClassLoader loader);

  /**
   * Creates and opens a function.
   *
   * @throws FunctionFailure as {@link #describe}, or if it cannot be opened
   */
  UserFunction open(FunctionSpec spec, ClassLoader loader);

  /** A digest of a class's code without debug information; empty if it cannot be read. */
  String code(String className, ClassLoader loader);
}

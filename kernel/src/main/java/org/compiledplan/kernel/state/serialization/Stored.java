package org.compiledplan.kernel.state.serialization;

/** A part of state. */
public interface Stored {
  /**
   * Declares the fields, in their order: pass each field's current value and assign the returned
   * one. The same method reads, writes or describes the part, depending on {@code io}. The set of
   * fields must not depend on their values.
   */
  void fields(Fields io);
}

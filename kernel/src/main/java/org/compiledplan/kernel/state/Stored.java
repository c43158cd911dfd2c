package org.compiledplan.kernel.state;

/** Something that state is made of. */
public interface Stored {
  /**
   * Its fields, in their order: each is given with its present value, and is set to what is
   * returned. So one method reads a fresh object, writes one, and describes what there is, by
   * whichever {@link Fields} it is called with. Which fields are asked for must not depend on their
   * values.
   */
  void fields(Fields io);
}

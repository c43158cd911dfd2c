package org.compiledplan.kernel.state;

/**
 * A part whose bytes say of which form they are: its code, its version, their length, then the
 * fields. So one who reads can tell what is there, and pass over what it does not know.
 */
public interface Framed extends Stored {
  /** What a frame can be. Codes and names are for ever; a change of the fields is a new version. */
  interface Form {
    int code();

    String text();

    int version();
  }

  Form form();
}

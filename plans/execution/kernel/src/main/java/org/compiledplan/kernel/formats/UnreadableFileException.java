package org.compiledplan.kernel.formats;

/** A file that is wrong as a whole: there is no one record to be put aside. */
final class UnreadableFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableFileException(String message) {
    super(message, null, true, false);
  }
}

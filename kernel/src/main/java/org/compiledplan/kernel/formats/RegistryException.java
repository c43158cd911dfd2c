package org.compiledplan.kernel.formats;

/** A schema registry that does not answer, or refuses: no row is at fault. */
final class RegistryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RegistryException(String message) {
    super(message, null, true, false);
  }
}

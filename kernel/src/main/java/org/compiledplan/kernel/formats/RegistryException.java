package org.compiledplan.kernel.formats;

/** A schema registry that does not answer, or refuses: no row is at fault. */
final class RegistryException extends RuntimeException {
  RegistryException(String message) {
    super(message, null, true, false);
  }
}

package org.compiledplan.kernel.formats;

/** A schema registry that does not respond or refuses a request: no row is at fault. */
final class RegistryException extends RuntimeException {
  RegistryException(String message) {
    super(message, null, true, false);
  }
}

package org.compiledplan.kernel.formats.base;

/** A schema registry that does not respond or refuses a request: no row is at fault. */
public final class RegistryException extends RuntimeException {
  public RegistryException(String message) {
    super(message, null, true, false);
  }
}

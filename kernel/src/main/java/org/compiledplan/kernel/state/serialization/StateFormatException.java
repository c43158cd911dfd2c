package org.compiledplan.kernel.state.serialization;

/** State bytes or trees that do not have the expected format: another version or another form. */
public final class StateFormatException extends IllegalStateException {
  public StateFormatException(String message) {
    super(message);
  }

  /** The same error with its owner in the message. */
  StateFormatException of(String owner) {
    return new StateFormatException(owner + ": " + getMessage());
  }
}

package org.compiledplan.kernel.state;

/** State that cannot be read as what it should be: it is of another version, or of another form. */
public final class StateFormatException extends IllegalStateException {
  public StateFormatException(String message) {
    super(message);
  }

  /** The same for whom it concerns. */
  StateFormatException of(String owner) {
    return new StateFormatException(owner + ": " + getMessage());
  }
}

package org.compiledplan.kernel.jdbc;

/** A database that does not respond, or temporarily cannot do what was requested. */
public final class DatabaseAwayException extends DatabaseException {
  DatabaseAwayException(String message) {
    super(message);
  }
}

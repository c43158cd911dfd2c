package org.compiledplan.kernel.jdbc;

/** A database that does not answer, or cannot do now what it may do later. */
public final class DatabaseAwayException extends DatabaseException {
  private static final long serialVersionUID = 1;

  DatabaseAwayException(String message) {
    super(message);
  }
}

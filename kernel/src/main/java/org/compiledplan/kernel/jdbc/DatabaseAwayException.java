package org.compiledplan.kernel.jdbc;

/** A database that does not answer, or cannot do now what it may do later. */
public final class DatabaseAwayException extends DatabaseException {
  DatabaseAwayException(String message) {
    super(message);
  }
}

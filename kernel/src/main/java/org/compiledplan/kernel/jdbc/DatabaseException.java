package org.compiledplan.kernel.jdbc;

/** What a database refuses, in words for the user. */
public class DatabaseException extends RuntimeException {
  DatabaseException(String message) {
    // Without the cause: the last message of the chain is what the user sees.
    super(message);
  }
}

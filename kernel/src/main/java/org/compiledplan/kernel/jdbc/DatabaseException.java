package org.compiledplan.kernel.jdbc;

/** A request that a database refuses, worded for the user. */
public class DatabaseException extends RuntimeException {
  DatabaseException(String message) {
    // Without the cause: the user sees the last message of the chain.
    super(message);
  }
}

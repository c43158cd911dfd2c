package org.compiledplan.kernel.operators.base;

/**
 * An operator whose keys expire as a whole after being idle for the TTL; see {@link IdleExpiry}.
 * The state bytes passed in are those that the operator has put.
 */
public interface Idle extends Operator {
  /** Returns true if the key must not expire yet. */
  default boolean waits(byte[] state) {
    return false;
  }

  /** Returns true if a row that changes nothing refreshes the TTL. */
  default boolean refreshedByEveryRow() {
    return true;
  }
}

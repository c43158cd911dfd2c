package org.compiledplan.kernel.operators;

/**
 * What {@link IdleExpiry} asks of the operators whose keys are forgotten as a whole when nothing
 * has happened to them for the TTL. The bytes are those that the operator has put.
 */
interface Idle extends Operator {
  /** Whether the key must not be forgotten yet. */
  default boolean waits(byte[] state) {
    return false;
  }

  /** Whether a row that changes nothing keeps the key alive. */
  default boolean staysAliveByAnyRow() {
    return true;
  }
}

package org.compiledplan.kernel.operators;

/** A keyed operator of a plan. It knows no Spark; one instance serves all keys of a task, one at a time. */
public interface Operator {
  /** Starts work on a key. State is read when it is needed, so a session may do without. */
  Session open(KeyedState state, BatchContext context);

  /** Removes what has expired from the state of a key, called when the key's cleanup time has come. */
  void onTimer(KeyedState state, BatchContext context);

  /** Whether the rows of a key may be processed in any order with the same result. */
  default boolean isOrderInsensitive() {
    return false;
  }
}

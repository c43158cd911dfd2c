package org.compiledplan.kernel.operators;

/**
 * A keyed operator of a plan. It knows no Spark; one instance serves all keys of a task, one at a
 * time.
 */
public interface Operator {
  /** Starts work on a key. State is read when it is needed, so a session may do without. */
  Session open(KeyedState state, BatchContext context);

  /**
   * Called when the time has come that was given with the key's state ({@link KeyedState#put}):
   * removes what has expired, and emits what is due. All that is due by now is to be done in this
   * one call.
   */
  void onTimer(KeyedState state, BatchContext context, Out out);

  StateFormat<?> stateFormat();

  /**
   * Takes rows of one key in where they are read, before they are shuffled; null where each must
   * come by itself. An operator that has one emits nothing before {@link Session#close}, and takes
   * rows in any order.
   */
  default Partial partial() {
    return null;
  }

  /** Whether the rows of a key may be processed in any order with the same result. */
  default boolean isOrderInsensitive() {
    return false;
  }
}

package org.compiledplan.kernel.operators.base;

/**
 * A keyed operator of a plan, independent of Spark. One instance serves all keys of a task, one at
 * a time.
 */
public interface Operator {
  /**
   * Starts the work on a key in a micro-batch. The state is read on demand, so a session may not
   * read it at all.
   *
   * @param state the key's stored state
   * @param context times of the micro-batch
   * @return the session that takes the key's rows
   */
  Session open(KeyedState state, BatchContext context);

  /**
   * Expires entries and emits due rows of a key; called when the time passed to {@link
   * KeyedState#put} has come. Everything due by now must be done in this call.
   *
   * @param state the key's stored state
   * @param context times of the micro-batch, which decide what is due
   * @param out receives the emitted rows
   */
  void onTimer(KeyedState state, BatchContext context, Out out);

  StateFormat<?> stateFormat();

  /** The changes of the state's entries, which the host takes after each session and timer. */
  StateAccount account();

  /**
   * Returns a pre-aggregation of a key's rows, used in the task that reads them, before the
   * shuffle; null if the operator has none. An operator that has one emits nothing before {@link
   * Session#close} and accepts rows in any order.
   */
  default Partial partial() {
    return null;
  }

  /** Returns true if the result does not depend on the order of a key's rows. */
  default boolean isOrderInsensitive() {
    return false;
  }
}

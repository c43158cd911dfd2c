package org.compiledplan.kernel.operators.base;

import java.util.BitSet;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.serialization.Stored;

/** The decoded state of an operator for one key. */
public interface KeyState extends Stored {
  /**
   * Time in ms at which the operator's timer fires for the key, in its time domain; see {@link
   * KeyedState#put}. Empty for none.
   */
  default OptionalLong nextDue(BatchContext context) {
    return OptionalLong.empty();
  }

  /** Returns true if the key must not expire yet even when it is idle. */
  default boolean waits() {
    return false;
  }

  /** Returns true if the whole state has expired. */
  default boolean isExpired(BatchContext context) {
    return false;
  }

  /**
   * Recomputes the accumulators of new aggregate calls from the stored rows that will be retracted
   * later.
   *
   * @param calls positions of the calls, whose accumulators are fresh
   */
  default void recount(BitSet calls) {}

  /**
   * Returns true if the host may cache the object that the operator has put and hand it out again.
   * The operator then puts it after every change and resets its per-session fields.
   */
  default boolean isReusable() {
    return false;
  }

  /** Number of state entries, for the metrics; a state with 0 entries is not stored. */
  int entries();

  /** Reports the times of all entries; entries without times are not reported. */
  default void entryTimes(EntryTimes to) {
    for (int i = entries(); i > 0; i--) to.entry(0, EntryTimes.NONE, EntryTimes.NONE);
  }
}

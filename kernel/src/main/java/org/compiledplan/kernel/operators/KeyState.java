package org.compiledplan.kernel.operators;

import java.util.BitSet;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.Stored;

/** The state of an operator for one key, as the operator works with it. */
public interface KeyState extends Stored {
  /**
   * When the operator is to be called for the key, in its time domain; see {@link KeyedState#put}.
   */
  default OptionalLong nextDue(BatchContext context) {
    return OptionalLong.empty();
  }

  /** Whether it must not be forgotten yet, though nothing happens to its key. */
  default boolean waits() {
    return false;
  }

  /** Whether all of it has expired, so that nobody will see any of it again. */
  default boolean isExpired(BatchContext context) {
    return false;
  }

  /**
   * Has some aggregate calls, whose accumulators are fresh, take in the rows that are kept and that
   * they will be asked to take out again.
   */
  default void recount(BitSet calls) {}

  /**
   * Whether an operator may be given the object again that it has put: it puts it whenever it has
   * changed anything of it, and begins anew what it keeps in it of a session.
   */
  default boolean mayBeGivenAgain() {
    return false;
  }

  /** How many entries it counts as; with none there is nothing to keep. */
  int entries();

  /** Tells of the times of each entry; entries of no time of their own have none. */
  default void entryTimes(EntryTimes to) {
    for (int i = entries(); i > 0; i--) to.entry(0, EntryTimes.NONE, EntryTimes.NONE);
  }
}

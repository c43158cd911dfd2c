package org.compiledplan.kernel.operators.base;

/** Receives the times of a state's entries, one call per entry. */
@FunctionalInterface
public interface EntryTimes {
  /** The entry has no time of this kind. */
  long NONE = Long.MIN_VALUE;

  /**
   * @param input number of the entry's input, which selects its TTL
   * @param written processing time of the last write in ms; the TTL starts there
   * @param time event time in ms: the row's own time, or the end of its window on the window's
   *     clock
   */
  void entry(int input, long written, long time);
}

package org.compiledplan.kernel.operators;

/** Takes what is known of the times of a state's entries, one call for each. */
@FunctionalInterface
public interface EntryTimes {
  /** There is no such time. */
  long NONE = Long.MIN_VALUE;

  /**
   * @param input the number of the input that the entry is of, which is that of its TTL
   * @param written processing time of its last write in ms, from which on its TTL counts
   * @param time of what it is about in ms: the row's own time, or the end of its window on the
   *     clock that windows lie on
   */
  void entry(int input, long written, long time);
}

package org.compiledplan.kernel.operators.base;

import java.io.Serializable;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * Ages of state entries when rows use them, in ms since the last write of the entry: a histogram
 * per state entry. The counts of two histograms add up to those of all their uses, so they merge
 * over tasks and micro-batches without loss. A range is at most 1/32 of its ages wide, and ranges
 * exist up to the longest age in use.
 */
public final class UseAges implements Serializable {
  /** Number of ranges between an age and its double, as a power of two. */
  private static final int STEP_BITS = 5;

  private static final int STEPS = 1 << STEP_BITS;

  /** About 2,000 years: longer ages share the last range. */
  private static final long LONGEST = (1L << 46) - 1;

  private final int entries;

  /** Uses by range, and within a range by state entry. */
  private long[] counts = {};

  /**
   * @param entries number of state entries of the operator
   */
  public UseAges(int entries) {
    this.entries = entries;
  }

  /**
   * Adds uses of a state entry at an age in ms; a negative one, after a jump of the clock, is 0.
   */
  public void add(int entry, long age, long uses) {
    int at = range(age) * entries + entry;
    if (at >= counts.length)
      counts = Arrays.copyOf(counts, ((range(age) | STEPS - 1) + 1) * entries);
    counts[at] += uses;
  }

  /** Returns the range of an age: exact below 64 ms, then 32 ranges until the double. */
  private static int range(long age) {
    long clamped = Math.max(0, Math.min(age, LONGEST));
    int shift = Math.max(0, Long.SIZE - 1 - STEP_BITS - Long.numberOfLeadingZeros(clamped));
    return (shift << STEP_BITS) + (int) (clamped >>> shift);
  }

  /** Returns the age in ms that is greater than all of a range. */
  private static long end(int range) {
    int shift = Math.max(0, (range >>> STEP_BITS) - 1);
    return (range - ((long) shift << STEP_BITS) + 1) << shift;
  }

  /** Passes the end of each range with uses of a state entry, in ms, and their number. */
  public void forEach(int entry, BiConsumer<Long, Long> to) {
    for (int at = entry; at < counts.length; at += entries)
      if (counts[at] != 0) to.accept(end(at / entries), counts[at]);
  }

  /** Returns true if there are no uses. */
  public boolean isEmpty() {
    return Arrays.stream(counts).allMatch(count -> count == 0);
  }

  public int entries() {
    return entries;
  }

  /** Returns the counts, for {@link #addAll}. */
  public long[] counts() {
    return counts;
  }

  /** Adds the counts of an array from a position on. */
  public void addAll(long[] more, int from) {
    int length = more.length - from;
    if (length > counts.length) counts = Arrays.copyOf(counts, length);
    for (int at = 0; at < length; at++) counts[at] += more[from + at];
  }

  /** Starts the counts anew. */
  public void clear() {
    Arrays.fill(counts, 0);
  }
}

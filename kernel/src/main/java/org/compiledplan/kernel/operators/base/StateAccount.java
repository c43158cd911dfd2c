package org.compiledplan.kernel.operators.base;

import java.util.Arrays;
import java.util.Locale;

/**
 * Changes of the entries of an operator's state, by reason, and the ages of entries when rows use
 * them. The operator posts each change where it makes it. The host counts the entries of the states
 * that it stores, by {@link KeyState#entries}; both agree after each session and each timer.
 */
public final class StateAccount {
  public enum Change {
    CREATED,

    /** Updated away, displaced, or merged with another entry. */
    REPLACED,

    RETRACTED,

    /** Removed because its TTL has passed. */
    EXPIRED,

    /** Emitted or dropped at the watermark, or behind its window. */
    RELEASED;

    /** Returns the change of the number of entries by one change of this kind. */
    public int sign() {
      return this == CREATED ? 1 : -1;
    }

    /** Returns the name in reports. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int CHANGES = Change.values().length;

  private final long[] counts = new long[CHANGES];
  private final UseAges ages;

  /**
   * @param ages receives the ages of used entries at once
   */
  public StateAccount(UseAges ages) {
    this.ages = ages;
  }

  /**
   * Posts that a row has met a stored entry: it matched, changed or retracted the entry, or was
   * dropped because of it. Without the entry the result would differ.
   *
   * @param entry number of the state entry in the node, that is of the input
   * @param age ms since the last write of the entry
   */
  public void used(int entry, long age) {
    ages.add(entry, age, 1);
  }

  /** Posts the same use by several rows; see {@link #used(int, long)}. */
  public void used(int entry, long age, long rows) {
    ages.add(entry, age, rows);
  }

  public void created(long entries) {
    counts[Change.CREATED.ordinal()] += entries;
  }

  public void replaced(long entries) {
    counts[Change.REPLACED.ordinal()] += entries;
  }

  public void retracted(long entries) {
    counts[Change.RETRACTED.ordinal()] += entries;
  }

  public void expired(long entries) {
    counts[Change.EXPIRED.ordinal()] += entries;
  }

  public void released(long entries) {
    counts[Change.RELEASED.ordinal()] += entries;
  }

  /** Posts created entries, or, if the number is negative, released ones. */
  public void createdOrReleased(long entries) {
    if (entries > 0) created(entries);
    else released(-entries);
  }

  /** Posts created entries, or, if the number is negative, replaced ones. */
  public void createdOrReplaced(long entries) {
    if (entries > 0) created(entries);
    else replaced(-entries);
  }

  /** Returns the number of changes since {@link #clear}. */
  public long of(Change change) {
    return counts[change.ordinal()];
  }

  public UseAges ages() {
    return ages;
  }

  /** Starts the counts of changes anew. */
  public void clear() {
    Arrays.fill(counts, 0);
  }
}

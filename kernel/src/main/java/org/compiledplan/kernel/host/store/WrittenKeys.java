package org.compiledplan.kernel.host.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.util.sketch.BloomFilter;

/**
 * A Bloom filter of the keys ever written to a state store. A key that is not in it has no state,
 * so the lookup is skipped: lookups of absent keys took a quarter of the time of a join whose keys
 * are mostly new. The keys of a first micro-batch come in order and are not looked up here, either.
 * Of a query with a single micro-batch that order is all that is known.
 */
final class WrittenKeys {
  /** Keys of the first filter; each further filter holds four times as many. */
  private static final int FIRST = 1 << 16;

  /** At this number the filters hold 22,347,776 keys in 27 MB. */
  private static final int FILTERS = 5;

  private static final double FALSE_POSITIVES = 0.01;

  /** By length, then by characters: for most keys the order in which the rows of a task come. */
  private static final Comparator<String> ORDER =
      Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

  /** The last key in this order by operator: later ones are in no filter. */
  private final Map<String, String> last = new HashMap<>();

  private final List<BloomFilter> filters = new ArrayList<>();
  private final int first;
  private final boolean remembers;

  /** Remaining capacity of the last filter. */
  private long room;

  /** True if the capacity was exceeded: the filters are discarded. */
  private boolean full;

  WrittenKeys() {
    this(FIRST, true);
  }

  /**
   * @param first keys of the first filter
   * @param remembers false to have no filters
   */
  private WrittenKeys(int first, boolean remembers) {
    this.first = first;
    this.remembers = remembers;
  }

  /**
   * @param first keys of the first filter
   */
  static WrittenKeys from(int first) {
    return new WrittenKeys(first, true);
  }

  /** For a query with a single micro-batch. */
  static WrittenKeys once() {
    return new WrittenKeys(FIRST, false);
  }

  boolean mayHave(String op, String key) {
    if (full) return true;
    if (isLater(op, key)) return false;
    if (!remembers) return true;
    long name = name(op, key);
    for (int i = filters.size() - 1; i >= 0; i--) {
      if (filters.get(i).mightContainLong(name)) return true;
    }
    return false;
  }

  /**
   * @param isNew true if {@link #mayHave} has returned false for the key
   */
  void add(String op, String key, boolean isNew) {
    if (full || (!isNew && mayHave(op, key))) return;
    if (isLater(op, key)) last.put(op, key);
    if (!remembers) return;
    if (room == 0 && filters.size() == FILTERS) {
      full = true;
      filters.clear();
      return;
    }
    if (room == 0) {
      room = (long) first << 2 * filters.size();
      filters.add(BloomFilter.create(room, FALSE_POSITIVES));
    }
    filters.get(filters.size() - 1).putLong(name(op, key));
    room--;
  }

  private boolean isLater(String op, String key) {
    String before = last.get(op);
    return before == null || ORDER.compare(key, before) > 0;
  }

  private static long name(String op, String key) {
    return (long) op.hashCode() << Integer.SIZE | Integer.toUnsignedLong(key.hashCode());
  }
}

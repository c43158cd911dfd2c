package org.compiledplan.kernel.aggregates;

import java.util.AbstractCollection;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.ValueType;

/**
 * A multiset: distinct values with their counts, in the order of first occurrence. Values are in
 * arrays instead of objects because a key may have millions of them.
 */
final class Counts implements Stored {
  static final class Entry implements Stored {
    private final ValueType type;
    Object value;
    long count;

    Entry(ValueType type) {
      this.type = type;
    }

    Entry(ValueType type, Object value, long count) {
      this.type = type;
      this.value = value;
      this.count = count;
    }

    @Override
    public void fields(Fields io) {
      value = io.value("value", type, value);
      count = io.number("count", count);
    }
  }

  private static final int FIRST_ROOM = 4;
  private static final long TAG = 0xffffffff00000000L;

  private final ValueType type;
  private DistinctValues values;

  /** Count per position; 0 if the value was removed. */
  private long[] counts = {};

  /** Number of used positions, and number of them with a live value. */
  private int used;

  private int live;

  /** Upper half of a value's hash, and its position plus one; 0 for an empty slot. */
  private long[] table = {};

  Counts(ValueType type) {
    this.type = type;
    values = DistinctValues.of(type);
  }

  /** Changes the count of the value and returns the new count; 0 removes the value. */
  long change(Object value, long by) {
    long hash = values.hash(value);
    int place = find(value, hash);
    if (place < 0) {
      if (by != 0) append(value, hash, by);
      return by;
    }
    counts[place] += by;
    if (counts[place] == 0) live--;
    return counts[place];
  }

  /** Position of the value, -1 if it is absent. */
  private int find(Object value, long hash) {
    if (table.length == 0) return -1;
    int mask = table.length - 1;
    int at = (int) hash & mask;
    for (long tagged = table[at]; tagged != 0; tagged = table[at]) {
      int place = (int) tagged - 1;
      if ((tagged & TAG) == (hash & TAG) && counts[place] != 0 && values.isAt(place, value)) {
        return place;
      }
      at = (at + 1) & mask;
    }
    return -1;
  }

  private void append(Object value, long hash, long count) {
    if (used == counts.length) makeRoom();
    values.set(used, value);
    counts[used++] = count;
    live++;
    put(hash, used);
  }

  private void put(long hash, int placePlusOne) {
    int mask = table.length - 1;
    int at = (int) hash & mask;
    while (table[at] != 0) at = (at + 1) & mask;
    table[at] = hash & TAG | placePlusOne;
  }

  /** Compacts removed values or, if there are few, enlarges the arrays. */
  private void makeRoom() {
    int room = live > used / 2 ? 2 * used : Math.max(used, FIRST_ROOM);
    DistinctValues from = values;
    DistinctValues to = live == used ? values : DistinctValues.of(type);
    to.widen(room);
    long[] resized = live == used ? Arrays.copyOf(counts, room) : new long[room];
    table = new long[2 * room];
    int next = 0;
    for (int place = 0; place < used; place++) {
      if (counts[place] == 0) continue;
      Object value = from.get(place);
      if (to != from) to.set(next, value);
      resized[next++] = counts[place];
      put(to.hash(value), next);
    }
    values = to;
    counts = resized;
    used = next;
  }

  /** Values with their counts; an entry is valid until the next one is read. */
  Collection<Entry> entries() {
    return new AbstractCollection<>() {
      @Override
      public int size() {
        return live;
      }

      @Override
      public Iterator<Entry> iterator() {
        return new Entries();
      }
    };
  }

  private final class Entries implements Iterator<Entry> {
    private final Entry reused = new Entry(type);
    private int place;

    @Override
    public boolean hasNext() {
      while (place < used && counts[place] == 0) place++;
      return place < used;
    }

    @Override
    public Entry next() {
      if (!hasNext()) throw new NoSuchElementException();
      reused.value = values.get(place);
      reused.count = counts[place++];
      return reused;
    }
  }

  /** Approximate size in bytes. */
  long bytes() {
    return (long) Long.BYTES * (counts.length + table.length) + values.bytes();
  }

  @Override
  public void fields(Fields io) {
    Entry read = new Entry(type);
    io.list("counts", entries(), () -> read, entry -> change(entry.value, entry.count));
  }
}

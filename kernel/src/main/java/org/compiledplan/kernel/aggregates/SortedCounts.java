package org.compiledplan.kernel.aggregates;

import java.util.Collection;
import java.util.Comparator;
import java.util.TreeMap;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.ValueType;

/** A multiset sorted by value; a value retracted before it was added has a negative count. */
final class SortedCounts implements Stored {
  private final ValueType type;
  private final TreeMap<Object, Counts.Entry> entries;

  SortedCounts(ValueType type, Comparator<Object> order) {
    this.type = type;
    entries = new TreeMap<>(order);
  }

  /** Changes the count of the value; 0 removes it. */
  void change(Object value, long by) {
    Counts.Entry entry = entries.get(value);
    if (entry == null) {
      entries.put(value, new Counts.Entry(type, value, by));
    } else {
      entry.count += by;
      if (entry.count == 0) entries.remove(value);
    }
  }

  /** Merges another multiset, which is not changed. */
  void merge(SortedCounts source) {
    for (Counts.Entry entry : source.entries.values()) change(entry.value, entry.count);
  }

  Collection<Counts.Entry> entries() {
    return entries.values();
  }

  @Override
  public void fields(Fields io) {
    io.list(
        "counts",
        entries.values(),
        () -> new Counts.Entry(type),
        entry -> entries.put(entry.value, entry));
  }
}

package org.compiledplan.kernel.aggregates;

import java.util.LinkedHashMap;
import java.util.Map;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.Stored;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/** A multiset: distinct values with how often each is there, in the order they first came. */
final class Counts implements Stored {
  /** A value and its count. */
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

  private final ValueType type;
  final Map<Object, Entry> entries = new LinkedHashMap<>();

  Counts(ValueType type) {
    this.type = type;
  }

  /** Changes the count of the value and returns the new count; 0 forgets it. */
  long change(Object value, long by) {
    Object key = Values.mapKey(value);
    Entry entry = entries.computeIfAbsent(key, k -> new Entry(type, value, 0));
    entry.count += by;
    if (entry.count == 0) entries.remove(key);
    return entry.count;
  }

  /** How often the value is there. */
  long count(Object value) {
    Entry entry = entries.get(Values.mapKey(value));
    return entry == null ? 0 : entry.count;
  }

  @Override
  public void fields(Fields io) {
    io.list(
        "counts",
        entries.values(),
        () -> new Entry(type),
        entry -> entries.put(Values.mapKey(entry.value), entry));
  }
}

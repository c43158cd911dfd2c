package org.compiledplan.kernel.aggregates;

import java.util.LinkedHashMap;
import java.util.Map;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/** A multiset: distinct values with how often each is there, in the order they first came. */
final class Counts {
  /** A value and its count. */
  static final class Entry {
    final Object value;
    long count;

    Entry(Object value) {
      this.value = value;
    }
  }

  final Map<Object, Entry> entries = new LinkedHashMap<>();

  /** Changes the count of the value and returns the new count; 0 forgets it. */
  long change(Object value, long by) {
    Object key = Values.mapKey(value);
    Entry entry = entries.computeIfAbsent(key, k -> new Entry(value));
    entry.count += by;
    if (entry.count == 0) entries.remove(key);
    return entry.count;
  }

  /** How often the value is there. */
  long count(Object value) {
    Entry entry = entries.get(Values.mapKey(value));
    return entry == null ? 0 : entry.count;
  }

  void write(ByteWriter out) {
    out.writeVarLong(entries.size());
    for (Entry entry : entries.values()) {
      ValueCodec.write(entry.value, out);
      out.writeSigned(entry.count);
    }
  }

  void read(ByteReader in, ValueType type) {
    int size = in.readVarInt();
    for (int i = 0; i < size; i++) change(ValueCodec.read(in, type), in.readSigned());
  }
}

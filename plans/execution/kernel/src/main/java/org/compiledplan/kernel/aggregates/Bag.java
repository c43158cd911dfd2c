package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Values in the order they came. Taking one out takes its first occurrence; one that is not there is
 * remembered and cancels the next that is added, as Flink's list aggregates with retraction do.
 */
final class Bag {
  final List<Object> values = new ArrayList<>();
  private final List<Object> missing = new ArrayList<>();

  void add(Object value) {
    if (missing.isEmpty() || !removeFirst(missing, value)) values.add(value);
  }

  void remove(Object value) {
    if (!removeFirst(values, value)) missing.add(value);
  }

  /** Takes in what the other took, after its own. */
  void merge(Bag other) {
    for (Object value : other.values) add(value);
    for (Object value : other.missing) remove(value);
  }

  private static boolean removeFirst(List<Object> list, Object value) {
    for (int i = 0; i < list.size(); i++) {
      if (Values.equal(list.get(i), value)) {
        list.remove(i);
        return true;
      }
    }
    return false;
  }

  void write(ByteWriter out) {
    writeList(values, out);
    writeList(missing, out);
  }

  void read(ByteReader in, ValueType type) {
    readList(values, in, type);
    readList(missing, in, type);
  }

  private static void writeList(List<Object> list, ByteWriter out) {
    out.writeVarLong(list.size());
    for (Object value : list) ValueCodec.write(value, out);
  }

  private static void readList(List<Object> list, ByteReader in, ValueType type) {
    int size = in.readVarInt();
    for (int i = 0; i < size; i++) list.add(ValueCodec.read(in, type));
  }
}

package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Values in arrival order. A retraction removes the first occurrence; the retraction of an absent
 * value is stored and cancels its next addition, as in Flink's list aggregates with retraction.
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

  /** Appends another bag's values and retractions. */
  void merge(Bag source) {
    for (Object value : source.values) add(value);
    for (Object value : source.missing) remove(value);
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

  /** Both lists; {@code type} is the type of the values. */
  void fields(Fields io, ValueType type) {
    io.values("values", type, values);
    io.values("missing", type, missing);
  }
}

package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * Values in the order they came. Taking one out takes its first occurrence; one that is not there
 * is remembered and cancels the next that is added, as Flink's list aggregates with retraction do.
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

  /** Both lists; the values are of the given type. */
  void fields(Fields io, ValueType type) {
    io.values("values", type, values);
    io.values("missing", type, missing);
  }
}
